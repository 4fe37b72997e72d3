//! Measures flocks of several sizes on a device.

use flock::Parameters;

use super::limits::limits;
use super::measure::{self, Runner, measure};
use super::rates::rates;
use super::result::{Clock, Condition, Method, Profile, Spread, Subject};
use config::{ConfigError, Document, Setting, with_settings};
use cpu::engine::EngineError;
use cpu::state::State;
use engines::{Device, Opened};
use gpu::Gpu;
use report::failure::Failure;

/// The sizes of a ladder: these multiples of each power of ten from [`LOWEST`] on.
const RUNGS: [u32; 2] = [1, 3];
const LOWEST: u32 = 1000;
/// A ladder ends after the first flock whose fastest step takes longer than a frame at 30 frames per second, in
/// nanoseconds.
pub(super) const LONG: f64 = 1e9 / 30.0;

/// The numbers of boids to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    List(Vec<u32>),
    /// From 1,000 boids to the largest flock that fits or that steps in real time.
    Ladder,
}

impl Sizes {
    /// All sizes; those of a ladder ascend.
    pub fn all(&self) -> Vec<u32> {
        match self {
            Sizes::List(list) => list.clone(),
            Sizes::Ladder => {
                let decades = (0..).map_while(|power| LOWEST.checked_mul(10_u32.checked_pow(power)?));
                decades
                    .flat_map(|decade| RUNGS.into_iter().filter_map(move |rung| decade.checked_mul(rung)))
                    .collect()
            }
        }
    }
}

/// A flock of any size, and the device that steps it.
#[derive(Debug)]
pub struct Side {
    pub device: Device,
    pub flock: Document,
    /// The preset or file, and how the flock differs from it.
    pub name: String,
}

/// A flock with so many boids.
///
/// # Errors
/// When the world would leave its range.
pub fn at_size(flock: &Document, boids: u32) -> Result<Parameters, ConfigError> {
    if flock.parameters.flock.boids == boids {
        return Ok(flock.parameters);
    }
    let boids = Setting::parse(&format!("flock.boids={boids}"))?;
    Ok(with_settings(*flock, &[boids])?.parameters)
}

/// Width and height of timed pictures in pixels: the initial size of the window.
pub const PICTURE: [u32; 2] = [1280, 800];

/// Submits a picture of an engine's flock.
pub type Painter = dyn FnMut(&mut Opened) -> Result<(), EngineError>;

/// Makes a painter that sees the whole flock of a state.
pub type NewPainter = dyn Fn(&Gpu, &Parameters, &State) -> Result<Box<Painter>, EngineError>;

/// The device that draws, if frames are timed, and what it draws with. It is the device that steps, if that is hardware; a
/// second device of the same adapter, if it is software.
pub type Drawing<'a> = Option<(Gpu, &'a NewPainter)>;

/// Observes a measurement and can end it.
pub trait Watcher {
    /// True to end the measurement.
    fn stop(&self) -> bool;
    /// Called when an activity begins, with the number of boids if it concerns a flock.
    fn begins(&self, boids: Option<u32>, what: &str);
    /// Called after each point.
    fn measured(&self);
}

/// Measures one side.
///
/// # Errors
/// When the smallest flock does not fit, or the device fails. A larger flock of a ladder that does not fit ends the
/// measurement without an error.
pub fn run(
    side: &Side,
    sizes: &Sizes,
    method: &Method,
    drawing: &Drawing<'_>,
    watcher: &dyn Watcher,
) -> Result<Profile, Failure> {
    let driver = match &side.device {
        Device::Gpu(gpu, _) => format!("{} {}", gpu.info.driver, gpu.info.driver_info).trim().to_owned(),
        Device::Cpu(..) | Device::Rp2040(_) => String::new(),
    };
    let subject = Subject {
        engine: String::new(),
        driver,
        numeric: side.device.numeric(),
        tuning: None,
        clock: Clock::Wall,
        flock: side.name.clone(),
        dimensions: 0,
        drawn: drawing.as_ref().map(|(gpu, _)| gpu.name()),
    };
    watcher.begins(None, "what the device can do");
    let limits = limits(&side.device)?;
    let (points, rates_yet, stopped) = (Vec::new(), Vec::new(), None);
    let mut profile = Profile { subject, method: *method, limits, points, rates: rates_yet, stopped };
    for boids in sizes.all() {
        if let Err(failure) = profile.size(side, boids, drawing, watcher) {
            if profile.points.is_empty() || *sizes != Sizes::Ladder {
                return Err(failure);
            }
            profile.stopped = Some(failure.message);
            break;
        }
        if watcher.stop() {
            profile.stopped = Some("interrupted: what was measured until then".to_owned());
            break;
        }
        if *sizes == Sizes::Ladder && profile.points.iter().any(|point| point.step.least > LONG) {
            break;
        }
    }
    profile.rates = rates(&profile.points);
    Ok(profile)
}

impl Profile {
    /// Measures the flock of one size.
    fn size(
        &mut self,
        side: &Side,
        boids: u32,
        drawing: &Drawing<'_>,
        watcher: &dyn Watcher,
    ) -> Result<(), Failure> {
        watcher.begins(Some(boids), "start");
        let mut runner = Runner::new(side, boids)?;
        self.subject.engine = runner.opened.get().describe();
        self.subject.tuning = runner.opened.settings();
        self.subject.dimensions = runner.parameters.flock.dimensions;
        if self.points.is_empty() {
            self.subject.clock = measure::clock(&runner.opened);
        }
        self.point(side, &mut runner, Condition::Start, None, drawing, watcher)?;
        if self.method.settle == 0 || watcher.stop() {
            return Ok(());
        }
        watcher.begins(Some(boids), "settling");
        let steady = runner.settle(self.method.settle, watcher)?;
        if watcher.stop() {
            return Ok(());
        }
        watcher.begins(Some(boids), "settled");
        self.point(side, &mut runner, Condition::Settled, Some(steady), drawing, watcher)
    }

    fn point(
        &mut self,
        side: &Side,
        runner: &mut Runner,
        condition: Condition,
        steady: Option<bool>,
        drawing: &Drawing<'_>,
        watcher: &dyn Watcher,
    ) -> Result<(), Failure> {
        let mut point = measure(runner, condition, steady, (&self.method, self.limits.as_ref()), watcher)?;
        if let (Some((gpu, painter)), Some(point)) = (drawing, &mut point) {
            let mut painter = painter(gpu, &runner.parameters, &runner.state)?;
            [point.frame_ns, point.picture_ns] =
                frames(side, gpu, runner, painter.as_mut(), &self.method, watcher)?;
        }
        let software = matches!(&side.device, Device::Gpu(gpu, _) if !gpu.hardware());
        if let Some(point) = point.as_mut().filter(|point| software && !point.plausible()) {
            (point.passes, point.events) = (Vec::new(), Vec::new());
            self.subject.clock = Clock::Implausible;
        }
        watcher.measured();
        self.points.extend(point);
        Ok(())
    }
}

/// Times frames. A software adapter's timestamps are wrong after it has drawn, so a second device draws there and
/// steps a copy of the flock.
fn frames(
    side: &Side,
    gpu: &Gpu,
    runner: &mut Runner,
    painter: &mut Painter,
    method: &Method,
    watcher: &dyn Watcher,
) -> Result<[Option<Spread>; 2], EngineError> {
    let Runner { parameters, opened, state } = runner;
    let mut apart = match &side.device {
        Device::Gpu(steps, numeric) if !steps.hardware() => {
            // With the kernel that was timed.
            let same = gpu.with_settings(opened.settings().unwrap_or(gpu.settings))?;
            Some(Device::Gpu(Box::new(same), *numeric).engine(parameters, state)?)
        }
        _ => None,
    };
    let mut draw = |opened: &mut Opened, steps: u32, pictures: u32| {
        for _ in 0..pictures {
            if steps > 0 {
                opened.get().advance(steps)?;
            }
            painter(opened)?;
        }
        measure::finish(opened)?;
        gpu.wait()
    };
    measure::frames(apart.as_mut().unwrap_or(opened), &mut draw, state, method, watcher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_climbs_to_all_there_can_be() {
        let rungs = Sizes::Ladder.all();
        assert_eq!(rungs[..5], [1000, 3000, 10_000, 30_000, 100_000]);
        assert_eq!(rungs.last(), Some(&3_000_000_000));
        assert!(rungs.is_sorted());
    }
}

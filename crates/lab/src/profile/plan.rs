//! Measures flocks of several sizes on a device.

use flock::Parameters;

use super::limits::limits;
use super::measure::{self, measure};
use super::painter::{Drawing, Painter};
use super::rates::rates;
use super::result::{Clock, Condition, Method, Point, Profile, Spread, Subject};
use super::settle::settle;
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
pub const LONG: f64 = 1e9 / 30.0;

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

/// A measurement to make.
pub struct Plan<'a> {
    pub sizes: Sizes,
    pub method: Method,
    /// The flock of a size.
    pub parameters: &'a dyn Fn(u32) -> Result<Parameters, Failure>,
    /// The device that draws, if frames are timed: the one that steps, if it is hardware; a second device of the same
    /// adapter, if it is software.
    pub draws: Option<Drawing<'a>>,
    /// The name of the preset or file.
    pub flock: String,
}

/// Observes a measurement and can end it.
pub trait Watcher {
    /// True to end the measurement.
    fn stop(&self) -> bool;
    /// Called when an activity begins, with the number of boids if it concerns a flock.
    fn begins(&self, boids: Option<u32>, what: &str);
    /// Called after each point.
    fn measured(&self);
}

impl std::fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("sizes", &self.sizes)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

impl Plan<'_> {
    /// Measures on a device.
    ///
    /// # Errors
    /// When the smallest flock does not fit, or the device fails. A larger flock of a ladder that does not fit ends the
    /// measurement without an error.
    pub fn run(&self, device: &Device, watcher: &dyn Watcher) -> Result<Profile, Failure> {
        let mut profile = self.begin(device);
        watcher.begins(None, "what the device can do");
        profile.limits = limits(device)?;
        for boids in self.sizes.all() {
            match self.size(device, boids, watcher, &mut profile) {
                Ok(true) => {}
                Ok(false) => {
                    if watcher.stop() {
                        profile.stopped = Some("interrupted: what was measured until then".to_owned());
                    }
                    break;
                }
                Err(failure) if profile.points.is_empty() || self.sizes != Sizes::Ladder => {
                    return Err(failure);
                }
                Err(failure) => {
                    profile.stopped = Some(failure.message);
                    break;
                }
            }
        }
        profile.rates = rates(&profile.points);
        Ok(profile)
    }

    fn begin(&self, device: &Device) -> Profile {
        let driver = match device {
            Device::Gpu(gpu, _) => format!("{} {}", gpu.info.driver, gpu.info.driver_info),
            Device::Cpu(..) | Device::Rp2040(_) => String::new(),
        };
        let subject = Subject {
            engine: String::new(),
            driver: driver.trim().to_owned(),
            numeric: device.numeric(),
            tuning: None,
            clock: Clock::Wall,
            flock: self.flock.clone(),
            dimensions: 0,
            drawn: self.draws.as_ref().map(|draws| draws.gpu.name()),
        };
        Profile {
            subject,
            method: self.method,
            limits: None,
            points: Vec::new(),
            rates: Vec::new(),
            stopped: None,
        }
    }

    /// Measures the flock of one size; returns false if it is the last.
    fn size(
        &self,
        device: &Device,
        boids: u32,
        watcher: &dyn Watcher,
        profile: &mut Profile,
    ) -> Result<bool, Failure> {
        let parameters = (self.parameters)(boids)?;
        device.check_capacity(boids)?;
        watcher.begins(Some(boids), "start");
        let start = State::try_start(&parameters)?;
        let mut opened = device.engine(&parameters, &start)?;
        profile.subject.engine = opened.get().describe();
        profile.subject.tuning = opened.settings();
        if profile.points.is_empty() {
            profile.subject.clock = measure::clock(&opened);
        }
        profile.subject.dimensions = parameters.flock.dimensions;
        let stop = || watcher.stop();
        let mut long = false;
        let mut time = |state: &State, condition, steady, opened: &mut _| -> Result<bool, EngineError> {
            let subject = measure::Subject { parameters: &parameters, state, condition, steady };
            let mut point: Option<Point> = measure(opened, &subject, &self.method, &stop)?;
            if let (Some(Drawing { gpu, painter }), Some(point)) = (&self.draws, &mut point) {
                let mut painter = painter(gpu, &parameters, state)?;
                [point.frame, point.picture] =
                    self.frames(device, gpu, &subject, opened, painter.as_mut(), &stop)?;
            }
            if let Some(point) = point.as_mut().filter(|point| software(device) && !point.plausible()) {
                (point.passes, point.events) = (Vec::new(), Vec::new());
                profile.subject.clock = Clock::Implausible;
            }
            long |= point.as_ref().is_some_and(|point| point.step.least > LONG);
            watcher.measured();
            profile.points.extend(point);
            Ok(!watcher.stop())
        };
        if !time(&start, Condition::Start, None, &mut opened)? {
            return Ok(false);
        }
        if self.method.settle > 0 {
            watcher.begins(Some(boids), "settling");
            opened.get().set_state(&start)?;
            drop(start);
            let steady = settle(&mut opened, &parameters, self.method.settle, &stop)?;
            if watcher.stop() {
                return Ok(false);
            }
            watcher.begins(Some(boids), "settled");
            let state = opened.get().state()?;
            if !time(&state, Condition::Settled, Some(steady), &mut opened)? {
                return Ok(false);
            }
        }
        Ok(self.sizes != Sizes::Ladder || !long)
    }

    /// Times frames. A software adapter's timestamps are wrong after it has drawn, so a second device draws there and
    /// steps a copy of the flock.
    fn frames(
        &self,
        device: &Device,
        gpu: &Gpu,
        subject: &measure::Subject<'_>,
        opened: &mut Opened,
        painter: &mut dyn Painter,
        stop: &dyn Fn() -> bool,
    ) -> Result<[Option<Spread>; 2], EngineError> {
        let measure::Subject { parameters, state, .. } = *subject;
        let mut apart = match device {
            Device::Gpu(steps, numeric) if !steps.hardware() => {
                // With the kernel that was timed.
                let same = gpu.with_settings(opened.settings().unwrap_or(gpu.settings))?;
                Some(Device::Gpu(Box::new(same), *numeric).engine(parameters, state)?)
            }
            _ => None,
        };
        measure::frames(apart.as_mut().unwrap_or(opened), painter, state, &self.method, stop)
    }
}

/// True if the device is a software adapter.
fn software(device: &Device) -> bool {
    matches!(device, Device::Gpu(gpu, _) if !gpu.hardware())
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

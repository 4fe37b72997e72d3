//! Measures flocks of several sizes on a device.

use std::iter::successors;

use super::{
    Clock, Condition, Configuration, Drawing, Method, Painter, Profile, Runner, Spread, Subject,
    at_both_ages, clock, limits, measure, rates,
};
use engine::Result;
use engines::{AnyEngine, Device};
use files::{Failure, ProgressBar, interrupt};
use gpu::Gpu;

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
                let decades = successors(Some(LOWEST), |decade| decade.checked_mul(10));
                let rungs = |decade: u32| RUNGS.into_iter().filter_map(move |rung| decade.checked_mul(rung));
                decades.flat_map(rungs).collect()
            }
        }
    }
}

/// Measures one side.
///
/// # Errors
/// When the smallest flock does not fit, or the device fails. A larger flock of a ladder that does not fit ends the
/// measurement without an error.
pub fn run(
    side: &Configuration,
    sizes: &Sizes,
    method: &Method,
    drawing: &Drawing<'_>,
    bar: &ProgressBar,
) -> Result<Profile, Failure> {
    let (driver, tuning) = match &side.device {
        Device::Gpu(gpu, _) => {
            let driver = format!("{} {}", gpu.info.driver, gpu.info.driver_info);
            (driver.trim().to_owned(), Some(gpu.settings))
        }
        Device::Cpu(..) | Device::Rp2040(_) => (String::new(), None),
    };
    let subject = Subject {
        driver,
        tuning,
        numeric: side.device.numeric(),
        flock: side.name.clone(),
        drawn: drawing.as_ref().map(|(gpu, _)| gpu.name()),
        ..Subject::default()
    };
    bar.set_message("flocks; measuring the limits of the device");
    let (limits, points, stopped) = (limits(&side.device)?, Vec::new(), None);
    let mut profile = Profile { subject, method: *method, limits, points, rates: Vec::new(), stopped };
    for boids in sizes.all() {
        let result = at_both_ages(std::slice::from_ref(side), boids, method.settle, bar, |runners| {
            Ok(point(&mut profile, side, drawing, &mut runners[0])?)
        });
        let Profile { points, stopped, .. } = &mut profile;
        match result {
            Err(failure) if points.is_empty() || *sizes != Sizes::Ladder => return Err(failure),
            Err(failure) => *stopped = Some(failure.message),
            Ok(()) if interrupt::asked() => {
                *stopped = Some("interrupted; these are the results so far".to_owned());
            }
            Ok(()) => {}
        }
        let slow = *sizes == Sizes::Ladder && points.iter().any(|point| point.step.least > LONG);
        if stopped.is_some() || slow {
            break;
        }
    }
    profile.rates = rates(&profile.points);
    Ok(profile)
}

/// Measures a flock as it stands.
fn point(profile: &mut Profile, side: &Configuration, drawing: &Drawing<'_>, runner: &mut Runner) -> Result {
    let subject = &mut profile.subject;
    if runner.condition() == Condition::Start {
        subject.engine = runner.opened.get().describe();
        subject.dimensions = runner.parameters.flock.dimensions;
        if profile.points.is_empty() {
            subject.clock = clock(&runner.opened);
        }
    }
    let mut point = measure(runner, profile)?;
    if let (Some((gpu, painter)), Some(point)) = (drawing, &mut point) {
        let mut painter = painter(gpu, &runner.parameters, &runner.state)?;
        [point.frame_ns, point.picture_ns] = frames(side, gpu, runner, painter.as_mut(), &profile.method)?;
    }
    let software = matches!(&side.device, Device::Gpu(gpu, _) if !gpu.hardware());
    if let Some(point) = point.as_mut().filter(|point| software && !point.plausible()) {
        (point.passes, point.events) = (Vec::new(), Vec::new());
        profile.subject.clock = Clock::Implausible;
    }
    profile.points.extend(point);
    Ok(())
}

/// Times frames. A software adapter's timestamps are wrong after it has drawn, so a second device draws there and
/// steps a copy of the flock.
fn frames(
    side: &Configuration,
    gpu: &Gpu,
    runner: &mut Runner,
    painter: &mut Painter,
    method: &Method,
) -> Result<[Option<Spread>; 2]> {
    let Runner { parameters, opened, state, .. } = runner;
    let mut apart = match &side.device {
        Device::Gpu(steps, numeric) if !steps.hardware() => {
            // With the kernel that was timed.
            let same = gpu.with_settings(steps.settings)?;
            Some(Device::Gpu(Box::new(same), *numeric).engine(parameters, state)?)
        }
        _ => None,
    };
    let mut draw = |opened: &mut AnyEngine, steps: u32, pictures: u32| {
        for _ in 0..pictures {
            if steps > 0 {
                opened.get().advance(steps)?;
            }
            painter(opened)?;
        }
        measure::finish(opened)?;
        gpu.wait()
    };
    measure::frames(apart.as_mut().unwrap_or(opened), &mut draw, state, method)
}

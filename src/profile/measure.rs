//! One flock, timed.

use std::time::Instant;

use flock::Parameters;

use super::census::census;
use super::result::{Clock, Condition, Method, Pass, Point, Spread};
use crate::engine::{EngineError, PassEvent};
use crate::engines::Opened;
use crate::state::State;

/// A flock in a state, to be timed.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub parameters: &'a Parameters,
    pub state: &'a State,
    pub condition: Condition,
    /// Whether it had become steady; a start is not asked.
    pub steady: Option<bool>,
}

/// Times a flock; none where `stop` said so before the first repeat was over.
///
/// # Errors
/// When the device fails.
pub fn measure(
    opened: &mut Opened,
    subject: &Subject<'_>,
    method: &Method,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Point>, EngineError> {
    let mut steps = Vec::new();
    let mut passes: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut events = Vec::new();
    let mut halfway = None;
    for _ in 0..method.repeats {
        if stop() {
            break;
        }
        steps.push(repeat(opened, subject.state, method)?);
        if halfway.is_none() {
            halfway = Some(opened.get().state()?);
        }
        events = timed(opened, method.steps)?;
        for (name, time) in sums(&events) {
            let time = time / f64::from(method.steps);
            match passes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(time),
                None => passes.push((name, vec![time])),
            }
        }
    }
    let (Some(step), Some(state)) = (Spread::of(&steps), halfway) else {
        return Ok(None);
    };
    let census = census(subject.parameters, opened.get().numeric(), &state);
    let pass = |(name, times): (&'static str, Vec<f64>)| {
        let time = Spread::of(&times)?;
        Some(Pass { name, time, bytes: 0, cached: 0, operations: 0 })
    };
    Ok(Some(Point {
        boids: subject.state.boids.len() as u32,
        condition: subject.condition,
        age: subject.state.step,
        steady: subject.steady,
        step,
        frame: None,
        passes: passes.into_iter().filter_map(pass).collect(),
        census,
        events,
    }))
}

/// Puts the state in, warms up and steps; the nanoseconds of one step.
fn repeat(opened: &mut Opened, state: &State, method: &Method) -> Result<f64, EngineError> {
    opened.get().set_state(state)?;
    opened.get().advance(method.warm_up)?;
    finish(opened)?;
    let begun = Instant::now();
    opened.get().advance(method.steps)?;
    finish(opened)?;
    Ok(begun.elapsed().as_nanos() as f64 / f64::from(method.steps))
}

/// Steps on with every pass timed; when each ran.
fn timed(opened: &mut Opened, steps: u32) -> Result<Vec<PassEvent>, EngineError> {
    time_every_step(opened, true)?;
    opened.get().advance(steps)?;
    let events = match opened {
        Opened::Gpu(engine) => engine.take_events()?,
        Opened::GpuFixed(engine) => engine.take_events()?,
        Opened::F32(engine) => engine.take_events(),
        Opened::F64(engine) => engine.take_events(),
        Opened::Fixed(engine) => engine.take_events(),
        Opened::Rp2040(_) => Vec::new(),
    };
    time_every_step(opened, false)?;
    Ok(events)
}

fn time_every_step(opened: &mut Opened, on: bool) -> Result<(), EngineError> {
    match opened {
        Opened::Gpu(engine) => engine.time_every_step(on)?,
        Opened::GpuFixed(engine) => engine.time_every_step(on)?,
        Opened::F32(engine) => engine.time_every_step(on),
        Opened::F64(engine) => engine.time_every_step(on),
        Opened::Fixed(engine) => engine.time_every_step(on),
        Opened::Rp2040(_) => {}
    }
    Ok(())
}

/// Waits until the steps are done.
fn finish(opened: &mut Opened) -> Result<(), EngineError> {
    match opened {
        Opened::Gpu(engine) => engine.finish(),
        Opened::GpuFixed(engine) => engine.finish(),
        Opened::F32(_) | Opened::F64(_) | Opened::Fixed(_) | Opened::Rp2040(_) => Ok(()),
    }
}

/// Nanoseconds of each pass over all events, in the order of their first.
fn sums(events: &[PassEvent]) -> Vec<(&'static str, f64)> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for event in events {
        let time = event.end - event.begin;
        match sums.iter_mut().find(|(name, _)| *name == event.pass) {
            Some((_, sum)) => *sum += time,
            None => sums.push((event.pass, time)),
        }
    }
    sums
}

/// What its passes are timed by.
#[must_use]
pub fn clock(opened: &Opened) -> Clock {
    match opened {
        Opened::Gpu(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::GpuFixed(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::Gpu(_) | Opened::GpuFixed(_) | Opened::Rp2040(_) => Clock::WholeSteps,
        Opened::F32(_) | Opened::F64(_) | Opened::Fixed(_) => Clock::Wall,
    }
}

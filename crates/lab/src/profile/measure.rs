//! Times one flock.

use std::time::Instant;

use flock::Parameters;

use super::census::census;
use super::cost::{Cost, cost};
use super::painter::Painter;
use super::result::{Clock, Condition, Method, Pass, Point, Spread, tail};
use cpu::engine::{EngineError, PassEvent};
use cpu::state::State;
use engines::Opened;

/// The flock to time.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub parameters: &'a Parameters,
    pub state: &'a State,
    pub condition: Condition,
    /// Whether the flock is steady; none for a start.
    pub steady: Option<bool>,
}

/// Times a flock; none if `stop` returned true before the first repeat was complete.
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
    let (mut events, mut single) = (Vec::new(), Vec::new());
    let mut halfway = None;
    let mut untimed = 0;
    for _ in 0..method.repeats {
        if stop() {
            break;
        }
        let sample = sample(opened, subject.state, method)?;
        steps.push(sample.step);
        untimed += sample.untimed;
        for (name, time) in sample.passes {
            match passes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(time),
                None => passes.push((name, vec![time])),
            }
        }
        events = sample.events;
        single.extend(events.chunk_by(|a, b| a.step == b.step).map(length));
        if halfway.is_none() {
            // The state at the beginning of the timed passes: the middle of all timed steps.
            opened.get().set_state(subject.state)?;
            opened.get().advance(method.warm_up + method.steps)?;
            halfway = Some(opened.get().state()?);
        }
    }
    let (Some(step), Some(state)) = (Spread::of(&steps), halfway) else {
        return Ok(None);
    };
    let census = census(subject.parameters, opened.get().numeric(), &state);
    let mut costed = Vec::new();
    for (name, times) in passes {
        let Cost { bytes, cached, operations } = cost(opened, name, subject.parameters, &census)?;
        costed.extend(Spread::of(&times).map(|time| Pass { name, time, bytes, cached, operations }));
    }
    Ok(Some(Point {
        boids: subject.state.boids.len() as u32,
        condition: subject.condition,
        age: subject.state.step,
        steady: subject.steady,
        step,
        tail: tail(&single),
        frame: None,
        picture: None,
        passes: costed,
        census,
        untimed,
        events,
    }))
}

/// Nanoseconds from the begin of a step's first pass to the end of its last.
fn length(step: &[PassEvent]) -> f64 {
    let begin = step.iter().map(|event| event.begin).fold(f64::INFINITY, f64::min);
    step.iter().map(|event| event.end).fold(f64::NEG_INFINITY, f64::max) - begin
}

/// The times of one repeat.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Nanoseconds per step, by the wall clock.
    pub step: f64,
    /// Nanoseconds per step of each pass, over the steps with pass times.
    pub passes: Vec<(&'static str, f64)>,
    /// Steps without pass times.
    pub untimed: u32,
    pub events: Vec<PassEvent>,
}

impl Sample {
    /// Nanoseconds of a pass; of the whole step for none.
    pub fn of(&self, pass: Option<&str>) -> Option<f64> {
        match pass {
            None => Some(self.step),
            Some(name) => self.passes.iter().find(|(known, _)| *known == name).map(|(_, time)| *time),
        }
    }
}

/// Loads the state and warms up; times steps as a whole, then as many steps pass by pass.
///
/// # Errors
/// When the device fails.
pub fn sample(opened: &mut Opened, state: &State, method: &Method) -> Result<Sample, EngineError> {
    opened.get().set_state(state)?;
    opened.get().advance(method.warm_up)?;
    finish(opened)?;
    let begun = Instant::now();
    opened.get().advance(method.steps)?;
    finish(opened)?;
    let step = begun.elapsed().as_nanos() as f64 / f64::from(method.steps);
    let events = timed(opened, method.steps)?;
    // Events are in the order of steps.
    let timed = events.chunk_by(|a, b| a.step == b.step).count() as u32;
    let mut passes = sums(&events);
    passes.iter_mut().for_each(|(_, time)| *time /= f64::from(timed));
    Ok(Sample { step, passes, untimed: method.steps.saturating_sub(timed), events })
}

/// Seconds of one repeat of slow frames.
const PATIENCE: f64 = 0.25;

/// Nanoseconds per frame, a step and its picture, one after the other as in a window, without waiting in between; and per
/// picture, of the last step again and again. A repeat has as many as `method` has steps, or fewer where they are slow.
///
/// # Errors
/// When the device fails.
pub fn frames(
    opened: &mut Opened,
    painter: &mut dyn Painter,
    state: &State,
    method: &Method,
    stop: &dyn Fn() -> bool,
) -> Result<[Option<Spread>; 2], EngineError> {
    let (mut frames, mut pictures) = (Vec::new(), Vec::new());
    for _ in 0..method.repeats {
        if stop() {
            break;
        }
        opened.get().set_state(state)?;
        for (steps, times) in [(1, &mut frames), (0, &mut pictures)] {
            // The first includes set-up costs; the second determines how many there is time for.
            draw(opened, painter, steps, 1)?;
            let begun = Instant::now();
            draw(opened, painter, steps, 1)?;
            let count = (PATIENCE / begun.elapsed().as_secs_f64()).clamp(1.0, f64::from(method.steps)) as u32;
            let begun = Instant::now();
            draw(opened, painter, steps, count)?;
            times.push(begun.elapsed().as_nanos() as f64 / f64::from(count));
        }
    }
    Ok([&frames, &pictures].map(|times| Spread::of(times)))
}

/// Draws so many pictures, each after so many steps, and waits for the end.
fn draw(
    opened: &mut Opened,
    painter: &mut dyn Painter,
    steps: u32,
    pictures: u32,
) -> Result<(), EngineError> {
    for _ in 0..pictures {
        if steps > 0 {
            opened.get().advance(steps)?;
        }
        painter.paint(opened)?;
    }
    finish(opened)?;
    painter.finish()
}

/// Steps with every pass timed; returns the passes.
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

/// Waits for all submitted steps.
fn finish(opened: &mut Opened) -> Result<(), EngineError> {
    match opened {
        Opened::Gpu(engine) => engine.finish(),
        Opened::GpuFixed(engine) => engine.finish(),
        Opened::F32(_) | Opened::F64(_) | Opened::Fixed(_) | Opened::Rp2040(_) => Ok(()),
    }
}

/// Total nanoseconds of each pass, in the order of first appearance.
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

/// The clock that an engine's passes are timed by.
pub fn clock(opened: &Opened) -> Clock {
    match opened {
        Opened::Gpu(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::GpuFixed(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::Gpu(_) | Opened::GpuFixed(_) | Opened::Rp2040(_) => Clock::WholeSteps,
        Opened::F32(_) | Opened::F64(_) | Opened::Fixed(_) => Clock::Wall,
    }
}

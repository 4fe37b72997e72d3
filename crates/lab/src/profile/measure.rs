//! Times one flock.

use std::time::Instant;

use flock::Parameters;

use super::census::census;
use super::cost::{SEARCH_PASS, cost};
use super::plan::{Side, Watcher, at_size};
use super::result::{Clock, Condition, Limits, Method, Pass, Point, Spread, percentile};
use super::settle::settle;
use cpu::engine::{EngineError, PassEvent};
use cpu::state::State;
use engines::Opened;
use report::failure::Failure;

/// An engine, its flock, and the state that each measurement begins with.
pub(super) struct Runner {
    pub parameters: Parameters,
    pub opened: Opened,
    pub state: State,
}

impl Runner {
    /// Opens an engine with the start of a flock.
    pub fn new(side: &Side, boids: u32) -> Result<Self, Failure> {
        let parameters = at_size(&side.flock, boids)?;
        side.device.check_capacity(boids)?;
        let state = State::try_start(&parameters)?;
        let opened = side.device.engine(&parameters, &state)?;
        Ok(Runner { parameters, opened, state })
    }

    /// Steps the flock until it is steady, for so many steps at most; says whether it is.
    pub fn settle(&mut self, most: u32, watcher: &dyn Watcher) -> Result<bool, EngineError> {
        self.opened.get().set_state(&self.state)?;
        let steady = settle(&mut self.opened, &self.parameters, most, &|| watcher.stop())?;
        self.state = self.opened.get().state()?;
        Ok(steady)
    }
}

/// Times a flock; none if it is to stop before the first repeat is complete. `steady` says whether a settled flock is.
pub(super) fn measure(
    runner: &mut Runner,
    condition: Condition,
    steady: Option<bool>,
    (method, limits): (&Method, Option<&Limits>),
    watcher: &dyn Watcher,
) -> Result<Option<Point>, EngineError> {
    let Runner { parameters, opened, state } = runner;
    let mut steps = Vec::new();
    let mut times: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let (mut events, mut single) = (Vec::new(), Vec::new());
    let mut halfway = None;
    let mut untimed_steps = 0;
    for _ in 0..method.repeats {
        if watcher.stop() {
            break;
        }
        let sample = sample(opened, state, method)?;
        steps.push(sample.step);
        untimed_steps += sample.untimed;
        for (name, time) in sample.passes {
            match times.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(time),
                None => times.push((name, vec![time])),
            }
        }
        events = sample.events;
        single.extend(events.chunk_by(|a, b| a.step == b.step).map(length));
        if halfway.is_none() {
            // The state at the beginning of the timed passes: the middle of all timed steps.
            opened.get().set_state(state)?;
            opened.get().advance(method.warm_up + method.steps)?;
            halfway = Some(opened.get().state()?);
        }
    }
    let (Some(step), Some(halfway)) = (Spread::of(&steps), halfway) else {
        return Ok(None);
    };
    let census = census(parameters, opened.get().numeric(), &halfway);
    let mut passes = Vec::new();
    for (name, times) in times {
        let cost = cost(opened, name, parameters, &census)?;
        passes.extend(Spread::of(&times).map(|time| Pass::new(name, time, cost, limits)));
    }
    let boids = state.boids.len() as u32;
    let candidates = census.candidates * f64::from(boids);
    let search = passes.iter().find(|pass| pass.name == SEARCH_PASS).map_or(step, |pass| pass.time);
    let [step_p95_ns, step_p99_ns] = [95, 99].map(|percent| percentile(&single, percent));
    Ok(Some(Point {
        boids,
        condition,
        at_step: state.step,
        steady,
        step,
        step_p95_ns,
        step_p99_ns,
        frame_ns: None,
        picture_ns: None,
        boid_ns: step.median / f64::from(boids.max(1)),
        candidate_ps: (candidates > 0.0).then(|| search.median * 1e3 / candidates),
        census,
        passes,
        untimed_steps,
        events,
    }))
}

/// Nanoseconds from the begin of a step's first pass to the end of its last.
fn length(step: &[PassEvent]) -> f64 {
    let begin = step.iter().map(|event| event.begin).fold(f64::INFINITY, f64::min);
    step.iter().map(|event| event.end).fold(f64::NEG_INFINITY, f64::max) - begin
}

/// The times of one repeat.
pub(super) struct Sample {
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
pub(super) fn sample(opened: &mut Opened, state: &State, method: &Method) -> Result<Sample, EngineError> {
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
/// `draw` draws so many pictures, each after so many steps, and waits for the end.
pub(super) fn frames(
    opened: &mut Opened,
    draw: &mut dyn FnMut(&mut Opened, u32, u32) -> Result<(), EngineError>,
    state: &State,
    method: &Method,
    watcher: &dyn Watcher,
) -> Result<[Option<Spread>; 2], EngineError> {
    let (mut frames, mut pictures) = (Vec::new(), Vec::new());
    for _ in 0..method.repeats {
        if watcher.stop() {
            break;
        }
        opened.get().set_state(state)?;
        for (steps, times) in [(1, &mut frames), (0, &mut pictures)] {
            // The first includes set-up costs; the second determines how many there is time for.
            draw(opened, steps, 1)?;
            let begun = Instant::now();
            draw(opened, steps, 1)?;
            let count = (PATIENCE / begun.elapsed().as_secs_f64()).clamp(1.0, f64::from(method.steps)) as u32;
            let begun = Instant::now();
            draw(opened, steps, count)?;
            times.push(begun.elapsed().as_nanos() as f64 / f64::from(count));
        }
    }
    Ok([&frames, &pictures].map(|times| Spread::of(times)))
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
pub(super) fn finish(opened: &mut Opened) -> Result<(), EngineError> {
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
pub(super) fn clock(opened: &Opened) -> Clock {
    match opened {
        Opened::Gpu(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::GpuFixed(engine) if engine.times_passes() => Clock::Timestamps,
        Opened::Gpu(_) | Opened::GpuFixed(_) | Opened::Rp2040(_) => Clock::WholeSteps,
        Opened::F32(_) | Opened::F64(_) | Opened::Fixed(_) => Clock::Wall,
    }
}

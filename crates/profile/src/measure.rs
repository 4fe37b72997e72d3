//! Times one flock.

use std::time::Instant;

use flock::Parameters;

use super::{
    Clock, Condition, Configuration, Method, Pass, Point, Profile, SEARCH_PASS, Spread, at_size, census,
    cost, percentile, settle,
};
use engine::{PassEvent, Result, State, add_to};
use engines::AnyEngine;
use files::{Failure, ProgressBar, interrupt};

/// An engine, its flock, and the state that each measurement begins with.
pub(super) struct Runner {
    pub parameters: Parameters,
    pub opened: AnyEngine,
    pub state: State,
    /// True if the flock became steady; `None` before [`Runner::settle`].
    pub steady: Option<bool>,
}

impl Runner {
    /// Opens an engine with the start of a flock.
    pub fn new(side: &Configuration, boids: u32) -> Result<Self, Failure> {
        let parameters = at_size(&side.flock, boids)?;
        side.device.check(&parameters)?;
        let state = State::try_start(&parameters)?;
        let opened = side.device.engine(&parameters, &state)?;
        Ok(Runner { parameters, opened, state, steady: None })
    }

    /// Steps the flock until it is steady, for at most `most` steps.
    pub fn settle(&mut self, most: u32) -> Result {
        self.opened.get().set_state(&self.state)?;
        self.steady = Some(settle(&mut self.opened, &self.parameters, most)?);
        self.state = self.opened.get().state()?;
        Ok(())
    }

    pub fn condition(&self) -> Condition {
        if self.steady.is_some() { Condition::Settled } else { Condition::Start }
    }
}

/// Calls `measure` on flocks of `boids` boids, one per side: at their starts and, unless `settle` is 0 or the program
/// is asked to end, once they have settled.
pub(super) fn at_both_ages(
    sides: &[Configuration],
    boids: u32,
    settle: u32,
    bar: &ProgressBar,
    mut measure: impl FnMut(&mut [Runner]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let say = |what: &str| bar.set_message(format!("flocks; {boids} boids, {what}"));
    say("start");
    let mut runners = sides.iter().map(|side| Runner::new(side, boids)).collect::<Result<Vec<_>, _>>()?;
    measure(&mut runners)?;
    bar.inc(1);
    if settle == 0 || interrupt::asked() {
        return Ok(());
    }
    say("settling");
    for k in 0..runners.len() {
        if k > 0 && runners[k].parameters == runners[0].parameters {
            // Both step the same settled state.
            (runners[k].state, runners[k].steady) = (runners[0].state.clone(), runners[0].steady);
        } else {
            runners[k].settle(settle)?;
        }
    }
    if interrupt::asked() {
        return Ok(());
    }
    say("settled");
    measure(&mut runners)?;
    bar.inc(1);
    Ok(())
}

/// Times a flock by the method of a profile; none if it is to stop before the first repeat is complete.
pub(super) fn measure(runner: &mut Runner, profile: &Profile) -> Result<Option<Point>> {
    let (method, limits, condition) = (&profile.method, profile.limits.as_ref(), runner.condition());
    let samples = in_turns(std::slice::from_mut(runner), method)?;
    let samples: Vec<&Sample> = samples.iter().flatten().collect();
    let spread = |pass| Spread::of(&samples.iter().filter_map(|sample| sample.of(pass)).collect::<Vec<_>>());
    let (Some(step), Some(last)) = (spread(None), samples.last()) else { return Ok(None) };
    let Runner { parameters, opened, state, steady } = runner;
    // The state at the beginning of the timed passes: the middle of all timed steps.
    opened.get().set_state(state)?;
    opened.get().advance(method.warm_up + method.steps)?;
    let halfway = opened.get().state()?;
    let census = census(parameters, &halfway);
    let mut passes = Vec::new();
    for name in last.times.iter().filter_map(|(name, _)| *name) {
        let cost = cost(opened, name, parameters, &census)?;
        passes.extend(spread(Some(name)).map(|time| Pass::new(name, time, cost, limits)));
    }
    let boids = state.boids.len() as u32;
    let candidates = census.candidates * f64::from(boids);
    let search = passes.iter().find(|pass| pass.name == SEARCH_PASS).map_or(step, |pass| pass.time);
    let single: Vec<f64> = samples.iter().flat_map(|sample| &sample.lengths).copied().collect();
    let [step_p95_ns, step_p99_ns] = [95, 99].map(|percent| percentile(&single, percent));
    Ok(Some(Point {
        boids,
        condition,
        at_step: state.step,
        steady: *steady,
        step,
        step_p95_ns,
        step_p99_ns,
        frame_ns: None,
        picture_ns: None,
        boid_ns: step.median / f64::from(boids.max(1)),
        candidate_ps: (candidates > 0.0).then(|| search.median * 1e3 / candidates),
        census,
        passes,
        untimed_steps: samples.iter().map(|sample| sample.untimed).sum(),
        events: last.events.clone(),
    }))
}

/// Seconds of untimed steps before the first repeat: an idle card runs at a fraction of its clock.
const LEAD: f64 = 0.2;

/// Times each engine once a repeat; every other repeat begins with the last engine.
pub(super) fn in_turns(runners: &mut [Runner], method: &Method) -> Result<Vec<Vec<Sample>>> {
    for Runner { opened, .. } in runners.iter_mut() {
        let begun = Instant::now();
        while begun.elapsed().as_secs_f64() < LEAD {
            opened.get().advance(1)?;
            finish(opened)?;
        }
    }
    let mut turns: Vec<Vec<Sample>> = Vec::new();
    for turn in 0..method.repeats {
        if interrupt::asked() {
            break;
        }
        // The events of earlier turns are not needed.
        turns.iter_mut().flatten().for_each(|sample| sample.events = Vec::new());
        let timed = runners.iter_mut().map(|runner| sample(&mut runner.opened, &runner.state, method));
        turns.push(if turn % 2 == 0 {
            timed.collect::<Result<_>>()?
        } else {
            let mut samples = timed.rev().collect::<Result<Vec<_>>>()?;
            samples.reverse();
            samples
        });
    }
    Ok(turns)
}

/// A timed pass; `None` for whole steps.
pub(super) type PassName = Option<&'static str>;

/// The times of one repeat.
#[derive(Default)]
pub(super) struct Sample {
    /// Nanoseconds per step: of whole steps by the wall clock, then of each pass, over the steps with pass times.
    pub times: Vec<(PassName, f64)>,
    /// Nanoseconds of each step with pass times, from the begin of its first pass to the end of its last.
    pub lengths: Vec<f64>,
    /// Steps without pass times.
    pub untimed: u32,
    pub events: Vec<PassEvent>,
}

impl Sample {
    /// Nanoseconds of a pass, or of whole steps.
    pub fn of(&self, pass: PassName) -> Option<f64> {
        self.times.iter().find(|(known, _)| *known == pass).map(|(_, time)| *time)
    }
}

/// Loads the state and warms up; times steps as a whole, then as many steps pass by pass.
fn sample(opened: &mut AnyEngine, state: &State, method: &Method) -> Result<Sample> {
    opened.get().set_state(state)?;
    opened.get().advance(method.warm_up)?;
    finish(opened)?;
    let begun = Instant::now();
    opened.get().advance(method.steps)?;
    finish(opened)?;
    let step = begun.elapsed().as_nanos() as f64 / f64::from(method.steps);
    let events = timed(opened, method.steps)?;
    // Events are in the order of steps.
    let length = |step: &[PassEvent]| {
        let begin = step.iter().map(|event| event.begin).fold(f64::INFINITY, f64::min);
        step.iter().map(|event| event.end).fold(f64::NEG_INFINITY, f64::max) - begin
    };
    let lengths: Vec<f64> = events.chunk_by(|a, b| a.step == b.step).map(length).collect();
    let timed = lengths.len() as u32;
    let mut times = vec![(None, step)];
    for event in &events {
        add_to(&mut times, Some(event.pass), (event.end - event.begin) / f64::from(timed));
    }
    Ok(Sample { times, lengths, untimed: method.steps.saturating_sub(timed), events })
}

/// Seconds of one repeat of slow frames.
const PATIENCE: f64 = 0.25;

/// Nanoseconds per frame (a step, then its picture, as in a window, without waiting in between), and nanoseconds per
/// picture of an unchanged flock. A repeat has as many frames as `method` has steps, or fewer if they are slow.
/// `draw(opened, steps, pictures)` draws the pictures, each after `steps` steps, and waits for the end.
pub(super) fn frames(
    opened: &mut AnyEngine,
    draw: &mut dyn FnMut(&mut AnyEngine, u32, u32) -> Result,
    state: &State,
    method: &Method,
) -> Result<[Option<Spread>; 2]> {
    let (mut frames, mut pictures) = (Vec::new(), Vec::new());
    for _ in 0..method.repeats {
        if interrupt::asked() {
            break;
        }
        opened.get().set_state(state)?;
        for (steps, times) in [(1, &mut frames), (0, &mut pictures)] {
            // The first frame includes set-up costs; the second determines the number of frames.
            draw(opened, steps, 1)?;
            let second = Instant::now();
            draw(opened, steps, 1)?;
            let count =
                (PATIENCE / second.elapsed().as_secs_f64()).clamp(1.0, f64::from(method.steps)) as u32;
            let begun = Instant::now();
            draw(opened, steps, count)?;
            times.push(begun.elapsed().as_nanos() as f64 / f64::from(count));
        }
    }
    Ok([&frames, &pictures].map(|times| Spread::of(times)))
}

/// Steps with every pass timed; returns the passes, none of an engine that cannot time them.
fn timed(opened: &mut AnyEngine, steps: u32) -> Result<Vec<PassEvent>> {
    let Some(engine) = opened.timed() else {
        opened.get().advance(steps)?;
        return Ok(Vec::new());
    };
    engine.time_every_step(true)?;
    engine.advance(steps)?;
    let events = engine.take_events()?;
    engine.time_every_step(false)?;
    Ok(events)
}

/// Waits for all submitted steps.
pub(super) fn finish(opened: &mut AnyEngine) -> Result {
    opened.timed().map_or(Ok(()), |engine| engine.take_events().map(drop))
}

/// The clock that an engine's passes are timed by.
pub(super) fn clock(opened: &AnyEngine) -> Clock {
    match opened {
        AnyEngine::Gpu(engine) if engine.times_passes() => Clock::Timestamps,
        AnyEngine::GpuFixed(engine) if engine.times_passes() => Clock::Timestamps,
        AnyEngine::Gpu(_) | AnyEngine::GpuFixed(_) | AnyEngine::Rp2040(_) => Clock::WholeSteps,
        AnyEngine::Cpu(_) => Clock::Wall,
    }
}

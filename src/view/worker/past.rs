//! The last seconds of a flock. A state is kept now and then, with all that is done to the flock after it: so every step since
//! the oldest state is flown again, to the same bits.

use std::collections::VecDeque;
use std::time::Duration;

use flock::{Boid, Parameters};

use cpu::engine::{Engine, Result};
use cpu::state::State;

/// Bytes that the states may take. A page has less memory.
pub const BUDGET: usize = if cfg!(target_arch = "wasm32") { 64 << 20 } else { 128 << 20 };
/// How far back they reach, where there is room for two at least.
const SPAN: Duration = Duration::from_secs(15);
/// The most states.
const MOST: usize = 60;
/// The most changes: a hand that never rests must not fill the memory.
const CHANGES: usize = 4096;

/// What is done to a flock in flight.
#[derive(Clone, Debug)]
pub enum Change {
    Parameters(Box<Parameters>),
    Steer(usize, [f32; 3]),
}

impl Change {
    fn make(&self, engine: &mut dyn Engine, parameters: &mut Parameters) -> Result {
        match self {
            Change::Parameters(new) => {
                engine.set_parameters(new)?;
                *parameters = **new;
            }
            Change::Steer(index, position) => engine.steer_predator(*index, *position),
        }
        Ok(())
    }
}

/// A state that is kept, and the parameters by which it was stepped.
#[derive(Debug)]
struct Moment {
    state: State,
    parameters: Parameters,
}

/// The states and the changes since the oldest, in the order of their steps.
#[derive(Debug, Default)]
pub struct Past {
    moments: VecDeque<Moment>,
    changes: VecDeque<(u64, Change)>,
    /// While an earlier step is shown: the newest one, and the parameters by which the flock will fly on.
    away: Option<(u64, Parameters)>,
}

impl Past {
    /// How many states of so many boids are kept.
    fn room(boids: usize) -> usize {
        (BUDGET / (size_of::<Boid<f64>>() * boids.max(1))).min(MOST)
    }

    /// The time from one state to the next; none where the flock is too large to keep one, or an earlier step is shown.
    pub fn interval(&self, boids: u32) -> Option<Duration> {
        SPAN.checked_div(Self::room(boids as usize) as u32).filter(|_| self.away.is_none())
    }

    /// Keeps a state; the oldest goes where there is no room.
    pub fn keep(&mut self, state: State, parameters: Parameters) {
        let room = Self::room(state.boids.len()).max(1);
        self.moments.drain(..(self.moments.len() + 1).saturating_sub(room));
        self.moments.push_back(Moment { state, parameters });
        let oldest = self.moments[0].state.step;
        self.changes.drain(..self.changes.partition_point(|(step, _)| *step < oldest));
    }

    /// The oldest step that can be shown, and the newest.
    pub fn span(&self, here: u64) -> [u64; 2] {
        let oldest = self.moments.front().map_or(here, |moment| moment.state.step);
        [oldest, self.away.as_ref().map_or(here, |(newest, _)| *newest)]
    }

    /// Changes the flock, and notes it. One that shows an earlier step will fly on by the new parameters.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn change(&mut self, engine: &mut dyn Engine, parameters: &mut Parameters, change: Change) -> Result {
        if let Some((_, next)) = &mut self.away {
            if let Change::Parameters(new) = change {
                *next = *new;
            }
            return Ok(());
        }
        change.make(engine, parameters)?;
        if self.changes.len() == CHANGES {
            *self = Past::default();
        }
        if !self.moments.is_empty() {
            self.changes.push_back((engine.step_number(), change));
        }
        Ok(())
    }

    /// Sets out for a step: goes back to the last state before it, unless the flock stands between the two. Returns the step,
    /// within what can be shown, and the state where it went back to one.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn seek(
        &mut self,
        engine: &mut dyn Engine,
        parameters: &mut Parameters,
        step: u64,
    ) -> Result<(u64, Option<&State>)> {
        let here = engine.step_number();
        let [oldest, newest] = self.span(here);
        let goal = step.max(oldest).min(newest);
        let Some(moment) = self.moments.iter().rev().find(|moment| moment.state.step <= goal) else {
            return Ok((here, None));
        };
        self.away.get_or_insert((newest, *parameters));
        if (moment.state.step..=goal).contains(&here) {
            return Ok((goal, None));
        }
        // Parameters first, as at a start.
        engine.set_parameters(&moment.parameters)?;
        engine.set_state(&moment.state)?;
        *parameters = moment.parameters;
        Ok((goal, Some(&moment.state)))
    }

    /// Makes the changes again that were made before the next step.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn repeat(&self, engine: &mut dyn Engine, parameters: &mut Parameters) -> Result {
        let here = engine.step_number();
        let mut changes = self.changes.iter().filter(|(step, _)| self.away.is_some() && *step == here);
        changes.try_for_each(|(_, change)| change.make(engine, parameters))
    }

    /// Flies on from the step that is shown: what came after it is forgotten.
    ///
    /// # Errors
    /// When the engine refuses the parameters.
    pub fn leave(&mut self, engine: &mut dyn Engine, parameters: &mut Parameters) -> Result {
        let Some((_, next)) = self.away.take() else { return Ok(()) };
        let here = engine.step_number();
        self.moments.retain(|moment| moment.state.step <= here);
        self.changes.retain(|(step, _)| *step < here);
        if next == *parameters {
            return Ok(());
        }
        self.change(engine, parameters, Change::Parameters(Box::new(next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_flock_keeps_fewer_states_farther_apart() {
        let past = Past::default();
        let seconds = |boids| past.interval(boids).map(|time| time.as_secs_f64());
        assert_eq!([seconds(0), seconds(5_000), seconds(1_000_000)], [Some(0.25), Some(0.25), Some(7.5)]);
        assert!(
            seconds(100_000).is_some_and(|time| (0.5..1.0).contains(&time)) && seconds(3_000_000).is_none()
        );
    }

    #[test]
    fn the_oldest_states_go_with_what_was_done_before_them() {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 5;
        let start = State::start(&parameters);
        let mut engine = cpu::open_as::<f32>(&parameters, &start, Some(1)).expect("a thread");
        let (mut past, mut held) = (Past::default(), parameters);
        // Before the first state there is nothing to fly again from.
        past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        assert!(past.changes.is_empty() && past.span(0) == [0, 0]);
        for _ in 0..MOST + 7 {
            engine.advance(1).expect("a step");
            past.keep(engine.state().expect("finite"), held);
            past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        }
        let newest = MOST as u64 + 7;
        assert_eq!((past.span(newest), past.moments.len(), past.changes.len()), ([8, newest], MOST, MOST));
        // An earlier step is shown, within what there is; flying on forgets what came later.
        let (goal, state) = past.seek(&mut *engine, &mut held, 3).expect("restored");
        assert_eq!((goal, state.map(|state| state.step), engine.step_number()), (8, Some(8), 8));
        assert_eq!((past.span(8), past.interval(5)), ([8, newest], None));
        past.seek(&mut *engine, &mut held, 20).expect("restored");
        past.leave(&mut *engine, &mut held).expect("free");
        assert_eq!((past.span(20), past.changes.len()), ([8, 20], 12));
        // A hand that never rests.
        for _ in 0..CHANGES {
            past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        }
        assert_eq!((past.span(20), past.changes.len()), ([20, 20], 0));
    }
}

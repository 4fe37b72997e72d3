//! The last seconds of a flock. States are kept at intervals, with all changes to the flock after them, so that every
//! step since the oldest state can be repeated with the same bits.

use std::collections::VecDeque;
use std::time::Duration;

use flock::{Boid, Parameters};

use engine::{Engine, Result, State};

/// Maximum size of all states in bytes. A page has less memory.
pub const BUDGET: usize = if cfg!(target_arch = "wasm32") { 64 << 20 } else { 128 << 20 };
/// Time covered by the states, if at least two fit.
const SPAN: Duration = Duration::from_secs(15);
/// Maximum number of states.
const MAX: usize = 60;
/// Maximum number of changes: continuous input must not fill the memory.
const CHANGES: usize = 4096;

/// A change to a flock in flight.
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
                Ok(())
            }
            Change::Steer(index, position) => engine.steer_predator(*index, *position),
        }
    }
}

/// A kept state, with the parameters of its steps.
#[derive(Debug)]
struct Moment {
    state: State,
    parameters: Parameters,
}

/// The states, and the changes since the oldest one, in the order of their steps.
#[derive(Debug, Default)]
pub struct Past {
    moments: VecDeque<Moment>,
    changes: VecDeque<(u64, Change)>,
    /// While an earlier step is shown: the newest step, and the parameters with which the flock will continue.
    away: Option<(u64, Parameters)>,
}

impl Past {
    /// Number of states of this number of boids that fit.
    fn room(boids: usize) -> usize {
        (BUDGET / (size_of::<Boid<f64>>() * boids.max(1))).min(MAX)
    }

    /// Interval between states; `None` if the flock is too large to keep one, or an earlier step is shown.
    pub fn interval(&self, boids: u32) -> Option<Duration> {
        SPAN.checked_div(Self::room(boids as usize) as u32).filter(|_| self.away.is_none())
    }

    /// Adds a state; the oldest is dropped if there is no room.
    pub fn keep(&mut self, state: State, parameters: Parameters) {
        let room = Self::room(state.boids.len()).max(1);
        self.moments.drain(..(self.moments.len() + 1).saturating_sub(room));
        self.moments.push_back(Moment { state, parameters });
        let oldest = self.moments[0].state.step;
        self.changes.drain(..self.changes.partition_point(|(step, _)| *step < oldest));
    }

    /// The oldest and the newest step that can be shown.
    pub fn span(&self, here: u64) -> [u64; 2] {
        let oldest = self.moments.front().map_or(here, |moment| moment.state.step);
        [oldest, self.away.as_ref().map_or(here, |(newest, _)| *newest)]
    }

    /// Changes the flock, and records the change. While an earlier step is shown, parameters apply on continuing.
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

    /// Prepares to show a step: restores the last state before it, unless the flock is between the two. Returns the
    /// step, clamped to the span, and the state if one was restored.
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
        // Parameters first, as in a restart.
        engine.set_parameters(&moment.parameters)?;
        engine.set_state(&moment.state)?;
        *parameters = moment.parameters;
        Ok((goal, Some(&moment.state)))
    }

    /// Repeats the changes that were made before the next step.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn repeat(&self, engine: &mut dyn Engine, parameters: &mut Parameters) -> Result {
        let here = engine.step_number();
        let mut changes = self.changes.iter().filter(|(step, _)| self.away.is_some() && *step == here);
        changes.try_for_each(|(_, change)| change.make(engine, parameters))
    }

    /// Continues from the shown step, and drops what came after it.
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
        // Before the first state, changes are not recorded.
        past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        assert!(past.changes.is_empty() && past.span(0) == [0, 0]);
        for _ in 0..MAX + 7 {
            engine.advance(1).expect("a step");
            past.keep(engine.state().expect("finite"), held);
            past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        }
        let newest = MAX as u64 + 7;
        assert_eq!((past.span(newest), past.moments.len(), past.changes.len()), ([8, newest], MAX, MAX));
        // An earlier step is shown, clamped to the span; continuing drops the later ones.
        let (goal, state) = past.seek(&mut *engine, &mut held, 3).expect("restored");
        assert_eq!((goal, state.map(|state| state.step), engine.step_number()), (8, Some(8), 8));
        assert_eq!((past.span(8), past.interval(5)), ([8, newest], None));
        past.seek(&mut *engine, &mut held, 20).expect("restored");
        past.leave(&mut *engine, &mut held).expect("free");
        assert_eq!((past.span(20), past.changes.len()), ([8, 20], 12));
        // Continuous input.
        for _ in 0..CHANGES {
            past.change(&mut *engine, &mut held, Change::Steer(0, [1.0; 3])).expect("steered");
        }
        assert_eq!((past.span(20), past.changes.len()), ([20, 20], 0));
    }
}

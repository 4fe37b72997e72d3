//! The operations of every engine.

use std::ops::AddAssign;

use flock::formula::Prepared;
use flock::{Boid, Parameters, Rule, fixed};

use crate::{EngineError, NumberType, Numeric, Result, State, error};

/// An engine holds a flock and steps it. Parameters and flock may be replaced between any two steps.
pub trait Engine {
    /// Engine, device and number type, for people.
    fn describe(&self) -> String;

    /// The number type it computes in.
    fn numeric(&self) -> Numeric;

    /// Number of boids.
    fn boids(&self) -> u32;

    /// The step the flock stands at.
    fn step_number(&self) -> u64;

    /// Advances the flock by `steps` steps.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn advance(&mut self, steps: u32) -> Result;

    /// Advances the flock while the boid with id k also requests `requests[k]` in each step, a velocity in users'
    /// units, z zero in two dimensions. There is one request for each boid, or none at all.
    ///
    /// # Errors
    /// Also when the engine does not support requests.
    fn advance_by(&mut self, requests: &[[f64; 3]], steps: u32) -> Result {
        if requests.is_empty() {
            return self.advance(steps);
        }
        Err(EngineError::Refused(format!("{} does not support accelerations", self.describe())))
    }

    /// The whole state in id order.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn state(&mut self) -> Result<State>;

    /// Writes one vector of each boid, the boid with id k at index k; slices shorter than the flock take its beginning.
    ///
    /// # Errors
    /// See [`Engine::state`], which may have to be read as a whole.
    fn vectors(&mut self, of: VectorOf, into: Vectors<'_>) -> Result {
        let state = self.state()?;
        let vectors = state.boids.iter().map(|boid| of.read(boid));
        match into {
            Vectors::F32(all) => all.iter_mut().zip(vectors).for_each(|(to, v)| *to = v.map(|c| c as f32)),
            Vectors::F64(all) => all.iter_mut().zip(vectors).for_each(|(to, v)| *to = v),
        }
        Ok(())
    }

    /// The flock's fingerprint: see [`State::hash`].
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn hash(&mut self) -> Result<u64>;

    /// Replaces the flock; the new one may have any size.
    ///
    /// # Errors
    /// When it does not fit the device; the engine then keeps the old flock.
    fn set_state(&mut self, state: &State) -> Result;

    /// Steps by other parameters from now on. The boids stay as they are: `flock.*` describes starts only, except for
    /// the number of dimensions. Predators are added or removed to match the new count.
    ///
    /// # Errors
    /// When the device cannot do it.
    fn set_parameters(&mut self, parameters: &Parameters) -> Result;

    /// Moves a predator that is steered by hand. An index out of range is ignored.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result;
}

/// An engine that can time the passes of its steps.
pub trait Timed: Engine {
    /// Turns the timing of every step on or off; [`Timed::take_events`] returns the times of its passes.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn time_every_step(&mut self, on: bool) -> Result;

    /// The passes of timed steps since the last call, in the order of their dispatches; waits for the steps in flight.
    /// Empty on a device that cannot time passes, and for batches with more dispatches than can be timed.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn take_events(&mut self) -> Result<Vec<PassEvent>>;

    /// The least bytes that a pass moves in a step: each array that it reads, once, and each that it writes, once. Zero
    /// if not known.
    ///
    /// # Errors
    /// When there is no such pass.
    fn traffic(&self, pass: &str) -> Result<u64>;
}

flock::named! {
    /// A vector that each boid has.
    VectorOf {
        Position = "position",
        Velocity = "velocity",
    }
}

impl VectorOf {
    /// The vector of a boid.
    pub fn read<T: Copy>(self, boid: &Boid<T>) -> [T; 3] {
        match self {
            VectorOf::Position => boid.position,
            VectorOf::Velocity => boid.velocity,
        }
    }

    /// The vector of a boid, mutable.
    pub fn of<T>(self, boid: &mut Boid<T>) -> &mut [T; 3] {
        match self {
            VectorOf::Position => &mut boid.position,
            VectorOf::Velocity => &mut boid.velocity,
        }
    }
}

/// The output of [`Engine::vectors`].
#[derive(Debug)]
pub enum Vectors<'a> {
    F32(&'a mut [[f32; 3]]),
    F64(&'a mut [[f64; 3]]),
}

/// A flock in memory as a drawing pass reads it, in the order of the last step.
#[derive(Clone, Debug, Default)]
pub struct HostInstances {
    /// x, y, z, bias.
    pub position: Vec<[f32; 4]>,
    /// x, y, z, then −1 for a perched boid, else the number of boids that it perceived in that step.
    pub velocity: Vec<[f32; 4]>,
    /// Id, and [`flock::Boid::tag`].
    pub tag: Vec<[u32; 2]>,
}

/// The times of a pass of a step, in nanoseconds on a clock of the engine's own.
#[derive(Clone, Debug, PartialEq)]
pub struct PassEvent {
    pub pass: &'static str,
    /// The step that it belongs to, counted from the flock's first.
    pub step: u64,
    pub begin: f64,
    pub end: f64,
}

/// Adds a number to the sum of a key; a new key is appended.
pub fn add_to<K: PartialEq, N: AddAssign>(sums: &mut Vec<(K, N)>, key: K, number: N) {
    match sums.iter_mut().find(|(known, _)| *known == key) {
        Some((_, sum)) => *sum += number,
        None => sums.push((key, number)),
    }
}

/// The rule of an engine, with the formulas of its terms ready for a step.
#[derive(Clone, Debug)]
pub struct PreparedRule<T: NumberType> {
    pub rule: Rule<T>,
    /// None if there are no terms.
    pub formulas: Option<Box<Prepared<T>>>,
}

/// The rule of the parameters for a number of boids.
///
/// # Errors
/// When the parameters or their terms do not fit the number type.
pub fn rule<T: NumberType>(parameters: &Parameters, boids: usize) -> Result<PreparedRule<T>> {
    let mut parameters = *parameters;
    parameters.flock.boids = boids as u32;
    Rule::<T>::check_world(&parameters)
        .map_err(|refused| EngineError::EmptyWorld(error::line(&parameters, &refused)))?;
    if T::NUMERIC == Numeric::Fixed {
        fixed::check(&parameters)
            .map_err(|refused| EngineError::Refused(error::line(&parameters, &refused)))?;
    }
    let rule = Rule::new(&parameters);
    let formulas = Prepared::new(&rule)?.map(Box::new);
    Ok(PreparedRule { rule, formulas })
}

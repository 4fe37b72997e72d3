//! A flock as it travels between engines, files and reports: in id order, every number widened to f64, which is
//! exact for f32. And the number types of engines.

use flock::{Boid, Fixed, Number, Parameters, Predator, Rule, fixed, hash, start};
use rayon::prelude::*;

use crate::memory;
use crate::{EngineError, Result};

flock::named! {
    /// The number type an engine computes in.
    #[derive(Default)]
    Numeric {
        #[default]
        F32 = "f32",
        F64 = "f64",
        /// Integers: the same bits on every engine.
        Fixed = "fixed",
    }
}

/// A number type of engines.
pub trait NumberType: Number {
    /// Its name.
    const NUMERIC: Numeric;
}

impl NumberType for f32 {
    const NUMERIC: Numeric = Numeric::F32;
}

impl NumberType for f64 {
    const NUMERIC: Numeric = Numeric::F64;
}

impl NumberType for Fixed {
    const NUMERIC: Numeric = Numeric::Fixed;
}

/// A flock between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The step the flock stands at; noise and predators see it.
    pub step: u64,
    /// The boid with id k at index k.
    pub boids: Vec<Boid<f64>>,
    pub predators: Vec<Predator<f64>>,
}

/// Approximate bytes per boid: 64 in a state, twice that in an engine that computes in f64, and its entries in the grid.
const BYTES: usize = 256;

impl State {
    /// The seeded start at step 0.
    pub fn start(parameters: &Parameters) -> Self {
        State {
            step: 0,
            boids: (0..parameters.flock.boids)
                .into_par_iter()
                .map(|id| start::boid(parameters, id))
                .collect(),
            predators: (0..parameters.predators.count)
                .map(|index| start::predator(parameters, index))
                .collect(),
        }
    }

    /// Like [`State::start`], but checks first that memory has room for the state and for an engine, `BYTES` per boid.
    ///
    /// # Errors
    /// When memory has no room.
    pub fn try_start(parameters: &Parameters) -> Result<Self> {
        Self::check_capacity(parameters.flock.boids)?;
        Ok(Self::start(parameters))
    }

    /// Checks that memory has room for a state of `boids` boids and for an engine, `BYTES` per boid.
    ///
    /// # Errors
    /// When memory has no room.
    pub fn check_capacity(boids: u32) -> Result {
        let mut room: Vec<[u8; BYTES]> = Vec::new();
        memory::try_reserve(&mut room, boids as usize).map_err(|_| EngineError::Device {
            device: "out of memory".to_owned(),
            what: format!("flock.boids = {boids} is too many"),
        })
    }

    /// The state, if all its numbers are finite: no engine hands out another.
    ///
    /// # Errors
    /// Names the first boid, else the first predator, that has a number that is not.
    pub fn finite(self, numeric: Numeric) -> Result<Self> {
        let lost = |position: &[f64; 3], velocity: &[f64; 3]| {
            !position.iter().chain(velocity).all(|number| number.is_finite())
        };
        let which = if let Some(id) = self.boids.par_iter().position_first(|b| lost(&b.position, &b.velocity))
        {
            format!("boid {id}")
        } else if let Some(id) = self.predators.iter().position(|p| lost(&p.position, &p.velocity)) {
            format!("predator {id}")
        } else {
            return Ok(self);
        };
        Err(EngineError::NotFinite { which, step: self.step, numeric: numeric.name() })
    }

    /// The largest coordinate or velocity from which an engine of this number type can continue: in floating point its
    /// square is far below the largest f32; in integers it is half a word, which no boid leaves.
    pub fn largest_number(numeric: Numeric, parameters: &Parameters) -> f64 {
        match numeric {
            Numeric::Fixed => 1024.0 / fixed::unit(parameters),
            Numeric::F32 | Numeric::F64 => 1e15,
        }
    }

    /// The flock's fingerprint in the number type of its engine: boids only. The parameters are those it is stepped by:
    /// in integers they set the scale of a number.
    pub fn hash(&self, numeric: Numeric, parameters: &Parameters) -> u64 {
        let integers = (numeric == Numeric::Fixed).then(|| self.rule::<Fixed>(parameters));
        let of_boid = |(id, boid): (usize, &Boid<f64>)| match (&integers, numeric) {
            (Some(rule), _) => hash::boid(id as u32, &rule.quantise(boid)),
            (None, Numeric::F32) => hash::boid(id as u32, &boid.convert::<f32>()),
            (None, _) => hash::boid(id as u32, boid),
        };
        self.boids.par_iter().enumerate().map(of_boid).reduce(|| 0, u64::wrapping_add)
    }

    /// The rule of the parameters for the number of boids in this state, from which integers derive the range of sums.
    pub fn rule<T: Number>(&self, parameters: &Parameters) -> Rule<T> {
        let mut parameters = *parameters;
        parameters.flock.boids = self.boids.len() as u32;
        Rule::new(&parameters)
    }
}

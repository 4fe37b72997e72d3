//! The first difference of two states.

use std::fmt;

use serde::Serialize;

use engine::State;

/// A number that differs from the expected one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// The step after which it was found.
    pub step: u64,
    /// The id of the boid, if the number belongs to one.
    pub boid: Option<usize>,
    pub quantity: String,
    pub found: String,
    pub expected: String,
}

impl Divergence {
    /// The divergence of a number of the flock.
    pub fn new(step: u64, quantity: &str, found: impl ToString, expected: impl ToString) -> Self {
        let (quantity, found, expected) = (quantity.to_owned(), found.to_string(), expected.to_string());
        Divergence { step, boid: None, quantity, found, expected }
    }

    /// A divergence in the hash of the flock.
    pub fn of_hash(step: u32, quantity: &str, found: u64, expected: u64) -> Self {
        Divergence::new(step.into(), quantity, format!("{found:016x}"), format!("{expected:016x}"))
    }

    /// A divergence in one number of a boid.
    pub fn of_boid(step: u64, id: usize, found: (&str, f64), expected: (&str, f64)) -> Self {
        Divergence { boid: Some(id), ..Divergence::new(step, found.0, found.1, expected.1) }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, ", self.step)?;
        if let Some(boid) = self.boid {
            write!(f, "boid {boid}, ")?;
        }
        write!(f, "{}: {} instead of {}", self.quantity, self.found, self.expected)
    }
}

/// The numbers of a boid by name.
pub fn quantities(boid: &flock::Boid<f64>) -> [(&'static str, f64); 9] {
    let ([x, y, z], [u, v, w]) = (boid.position, boid.velocity);
    [
        ("position x", x),
        ("position y", y),
        ("position z", z),
        ("velocity x", u),
        ("velocity y", v),
        ("velocity z", w),
        ("bias", boid.bias),
        ("group", f64::from(boid.group)),
        ("rest", f64::from(boid.rest)),
    ]
}

/// The first boid and number of which two states have different bits.
pub fn first(found: &State, expected: &State) -> Option<Divergence> {
    if found.boids.len() != expected.boids.len() {
        let [a, b] = [found, expected].map(|state| state.boids.len());
        return Some(Divergence::new(found.step, "number of boids", a, b));
    }
    let step = found.step;
    let mut pairs = found.boids.iter().zip(&expected.boids).enumerate();
    pairs.find_map(|(id, (found, expected))| {
        let mut both = quantities(found).into_iter().zip(quantities(expected));
        let (a, b) = both.find(|(a, b)| a.1.to_bits() != b.1.to_bits())?;
        Some(Divergence::of_boid(step, id, a, b))
    })
}

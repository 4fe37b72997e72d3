//! Flocking models as plain formulas, for programs elsewhere (docs/reference.md): starts, the numbers after some steps,
//! the bound within which any program's number in f64 must lie, and the mistakes that would give a program's numbers.
//!
//! It knows the arithmetic of `conform`'s bounds, and no engine and no rule: it is a second implementation, by brute
//! force, and its tests compare it with the engines. Begin with `models.rs`; to add a model, write its row and its
//! formula there, and its files beside `src/`.

mod check;
mod mistakes;
mod models;
mod number;

pub use check::{Check, Computed, Difference, STEPS, at, check, model, table};
pub use mistakes::Mistake;
pub use models::{MODELS, Model, Reached, after};
pub use number::Vector;

use flock::Vec3;
use number::exact;

/// A boid.
#[derive(Clone, Copy, Debug)]
pub struct Bird {
    pub position: Vector,
    pub velocity: Vector,
}

/// The start of a flock.
#[derive(Debug)]
pub struct Start {
    /// The folder of its files, below that of the model.
    pub folder: &'static str,
    /// The file `start.csv` in it.
    pub text: &'static str,
}

/// The starts of a model: one that a person can follow, and one with many boids.
macro_rules! starts {
    ($name:literal) => {
        [
            Start { folder: "small", text: include_str!(concat!("../", $name, "/small/start.csv")) },
            Start { folder: "full", text: include_str!(concat!("../", $name, "/full/start.csv")) },
        ]
    };
}
use starts;

impl Start {
    /// The boids in the order of their ids.
    pub fn birds(&self) -> Vec<Bird> {
        self.text.lines().skip(1).map(bird).collect()
    }
}

/// The boid of a row: id, position, velocity.
fn bird(row: &str) -> Bird {
    let mut numbers = row.split(',').skip(1).map(|cell| exact(cell.parse().unwrap_or(f64::NAN)));
    let mut vector = || {
        let mut next = || numbers.next().unwrap_or(exact(f64::NAN));
        Vec3::new(next(), next(), next())
    };
    Bird { position: vector(), velocity: vector() }
}

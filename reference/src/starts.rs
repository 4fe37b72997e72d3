//! The starts of the models, as their files say.

use flock::Vec3;

use crate::number::{Vector, exact};

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
pub(crate) use starts;

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

//! Flocking models as plain formulas, for programs elsewhere (docs/reference.md): starts, the numbers after some steps,
//! the bound within which any program's number in f64 must lie, and the mistakes that would give a program's numbers.
//!
//! It knows the arithmetic of `conform`'s bounds, and no engine and no rule: it is a second implementation, by brute
//! force, and its tests compare it with the engines. Begin with `models.rs`; to add a model, write its row and its
//! formula there, and its files beside `src/`.

mod check;
mod models;
mod number;

pub use check::{Check, Computed, Difference, STEPS, at, check, model, table};
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

/// A way in which programs differ from a model: made on purpose, its numbers are compared with those of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Offsets across an edge are not the shortest.
    UnwrappedOffsets,
    /// Boids leave the world.
    UnwrappedPositions,
    /// A remainder wraps positions, and keeps those below zero.
    SignedRemainder,
    /// Nothing turns boids at the edges.
    NoTurn,
    /// A boid perceives all in its cell of the grid and in those around it.
    WholeCells,
    /// Neighbours are those whose distance along each axis is below the radius.
    Square,
    /// The greater of the distances along the axes is the distance, also in separation.
    SquareDistance,
    /// A boid is its own neighbour, or, where it should be, is not.
    Itself,
    /// Boids read the new state of those with lower ids.
    InTurn,
    /// Boids read the new velocities of those with lower ids, and the old positions of all.
    TurnInTurn,
    /// Positions move by the velocity before the step.
    OldVelocity,
    /// Separation acts on all whom a boid perceives.
    WideSeparation,
    /// Alignment and cohesion act also on those who are too near.
    NotExclusive,
    /// Separation is divided by its number of neighbours.
    MeanSeparation,
    /// Sums are not divided by the number of neighbours.
    NotAveraged,
    /// Alignment subtracts the boid's own velocity, or, where it should, does not.
    OwnVelocity,
    /// Separation has the opposite sign.
    SeparationSign,
    /// Alignment has the opposite sign.
    AlignmentSign,
    /// Cohesion has the opposite sign.
    CohesionSign,
    /// The length of the velocity is left as it comes out.
    FreeSpeed,
    /// The mean of the angles of headings stands for the angle of their mean.
    MeanOfAngles,
    /// The angle of a heading is measured from y instead of x.
    SwappedAngle,
    /// The turn towards the others is that from the old heading, not from the aligned one.
    TurnsFromOldHeading,
    /// A boid turns away from the place of its nearest neighbour, not from its heading.
    AwayFromPlace,
}

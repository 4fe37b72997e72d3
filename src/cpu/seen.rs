//! What boids see of each other.

use flock::{Number, Vec3};

use super::vector::MOST_LANES;

/// What others see of a boid. One on its perch is seen by nobody: it is out of everybody's reach.
#[derive(Clone, Copy, Debug)]
pub struct Seen<T> {
    pub position: Vec3<T>,
    pub velocity: Vec3<T>,
}

/// The places of the boids, an array a component, so that a register takes those of neighbours in memory at once.
#[derive(Debug)]
pub struct Places<T> {
    pub x: Vec<T>,
    pub y: Vec<T>,
    pub z: Vec<T>,
}

impl<T: Number> Places<T> {
    /// With more entries than there are boids: a register may be filled from the last boid on.
    pub fn new(boids: usize) -> Self {
        let axis = || vec![T::ZERO; boids + MOST_LANES];
        Places { x: axis(), y: axis(), z: axis() }
    }
}

//! What boids see of each other.

use flock::{Number, Vec3};

use super::vector::MOST_LANES;

/// What others see of a boid. A perched boid is out of every boid's reach.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    /// Its position; infinitely far where it is perched.
    pub position: Vec3<T>,
    /// Its velocity.
    pub velocity: Vec3<T>,
}

/// The boids' coarse positions, an array a component: a register takes those of neighbours in memory at once.
#[derive(Debug)]
pub struct CoarsePositions<T> {
    pub x: Vec<T>,
    pub y: Vec<T>,
    pub z: Vec<T>,
}

impl<T: Number> CoarsePositions<T> {
    /// With more entries than there are boids: a register may be filled from the last boid on.
    pub fn new(boids: usize) -> Self {
        let axis = || vec![T::ZERO; boids + MOST_LANES];
        CoarsePositions { x: axis(), y: axis(), z: axis() }
    }

    /// The same for another number of boids.
    pub fn resize(&mut self, boids: usize) {
        for axis in [&mut self.x, &mut self.y, &mut self.z] {
            axis.resize(boids + MOST_LANES, T::ZERO);
        }
    }
}

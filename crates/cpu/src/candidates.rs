//! The part of a boid's state that other boids perceive.

use flock::Vec3;

/// The position and velocity that other boids perceive. A perched boid is out of every boid's reach.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    /// Its position; infinitely far for a perched boid.
    pub position: Vec3<T>,
    /// Its velocity.
    pub velocity: Vec3<T>,
}

/// The boids' coarse positions, an array a component: a register takes those of neighbours in memory at once. There are
/// [`MAX_LANES`](super::vector::MAX_LANES) more entries than boids: a register may be filled from the last boid on.
pub type CoarsePositions<T> = [Vec<T>; 3];

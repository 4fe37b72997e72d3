//! Boids between the exchange format and the buffers.

use flock::Boid;

use super::runner::Runner;
use crate::engine::EngineError;
use crate::instances;

/// Writes boids in the order of their ids; in a flat world on its plane. There must be room for them.
///
/// # Errors
/// When a buffer is missing.
pub fn write(runner: &Runner, boids: &[Boid<f64>], flat: bool) -> Result<(), EngineError> {
    let (mut positions, mut velocities, mut tags) = (Vec::new(), Vec::new(), Vec::new());
    for (id, boid) in (0..).zip(boids) {
        let (mut position, mut velocity, tag) = instances::entry(id, boid);
        if flat {
            (position[2], velocity[2]) = (0.0, 0.0);
        }
        positions.push(position);
        velocities.push(velocity);
        tags.push(tag);
    }
    runner.write("positions", &positions)?;
    runner.write("velocities", &velocities)?;
    runner.write("tags", &tags)
}

/// Reads all boids, and brings them into the order of their ids.
///
/// # Errors
/// When the device is lost or out of memory, or what comes back are not the boids that were put in.
pub fn read(runner: &Runner) -> Result<Vec<Boid<f64>>, EngineError> {
    let count = runner.buffers.boids as usize;
    let positions: Vec<[f32; 4]> = runner.read("positions", count)?;
    let velocities: Vec<[f32; 4]> = runner.read("velocities", count)?;
    let tags: Vec<[u32; 2]> = runner.read("tags", count)?;
    let mut boids = vec![None; count];
    for ((p, v), [id, word]) in positions.iter().zip(&velocities).zip(tags) {
        if let Some(boid) = boids.get_mut(id as usize) {
            *boid = Some(Boid {
                position: [p[0], p[1], p[2]].map(f64::from),
                velocity: [v[0], v[1], v[2]].map(f64::from),
                bias: f64::from(p[3]),
                group: word & 3,
                rest: word as i32 >> 2,
            });
        }
    }
    let lost = || runner.gpu.error("boids were lost on the GPU");
    boids.into_iter().collect::<Option<Vec<_>>>().ok_or_else(lost)
}

//! Conversion of boids between the exchange format and the buffers.

use flock::state::split_tag;
use flock::{Boid, Rule};

use super::layout::Word;
use super::number::{OnGpu, vector, words};
use super::runner::Runner;
use engine::{Result, VectorOf, Vectors};

/// Writes boids, in the order of their ids. The buffers must be large enough.
///
/// # Errors
/// When a buffer is missing.
pub fn write<T: OnGpu>(runner: &Runner<T>, boids: impl Iterator<Item = Boid<T>>) -> Result {
    let (mut positions, mut velocities, mut tags) = (Vec::new(), Vec::new(), Vec::new());
    for (id, boid) in (0_u32..).zip(boids) {
        // RESTING in the shaders.
        let neighbours = if boid.resting() { -T::COUNT } else { T::ZERO };
        positions.push(words(boid.position, boid.bias.word()));
        velocities.push(words(boid.velocity, neighbours.word()));
        tags.push([id, boid.tag()]);
    }
    runner.write("positions", &positions)?;
    runner.write("velocities", &velocities)?;
    runner.write("tags", &tags)
}

/// Reads all boids, ordered by id.
///
/// # Errors
/// When the device is lost or out of memory, or an id is missing in the buffers.
pub fn sorted<T: OnGpu>(runner: &Runner<T>, rule: &Rule<T>) -> Result<Vec<Boid<f64>>> {
    let count = runner.buffers.boids as usize;
    let positions: Vec<[Word; 4]> = runner.read("positions", count)?;
    let velocities: Vec<[Word; 4]> = runner.read("velocities", count)?;
    let tags: Vec<[u32; 2]> = runner.read("tags", count)?;
    let mut boids = vec![None; count];
    for ((position, velocity), [id, word]) in positions.into_iter().zip(velocities).zip(tags) {
        let (group, rest) = split_tag(word);
        let (bias, position, velocity) = (T::from_word(position[3]), vector(position), vector(velocity));
        if let Some(place) = boids.get_mut(id as usize) {
            *place = Some(rule.dequantise(&Boid { position, velocity, bias, group, rest }));
        }
    }
    let lost = || runner.gpu.error("boids were lost on the GPU");
    boids.into_iter().collect::<Option<Vec<_>>>().ok_or_else(lost)
}

/// Writes a vector of each boid to the entry of its id; returns true if all are finite.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn vectors<T: OnGpu>(
    runner: &Runner<T>,
    rule: &Rule<T>,
    of: VectorOf,
    mut into: Vectors<'_>,
) -> Result<bool> {
    let count = runner.buffers.boids as usize;
    let name = match of {
        VectorOf::Position => "positions",
        VectorOf::Velocity => "velocities",
    };
    let rows: Vec<[Word; 4]> = runner.read(name, count)?;
    let tags: Vec<[u32; 2]> = runner.read("tags", count)?;
    let mut finite = true;
    for (row, [id, _]) in rows.into_iter().zip(tags) {
        let found = vector::<T>(row).map(|c| rule.unscaled(c));
        finite &= found.iter().all(|c| c.is_finite());
        let id = id as usize;
        match &mut into {
            Vectors::F32(all) if id < all.len() => all[id] = found.map(|c| c as f32),
            Vectors::F64(all) if id < all.len() => all[id] = found,
            Vectors::F32(_) | Vectors::F64(_) => {}
        }
    }
    Ok(finite)
}

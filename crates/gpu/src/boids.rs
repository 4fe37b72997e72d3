//! Conversion of boids between the exchange format and the buffers.

use std::ops::Range;

use flock::state::split_tag;
use flock::{Boid, Rule};

use super::layout::Word;
use super::number::{OnGpu, vector, words};
use super::runner::Runner;
use engine::{Result, VectorOf, Vectors};

/// Arrays that hold boids: positions, velocities and tags.
pub type Arrays = [&'static str; 3];
/// Sorted boids, boids before sorting, and boids after `split.wgsl`.
pub const SORTED: Arrays = ["positions", "velocities", "tags"];
pub const UNSORTED: Arrays = ["new_positions", "new_velocities", "tags"];
pub const SPLIT: Arrays = ["new_positions", "new_velocities", "members"];

/// Writes boids with their ids, from index `first` on. The buffers must be large enough.
///
/// # Errors
/// When a buffer is missing.
pub fn write<T: OnGpu>(
    runner: &Runner<T>,
    arrays: Arrays,
    first: u32,
    boids: impl Iterator<Item = (u32, Boid<T>)>,
) -> Result {
    let (mut positions, mut velocities, mut tags) = (Vec::new(), Vec::new(), Vec::new());
    for (id, boid) in boids {
        // RESTING in the shaders.
        let neighbours = if boid.resting() { -T::COUNT } else { T::ZERO };
        positions.push(words(boid.position, boid.bias.word()));
        velocities.push(words(boid.velocity, neighbours.word()));
        tags.push([id, boid.tag()]);
    }
    let [position, velocity, tag] = arrays;
    runner.write_from(first, position, &positions)?;
    runner.write_from(first, velocity, &velocities)?;
    runner.write_from(first, tag, &tags)
}

/// Reads the boids of a range of indices with their ids, in memory order.
///
/// # Errors
/// When the device is lost or out of memory.
pub fn read<T: OnGpu>(
    runner: &Runner<T>,
    [position, velocity, tag]: Arrays,
    range: Range<u32>,
) -> Result<impl Iterator<Item = (u32, Boid<T>)>> {
    let positions: Vec<[Word; 4]> = runner.read_range(position, range.clone())?;
    let velocities: Vec<[Word; 4]> = runner.read_range(velocity, range.clone())?;
    let tags: Vec<[u32; 2]> = runner.read_range(tag, range)?;
    Ok(positions.into_iter().zip(velocities).zip(tags).map(|((position, velocity), [id, word])| {
        let (group, rest) = split_tag(word);
        let (bias, position, velocity) = (T::from_word(position[3]), vector(position), vector(velocity));
        (id, Boid { position, velocity, bias, group, rest })
    }))
}

/// Reads all boids, ordered by id.
///
/// # Errors
/// When the device is lost or out of memory, or an id is missing in the buffers.
pub fn sorted<T: OnGpu>(runner: &Runner<T>, rule: &Rule<T>) -> Result<Vec<Boid<f64>>> {
    let mut boids = vec![None; runner.buffers.boids as usize];
    for (id, boid) in read(runner, SORTED, 0..runner.buffers.boids)? {
        if let Some(place) = boids.get_mut(id as usize) {
            *place = Some(rule.give_boid(&boid));
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

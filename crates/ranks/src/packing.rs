//! Boids as words: id, group and rest, bias, position, velocity; without z in two dimensions.

use cpu::Totals;
use flock::state::split_tag;
use flock::{Boid, Fixed, Vec3};

use crate::Packed;
use crate::transport::{Lost, Transport};

/// Adds the sums of all ranks.
pub fn add_integers(totals: &mut Totals<Fixed>, transport: &mut dyn Transport) -> Result<(), Lost> {
    let Totals { offset, velocity, count, prey } = totals;
    let vectors = [*offset, *velocity].into_iter().chain(prey.iter().copied());
    let parts = vectors.flat_map(Vec3::to_array).map(|c| c as u64);
    let mut numbers: Vec<u64> = parts.chain([count.0 as u64]).collect();
    transport.sum(&mut numbers)?;
    let vector = |k: usize| Vec3::from([0, 1, 2].map(|axis| numbers[3 * k + axis] as i64));
    (*offset, *velocity) = (vector(0), vector(1));
    prey.iter_mut().zip(2..).for_each(|(sum, k)| *sum = vector(k));
    *count = numbers.last().map_or(*count, |all| Fixed(*all as i32));
    Ok(())
}

/// Number of words per boid.
pub fn words_a_boid(flat: bool) -> usize {
    if flat { 7 } else { 9 }
}

/// Appends a boid to a parcel.
#[inline]
pub fn pack<T: Packed>(flat: bool, id: u32, boid: &Boid<T>, parcel: &mut Vec<u32>) {
    let ([x, y, z], [vx, vy, vz]) = (boid.position.map(Packed::word), boid.velocity.map(Packed::word));
    let words = [id, boid.tag(), boid.bias.word(), x, y, vx, vy, z, vz];
    parcel.extend_from_slice(&words[..words_a_boid(flat)]);
}

/// The boids of a parcel, with their ids.
pub fn unpack<T: Packed>(flat: bool, parcel: &[u32]) -> impl Iterator<Item = (u32, Boid<T>)> {
    parcel.chunks_exact(words_a_boid(flat)).map(|words| {
        let number = |k: usize| words.get(k).map_or(T::ZERO, |word| T::from_word(*word));
        let (group, rest) = split_tag(words[1]);
        let (position, velocity) = ([3, 4, 7].map(number), [5, 6, 8].map(number));
        (words[0], Boid { position, velocity, bias: number(2), group, rest })
    })
}

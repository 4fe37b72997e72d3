//! Peak rates of all cores: bytes that a copy moves, multiplications and additions. The best of several tries counts,
//! since disturbances only slow a try down.

use std::hint::black_box;

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch};
use rayon::prelude::*;
use web_time::Instant;

use engine::Numeric;

/// Words of 8 bytes that are copied: far more than caches hold.
const WORDS: usize = 32 << 20;
/// Words that one task copies.
const PIECE: usize = 128 << 10;
const TRIES: u32 = 5;

/// Chains of multiply-adds that do not wait for each other: as many as fit the registers, and more than are under way
/// at once.
const CHAINS: usize = 10;
const ROUNDS: u32 = 1 << 20;

/// Bytes read and written per second (together) by a copy, and the bytes copied. None if memory has no room for it.
pub fn copy() -> Option<(f64, u64)> {
    let mut room = [Vec::<u64>::new(), Vec::new()];
    for words in &mut room {
        engine::memory::try_reserve(words, WORDS).ok()?;
        words.resize(WORDS, 1);
    }
    let [from, to] = &mut room;
    let seconds = fastest(|| {
        let pieces = from.par_chunks(PIECE).zip(to.par_chunks_mut(PIECE));
        pieces.for_each(|(from, to)| to.copy_from_slice(from));
    });
    let bytes = (WORDS * 8) as u64;
    Some((2.0 * bytes as f64 / seconds, bytes))
}

/// Multiplications and additions a second of a number type, in the widest registers of this machine.
pub fn arithmetic(numeric: Numeric) -> f64 {
    let level = Level::new();
    let run = || dispatch!(level, simd => chains(simd, numeric));
    let (lanes, threads) = (run(), rayon::current_num_threads());
    let seconds = fastest(|| (0..threads).into_par_iter().with_max_len(1).for_each(|_| _ = run()));
    2.0 * threads as f64 * f64::from(ROUNDS) * CHAINS as f64 * lanes as f64 / seconds
}

fn fastest(mut work: impl FnMut()) -> f64 {
    // The first try also pays for memory that is touched for the first time.
    work();
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let begun = Instant::now();
        work();
        least = least.min(begun.elapsed().as_secs_f64());
    }
    least
}

/// Runs chains of dependent multiplications and additions, and returns how many numbers a chain holds.
#[inline(always)]
fn chains<S: Simd>(simd: S, numeric: Numeric) -> usize {
    match numeric {
        Numeric::F32 => run(
            S::f32s::splat(simd, 1.0),
            #[inline(always)]
            |chain, factor| chain.mul_add(factor, factor),
        ),
        Numeric::F64 => run(
            S::f64s::splat(simd, 1.0),
            #[inline(always)]
            |chain, factor| chain.mul_add(factor, factor),
        ),
        Numeric::Fixed => run(
            S::i32s::splat(simd, 1),
            #[inline(always)]
            |chain, factor| chain * factor + factor,
        ),
    }
}

/// Multiplies and adds in all chains, round after round; returns how many numbers a chain holds.
#[inline(always)]
fn run<S: Simd, V: SimdBase<S>>(one: V, step: impl Fn(V, V) -> V) -> usize {
    // The inputs are opaque: otherwise the compiler merges the chains and computes their end.
    let (factor, mut chains) = black_box((one, [one; CHAINS]));
    for _ in 0..ROUNDS {
        for chain in &mut chains {
            *chain = step(*chain, factor);
        }
    }
    black_box(chains);
    V::LEN
}

//! What all cores can do at best: bytes that a copy moves, multiplications and additions. The best of several tries
//! counts, since only disturbances make one slower.

use std::hint::black_box;

use rayon::prelude::*;
use web_time::Instant;

use super::registers::Registers;
#[cfg(target_arch = "x86_64")]
use super::registers::Width;
use crate::state::Numeric;

/// Words of 8 bytes that are copied: far more than caches hold.
const WORDS: usize = 32 << 20;
/// Words that one task copies.
const PIECE: usize = 128 << 10;
const TRIES: u32 = 5;

/// Chains of multiply-adds that do not wait for each other: as many as fit the registers, and more than are under way
/// at once.
const CHAINS: usize = 10;
const ROUNDS: u32 = 1 << 20;

/// Bytes read and bytes written a second, together, by a copy of so many bytes. None where there is no room for it.
pub fn copy() -> Option<(f64, u64)> {
    let mut room = [Vec::<u64>::new(), Vec::new()];
    for words in &mut room {
        crate::memory::try_reserve(words, WORDS).ok()?;
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
    let (run, lanes) = chains(numeric, Registers::widest());
    let threads = rayon::current_num_threads();
    let seconds = fastest(|| (0..threads).into_par_iter().with_max_len(1).for_each(|_| run()));
    2.0 * threads as f64 * f64::from(ROUNDS) * CHAINS as f64 * f64::from(lanes) / seconds
}

fn fastest(mut work: impl FnMut()) -> f64 {
    // The first try also pays for memory that is touched for the first time.
    work();
    let mut best = f64::INFINITY;
    for _ in 0..TRIES {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best
}

/// Multiplies and adds in all chains, round after round.
#[inline(always)]
fn run<V: Copy>(one: V, step: impl Fn(V, V) -> V) {
    // What goes in is hidden, or the chains would be found to be one, and its end to be known.
    let (factor, mut chains) = black_box((one, [one; CHAINS]));
    for _ in 0..ROUNDS {
        for chain in &mut chains {
            *chain = step(*chain, factor);
        }
    }
    black_box(chains);
}

/// What runs the chains of a number type, and how many numbers a chain holds.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
fn chains(numeric: Numeric, registers: Registers) -> (fn(), u32) {
    #[cfg(target_arch = "x86_64")]
    match registers.0 {
        Width::Avx512 => return x86::avx512(numeric),
        Width::Avx2 if is_x86_feature_detected!("fma") => return x86::avx2(numeric),
        _ => {}
    }
    // Four numbers, which compilers put in a register where there is one.
    match numeric {
        Numeric::F32 => (|| run([1.0_f32; 4], |c, f| std::array::from_fn(|k| c[k] * f[k] + f[k])), 4),
        Numeric::F64 => (|| run([1.0_f64; 2], |c, f| std::array::from_fn(|k| c[k] * f[k] + f[k])), 2),
        Numeric::Fixed => (|| run([1_i32; 4], |c, f| std::array::from_fn(|k| wrapped(c[k], f[k]))), 4),
    }
}

/// A multiply-add in integers.
fn wrapped(chain: i32, factor: i32) -> i32 {
    chain.wrapping_mul(factor).wrapping_add(factor)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::run;
    use crate::state::Numeric;

    macro_rules! chains {
        ($name:ident, $features:literal, $lanes:literal,
         $ps:ident $fused_ps:ident, $pd:ident $fused_pd:ident, $epi:ident $mul:ident $add:ident) => {
            /// For a machine that has these registers.
            pub fn $name(numeric: Numeric) -> (fn(), u32) {
                #[target_feature(enable = $features)]
                fn singles() {
                    run($ps(1.0), |c, f| $fused_ps(c, f, f));
                }
                #[target_feature(enable = $features)]
                fn doubles() {
                    run($pd(1.0), |c, f| $fused_pd(c, f, f));
                }
                #[target_feature(enable = $features)]
                fn integers() {
                    run($epi(1), |c, f| $add($mul(c, f), f));
                }
                match numeric {
                    // SAFETY: the caller has detected the registers.
                    Numeric::F32 => (|| unsafe { singles() }, $lanes),
                    // SAFETY: as above.
                    Numeric::F64 => (|| unsafe { doubles() }, $lanes / 2),
                    // SAFETY: as above.
                    Numeric::Fixed => (|| unsafe { integers() }, $lanes),
                }
            }
        };
    }

    chains!(avx2, "avx2,fma", 8, _mm256_set1_ps _mm256_fmadd_ps, _mm256_set1_pd _mm256_fmadd_pd,
        _mm256_set1_epi32 _mm256_mullo_epi32 _mm256_add_epi32);
    chains!(avx512, "avx512f", 16, _mm512_set1_ps _mm512_fmadd_ps, _mm512_set1_pd _mm512_fmadd_pd,
        _mm512_set1_epi32 _mm512_mullo_epi32 _mm512_add_epi32);
}

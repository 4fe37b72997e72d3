//! The counter-based random number generator: each draw is a function of its key alone, so all backends draw the same
//! numbers in any order.
//!
//! The function is pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020. It uses 32-bit
//! additions, products, shifts and exclusive ors only.
//!
//! ```
//! use flock::random::{draw, signed, stream, unit};
//!
//! let words = draw(1, 100, 7, stream::NOISE);
//! assert_eq!(draw(1, 100, 7, stream::NOISE), words);
//! assert_ne!(draw(1, 101, 7, stream::NOISE), words);
//! assert!((0.0..1.0).contains(&unit(words[0])));
//! assert!((-1.0..1.0).contains(&(signed(words[0]) as f32 / (1 << 24) as f32)));
//! ```

/// The purpose of a draw. It is part of the key, so that no two purposes share numbers.
pub mod stream {
    /// The noise of a step.
    pub const NOISE: u32 = 0;
    /// The duration of a perch.
    pub const PERCH: u32 = 1;
    /// The random turn of a step.
    pub const TURN: u32 = 2;
    /// The normal error of a step; the next stream has the rest of its numbers.
    pub const GAUSSIAN: u32 = 3;
    /// The initial position of a boid.
    pub const START_POSITION: u32 = 16;
    /// The initial speed of a boid.
    pub const START_SPEED: u32 = 17;
    /// The bias group of a boid.
    pub const START_GROUP: u32 = 18;
    /// The initial position of a predator.
    pub const START_PREDATOR: u32 = 19;
    /// The bends of a flock that starts in flight.
    pub const START_FLIGHT: u32 = 20;
    /// A random flock, for comparisons of engines.
    pub const DRAWN: u32 = 24;
    /// The sample of boids that a measure compares.
    pub const MEASURES: u32 = 25;
    /// The first trial for an initial direction; each further trial takes the next stream.
    pub const START_DIRECTION: u32 = 32;
    /// The first stream of the first custom term; each term has four.
    pub const OWN: u32 = 1 << 16;
}

/// Four random words for a key of seed, step, id of the boid and [`stream`] (pcg4d).
#[inline]
pub fn draw(seed: u32, step: u32, id: u32, stream: u32) -> [u32; 4] {
    let mut v = [seed, step, id, stream].map(|word| word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    mix(&mut v);
    v = v.map(|word| word ^ (word >> 16));
    mix(&mut v);
    v
}

#[inline]
fn mix(v: &mut [u32; 4]) {
    v[0] = v[0].wrapping_add(v[1].wrapping_mul(v[3]));
    v[1] = v[1].wrapping_add(v[2].wrapping_mul(v[0]));
    v[2] = v[2].wrapping_add(v[0].wrapping_mul(v[1]));
    v[3] = v[3].wrapping_add(v[1].wrapping_mul(v[2]));
}

/// The numerator n of a random number n / 2²⁴ in (−1, 1): odd, symmetric about zero and exact in f32.
#[inline]
pub fn signed(word: u32) -> i32 {
    2 * (word >> 8) as i32 + 1 - (1 << 24)
}

/// The numerator n of a random number n / 2²⁴ that is nearly normal, of standard deviation 1 and exact in f32: the sum
/// of twelve numbers that are uniform in ±½, the halves of six words.
///
/// Its distribution function differs from the normal one by at most 0.0024. 0.20 % lie beyond 3 deviations, where a
/// normal distribution has 0.27 %; 0.0017 % beyond 4, for 0.0063 %; none beyond 6.
#[inline]
pub fn gaussian(words: [u32; 6]) -> i32 {
    let sum = words.into_iter().map(|word| (word & 0xffff) + (word >> 16)).sum::<u32>() as i32;
    (sum - 6 * 0xffff) << 8
}

/// A random number in (0, 1), exact in f32.
#[inline]
pub fn unit(word: u32) -> f64 {
    (f64::from(word >> 9) + 0.5) / f64::from(1 << 23)
}

/// A random integer in 0…`most`, for `most` below 2¹⁶.
#[inline]
pub fn up_to(word: u32, most: u32) -> u32 {
    ((word >> 16) * (most + 1)) >> 16
}

//! A 64-bit hash of a flock.
//!
//! FNV-1a (Fowler, Noll and Vo; draft-eastlake-fnv) over 32-bit words: h starts at 14695981039346656037; for each word
//! h = (h XOR word) · 1099511628211 modulo 2⁶⁴; at the end h is mixed by h XOR h >> 32. The words of a boid, in id
//! order: position x, y, z, velocity x, y, z and bias, each as its raw bits (one word in 32-bit number types; in 64-bit
//! ones the low word, then the high one), then group and rest. The hash is incremental and needs no memory.
//!
//! ```
//! use flock::hash::Hash;
//! use flock::{Parameters, start};
//!
//! let hash = |parameters: &Parameters| {
//!     let mut hash = Hash::new();
//!     (0..100).for_each(|id| hash.boid(&start::boid::<f32>(parameters, id)));
//!     hash.finish()
//! };
//! let mut parameters = Parameters::default();
//! let first = hash(&parameters);
//! assert_eq!(hash(&parameters), first);
//! parameters.flock.seed += 1;
//! assert_ne!(hash(&parameters), first);
//! ```

use crate::Number;
use crate::state::Boid;

/// An incremental hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(u64);

impl Hash {
    /// The hash of no boids.
    pub fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a word.
    pub fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Adds the next boid in id order.
    pub fn boid<T: Number + RawBits>(&mut self, boid: &Boid<T>) {
        for number in boid.position.iter().chain(&boid.velocity).chain([&boid.bias]) {
            number.words(|word| self.word(word));
        }
        self.word(boid.group);
        self.word(boid.rest as u32);
    }

    /// The hash of all words added.
    pub fn finish(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

impl Default for Hash {
    fn default() -> Self {
        Self::new()
    }
}

/// Access to a number as 32-bit words.
pub trait RawBits {
    /// Calls `take` with each word, the low one first.
    fn words(&self, take: impl FnMut(u32));
}

impl RawBits for f32 {
    fn words(&self, mut take: impl FnMut(u32)) {
        take(self.to_bits());
    }
}

impl RawBits for crate::Fixed {
    fn words(&self, mut take: impl FnMut(u32)) {
        take(self.0 as u32);
    }
}

impl RawBits for f64 {
    fn words(&self, mut take: impl FnMut(u32)) {
        let bits = self.to_bits();
        take(bits as u32);
        take((bits >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(boids: &[Boid<f32>]) -> u64 {
        let mut hash = Hash::new();
        boids.iter().for_each(|boid| hash.boid(boid));
        hash.finish()
    }

    #[test]
    fn words_are_added_as_fnv_1a_adds_bytes() {
        // The published FNV-1a 64 of the byte "a" is af63dc4c8601ec8c.
        let mut one = Hash::new();
        one.word(u32::from(b'a'));
        let plain = 0xaf63_dc4c_8601_ec8c_u64;
        assert_eq!(one.finish(), plain ^ (plain >> 32));
    }

    #[test]
    fn every_number_of_a_boid_counts_and_so_does_the_order() {
        let boid = Boid::<f32> { position: [1.0, 2.0, 3.0], ..Boid::default() };
        let base = hash(&[boid, Boid::default()]);
        let mut others = [boid; 7];
        others[0].position[2] = f32::from_bits(3.0_f32.to_bits() + 1);
        others[1].velocity[0] = -0.0;
        others[2].bias = 0.5;
        others[3].group = 1;
        others[4].rest = -1;
        others[5].position.swap(0, 1);
        others[6].velocity[1] = 1e-40;
        for other in others {
            assert_ne!(hash(&[other, Boid::default()]), base);
        }
        assert_ne!(hash(&[Boid::default(), boid]), base);
        assert_ne!(hash(&[boid]), base);
    }
}

//! A 64-bit hash of a flock: the sum modulo 2⁶⁴ of a hash of each boid. A sum has no order, so the parts of a flock may
//! be hashed anywhere, and their hashes added.
//!
//! The hash of a boid is HalfSipHash-1-3 (Aumasson and Bernstein) with 64 bits of output and key 0: additions,
//! rotations and exclusive ors of 32-bit words, which a Cortex-M0+ and WGSL have. Its message is the boid's id, then
//! position x, y, z, velocity x, y, z and bias, each as its raw bits (one word in 32-bit number types; in 64-bit ones
//! the low word, then the high one), then group and rest.
//!
//! ```
//! use flock::{Parameters, hash, start};
//!
//! let mut parameters = Parameters::default();
//! let boid = |parameters: &Parameters, id| start::boid::<f32>(parameters, id);
//! let first = hash::flock((0..100).map(|id| boid(&parameters, id)));
//! let part = |ids: std::ops::Range<u32>| {
//!     ids.map(|id| hash::boid(id, &boid(&parameters, id))).fold(0, u64::wrapping_add)
//! };
//! assert_eq!(first, part(40..100).wrapping_add(part(0..40)));
//! parameters.flock.seed += 1;
//! assert_ne!(first, hash::flock((0..100).map(|id| boid(&parameters, id))));
//! ```

use crate::Number;
use crate::state::Boid;

/// The hash of a flock in id order.
pub fn flock<T: Number>(boids: impl IntoIterator<Item = Boid<T>>) -> u64 {
    (0..).zip(boids).map(|(id, found)| boid(id, &found)).fold(0, u64::wrapping_add)
}

/// The hash of a boid, a summand of the hash of its flock.
#[inline]
pub fn boid<T: Number>(id: u32, boid: &Boid<T>) -> u64 {
    let mut mix = HalfSip::new();
    mix.word(id);
    for number in boid.position.iter().chain(&boid.velocity).chain([&boid.bias]) {
        let bits = number.raw_bits();
        mix.word(bits as u32);
        if T::WORDS == 2 {
            mix.word((bits >> 32) as u32);
        }
    }
    mix.word(boid.group);
    mix.word(boid.rest as u32);
    mix.finish()
}

/// HalfSipHash-1-3 of whole words.
struct HalfSip {
    state: [u32; 4],
    /// Number of words taken so far.
    words: u32,
}

impl HalfSip {
    #[inline(always)]
    fn new() -> Self {
        HalfSip { state: [0, 0xee, 0x6c79_6765, 0x7465_6462], words: 0 }
    }

    #[inline(always)]
    fn word(&mut self, word: u32) {
        self.state[3] ^= word;
        self.round();
        self.state[0] ^= word;
        self.words += 1;
    }

    #[inline(always)]
    fn round(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.state;
        a = a.wrapping_add(b);
        c = c.wrapping_add(d);
        b = b.rotate_left(5) ^ a;
        d = d.rotate_left(8) ^ c;
        a = a.rotate_left(16).wrapping_add(d);
        c = c.wrapping_add(b);
        d = d.rotate_left(7) ^ a;
        b = b.rotate_left(13) ^ c;
        self.state = [a, b, c.rotate_left(16), d];
    }

    #[inline(always)]
    fn finish(mut self) -> u64 {
        // The last word of a message holds its length in bytes.
        self.word(self.words << 26);
        self.state[2] ^= 0xee;
        let low = self.output();
        self.state[1] ^= 0xdd;
        u64::from(self.output()) << 32 | u64::from(low)
    }

    #[inline(always)]
    fn output(&mut self) -> u32 {
        (0..3).for_each(|_| self.round());
        self.state[1] ^ self.state[3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VECTORS: [(u32, u64); 4] = [
        (0, 0xbb86_0aa9_f747_5cd7),
        (1, 0x57ec_f0da_588c_bb76),
        (10, 0x522f_d00a_f7dc_cfee),
        (17, 0x2b7e_0699_996a_fefb),
    ];

    /// The values are those of the authors' program (veorq/SipHash) with one and three rounds.
    #[test]
    fn words_are_hashed_as_half_sip_hash_does() {
        for (count, expected) in VECTORS {
            let mut mix = HalfSip::new();
            (1..=count).for_each(|k| mix.word(0x9e37_79b9_u32.wrapping_mul(k)));
            assert_eq!(mix.finish(), expected, "{count} words");
        }
    }
}

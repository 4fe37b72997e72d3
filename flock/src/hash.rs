//! A 64-bit hash of a flock: the sum modulo 2⁶⁴ of a hash of each boid. A sum has no order, so the parts of a flock may be
//! hashed anywhere, and their hashes added.
//!
//! The hash of a boid is HalfSipHash-1-3 (Aumasson and Bernstein) with 64 bits of output and key 0: additions, rotations
//! and exclusive ors of 32-bit words, which a Cortex-M0+ and WGSL have. Its message is the boid's id, then position x, y, z,
//! velocity x, y, z and bias, each as its raw bits (one word in 32-bit number types; in 64-bit ones the low word, then the
//! high one), then group and rest.
//!
//! ```
//! use flock::{Parameters, hash, start};
//!
//! let mut parameters = Parameters::default();
//! let boid = |parameters: &Parameters, id| start::boid::<f32>(parameters, id);
//! let first = hash::flock((0..100).map(|id| boid(&parameters, id)));
//! let part = |ids: std::ops::Range<u32>| ids.map(|id| hash::boid(id, &boid(&parameters, id))).fold(0, u64::wrapping_add);
//! assert_eq!(first, part(40..100).wrapping_add(part(0..40)));
//! parameters.flock.seed += 1;
//! assert_ne!(first, hash::flock((0..100).map(|id| boid(&parameters, id))));
//! ```

use crate::Number;
use crate::state::Boid;

/// The hash of a flock in id order.
pub fn flock<T: Number + RawBits>(boids: impl IntoIterator<Item = Boid<T>>) -> u64 {
    (0..).zip(boids).map(|(id, found)| boid(id, &found)).fold(0, u64::wrapping_add)
}

/// What a boid adds to the hash of its flock.
#[inline]
pub fn boid<T: Number + RawBits>(id: u32, boid: &Boid<T>) -> u64 {
    let mut mix = HalfSip::new();
    mix.word(id);
    for number in boid.position.iter().chain(&boid.velocity).chain([&boid.bias]) {
        number.words(|word| mix.word(word));
    }
    mix.word(boid.group);
    mix.word(boid.rest as u32);
    mix.finish()
}

/// HalfSipHash-1-3 of whole words.
struct HalfSip {
    state: [u32; 4],
    /// So many were taken.
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

/// Access to a number as 32-bit words.
pub trait RawBits {
    /// Calls `take` with each word, the low one first.
    fn words(&self, take: impl FnMut(u32));
}

impl RawBits for f32 {
    #[inline(always)]
    fn words(&self, mut take: impl FnMut(u32)) {
        take(self.to_bits());
    }
}

impl RawBits for crate::Fixed {
    #[inline(always)]
    fn words(&self, mut take: impl FnMut(u32)) {
        take(self.0 as u32);
    }
}

impl RawBits for f64 {
    #[inline(always)]
    fn words(&self, mut take: impl FnMut(u32)) {
        let bits = self.to_bits();
        take(bits as u32);
        take((bits >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::{Fixed, Parameters, start};

    /// The words of a boid in 32 bits, its id first.
    const WORDS: usize = 10;
    type Words = [u32; WORDS];

    const VECTORS: [(u32, u64); 4] = [
        (0, 0xbb86_0aa9_f747_5cd7),
        (1, 0x57ec_f0da_588c_bb76),
        (10, 0x522f_d00a_f7dc_cfee),
        (17, 0x2b7e_0699_996a_fefb),
    ];

    fn hash_of_words([id, x, y, z, vx, vy, vz, bias, group, rest]: Words) -> u64 {
        let fixed = |words: [u32; 3]| words.map(|word| Fixed(word as i32));
        let (position, velocity) = (fixed([x, y, z]), fixed([vx, vy, vz]));
        boid(id, &Boid { position, velocity, bias: Fixed(bias as i32), group, rest: rest as i32 })
    }

    /// A sum that is no hash, as a control.
    fn weak(words: Words) -> u64 {
        words
            .iter()
            .fold(0, |sum: u64, word| sum.wrapping_add(u64::from(*word).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// The words of a flock's boids at its start, as they are in f32.
    fn start_words(count: u32) -> Vec<Words> {
        let parameters = Parameters::default();
        let words = |id| {
            let Boid { position: [x, y, z], velocity: [vx, vy, vz], bias, group, rest } =
                start::boid::<f32>(&parameters, id);
            let [x, y, z, vx, vy, vz, bias] = [x, y, z, vx, vy, vz, bias].map(f32::to_bits);
            [id, x, y, z, vx, vy, vz, bias, group, rest as u32]
        };
        (0..count).map(words).collect()
    }

    fn flipped(words: &Words, bit: usize) -> Words {
        let mut words = *words;
        words[bit / 32] ^= 1 << (bit % 32);
        words
    }

    /// The values are those of the authors' program (veorq/SipHash) with one and three rounds.
    #[test]
    fn words_are_hashed_as_half_sip_hash_does() {
        for (count, expected) in VECTORS {
            let mut mix = HalfSip::new();
            (1..=count).for_each(|k| mix.word(0x9e37_79b9_u32.wrapping_mul(k)));
            assert_eq!(mix.finish(), expected, "{count} words");
        }
    }

    #[test]
    fn every_number_of_a_boid_counts_and_so_does_its_id() {
        let plain = Boid::<f32> { position: [1.0, 2.0, 3.0], ..Boid::default() };
        let mut others = [plain; 7];
        others[0].position[2] = f32::from_bits(3.0_f32.to_bits() + 1);
        others[1].velocity[0] = -0.0;
        others[2].bias = 0.5;
        others[3].group = 1;
        others[4].rest = -1;
        others[5].position.swap(0, 1);
        others[6].velocity[1] = 1e-40;
        let base = flock([plain, Boid::default()]);
        for other in others {
            assert_ne!(flock([other, Boid::default()]), base);
        }
        assert_ne!(flock([Boid::default(), plain]), base);
        assert_ne!(flock([plain]), base);
        let wide = Boid::<f64> { bias: 0.1, ..Boid::default() };
        assert_ne!(boid(0, &wide), boid(0, &Boid { bias: f64::from_bits(0.1_f64.to_bits() ^ 1), ..wide }));
    }

    /// The greatest distance from one half, over bits of input and of output, of how often the one flips the other; and
    /// from 32 of how many a bit of input flips on average.
    fn avalanche(hash: impl Fn(Words) -> u64, boids: &[Words]) -> (f64, f64) {
        let (mut bit, mut mean) = (0.0_f64, 0.0_f64);
        let bases: Vec<u64> = boids.iter().map(|words| hash(*words)).collect();
        for input in 0..32 * WORDS {
            let mut counts = [0_u32; 64];
            for (words, base) in boids.iter().zip(&bases) {
                let changed = hash(flipped(words, input)) ^ base;
                counts.iter_mut().enumerate().for_each(|(k, count)| *count += (changed >> k & 1) as u32);
            }
            let share = |count: u32| f64::from(count) / boids.len() as f64;
            bit = counts.iter().fold(bit, |worst, count| worst.max((share(*count) - 0.5).abs()));
            mean = mean.max((share(counts.iter().sum()) - 32.0).abs());
        }
        (bit, mean)
    }

    #[test]
    fn a_changed_bit_changes_each_bit_of_the_hash_in_half_the_cases() {
        let boids = start_words(4096);
        // Standard errors of a share, and of a mean number of bits; at most six of 320 · 64 and of 320.
        let (of_bit, of_mean) = (0.5 / 64.0, 4.0 / 64.0);
        let (bit, mean) = avalanche(hash_of_words, &boids);
        assert!(bit < 6.0 * of_bit && mean < 6.0 * of_mean, "{bit} {mean}");
        let (bit, mean) = avalanche(weak, &boids);
        assert!(bit > 20.0 * of_bit && mean > 20.0 * of_mean, "the control: {bit} {mean}");
    }

    /// By how much the hash of a flock of 48 differs from that of others: those with one bit, two bits of a boid, or the
    /// same bit of two boids changed, with two boids exchanged, or with all ids shifted.
    fn differences(hash: impl Fn(Words) -> u64) -> Vec<u64> {
        const BITS: usize = 32 * (WORDS - 1);
        let flock = start_words(48);
        let at = |id: u32, mut words: Words| {
            words[0] = id;
            hash(words)
        };
        let base: Vec<u64> = flock.iter().map(|words| hash(*words)).collect();
        let mut found = std::vec![0];
        let mut ones = Vec::new();
        for (words, base) in flock.iter().zip(&base) {
            let changed = |words: &Words, bit| flipped(words, 32 + bit);
            ones.push(
                (0..BITS).map(|bit| hash(changed(words, bit)).wrapping_sub(*base)).collect::<Vec<u64>>(),
            );
            for first in 0..BITS {
                let words = changed(words, first);
                found.extend((0..first).map(|bit| hash(changed(&words, bit)).wrapping_sub(*base)));
            }
        }
        for (one, of_one) in ones.iter().enumerate() {
            found.extend(of_one);
            for (other, of_other) in ones[..one].iter().enumerate() {
                found.extend(of_one.iter().zip(of_other).map(|(a, b)| a.wrapping_add(*b)));
                let exchanged = at(one as u32, flock[other]).wrapping_add(at(other as u32, flock[one]));
                found.push(exchanged.wrapping_sub(base[one]).wrapping_sub(base[other]));
            }
        }
        let sum = |hashes: &mut dyn Iterator<Item = u64>| hashes.fold(0, u64::wrapping_add);
        let whole = sum(&mut base.iter().copied());
        let shifted =
            |by: u32| sum(&mut (by..).zip(&flock).map(|(id, words)| at(id, *words))).wrapping_sub(whole);
        let turned =
            |by: u32| sum(&mut (by..).zip(&flock).map(|(id, words)| at(id % 48, *words))).wrapping_sub(whole);
        found.extend((1..10_000).map(shifted).chain((1..48).map(turned)));
        found
    }

    /// Pairs of equal values among these.
    fn collisions<T: Ord>(mut values: Vec<T>) -> usize {
        values.sort_unstable();
        values.chunk_by(|a, b| a == b).map(|run| run.len() * (run.len() - 1) / 2).sum()
    }

    #[test]
    fn flocks_that_differ_a_little_have_different_hashes() {
        let found = differences(hash_of_words);
        assert!(found.len() > 2_000_000);
        // Either half alone has as many collisions as random words: n² / 2³³.
        let expected = (found.len() as f64).powi(2) / f64::from(1 << 30) / 8.0;
        for shift in [0, 32] {
            let half = collisions(found.iter().map(|value| (value >> shift) as u32).collect());
            assert!((half as f64 - expected).abs() < 6.0 * expected.sqrt(), "{half}, not {expected}");
        }
        assert_eq!(collisions(found), 0);
        assert!(collisions(differences(weak)) > 1_000_000, "the control");
    }
}

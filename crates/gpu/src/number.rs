//! The number types that a flock can be computed in on a GPU, and how their numbers lie there.

use flock::fixed::Layout;
use flock::{Fixed, Rule};

use super::layout::{Format, Word};
use cpu::Real;

/// A number type with shaders of its own: its files in `shaders/number/` are called after its name.
pub trait OnGpu: Real {
    /// Bytes of a sum over a block of the flock: `Partial` in its shaders.
    const TOTAL: u64;
    /// Drawing passes read the flock from where it steps; else it is converted for them.
    const DRAWN_AS_IT_LIES: bool;

    /// Its bits.
    fn word(self) -> Word;
    /// The number with these bits.
    fn from_word(word: Word) -> Self;
    /// How lengths and velocities are laid out.
    fn format_words(format: &Self::Format) -> Format;
    /// Switches that only the operations of a number type read: see `shaders/number/`.
    fn flags(rule: &Rule<Self>) -> [(&'static str, bool); 2];
}

impl OnGpu for f32 {
    const TOTAL: u64 = 16;
    const DRAWN_AS_IT_LIES: bool = true;

    fn word(self) -> Word {
        self.to_bits()
    }

    fn from_word(word: Word) -> f32 {
        f32::from_bits(word)
    }

    fn format_words((): &()) -> Format {
        Format::default()
    }

    fn flags(_: &Rule<f32>) -> [(&'static str, bool); 2] {
        [("EXACT_COHESION", false), ("EXACT_ALIGNMENT", false)]
    }
}

impl OnGpu for Fixed {
    const TOTAL: u64 = 32;
    const DRAWN_AS_IT_LIES: bool = false;

    fn word(self) -> Word {
        self.0 as u32
    }

    fn from_word(word: Word) -> Fixed {
        Fixed(word as i32)
    }

    fn format_words(layout: &Layout) -> Format {
        let Layout { unit, position_shift, velocity_shift, max_velocity, separation_digits, .. } = *layout;
        Format { unit, position_shift, velocity_shift, max_velocity, separation_digits, ..Format::default() }
    }

    fn flags(rule: &Rule<Fixed>) -> [(&'static str, bool); 2] {
        [("EXACT_COHESION", rule.format.exact_cohesion), ("EXACT_ALIGNMENT", rule.format.exact_alignment)]
    }
}

/// A vector as it lies, with whatever else fills its fourth word.
pub fn words<T: OnGpu>([x, y, z]: [T; 3], w: Word) -> [Word; 4] {
    [x.word(), y.word(), z.word(), w]
}

/// The vector of such words.
pub fn vector<T: OnGpu>([x, y, z, _]: [Word; 4]) -> [T; 3] {
    [x, y, z].map(T::from_word)
}

//! The number types of the GPU engine, and their memory layout in its buffers.

use flock::fixed::Layout;
use flock::{Fixed, Rule};

use super::layout::{Format, Word};
use engine::NumberType;

/// A number type with shaders of its own; its files in `shaders/number/` carry its name.
pub trait OnGpu: NumberType {
    /// Bytes of `Partial` in the shaders: the sum over a block of the flock.
    const TOTAL: u64;
    /// True if drawing passes read the step's own buffers; otherwise the flock is converted for drawing.
    const DIRECT_DRAW: bool;
    /// Fixed-point format of lengths and velocities as shader words.
    fn format_words(format: &Self::Format) -> Format;
    /// Switches that only this number type's operations read: see `shaders/number/`.
    fn flags(rule: &Rule<Self>) -> [(&'static str, bool); 2];

    /// The bits of the number, as shaders have it.
    fn word(self) -> Word {
        self.raw_bits() as Word
    }

    /// The number with these bits.
    fn from_word(word: Word) -> Self {
        Self::from_raw_bits(word.into())
    }
}

impl OnGpu for f32 {
    const TOTAL: u64 = 16;
    const DIRECT_DRAW: bool = true;

    fn format_words((): &()) -> Format {
        Format::default()
    }

    fn flags(_: &Rule<f32>) -> [(&'static str, bool); 2] {
        [("EXACT_COHESION", false), ("EXACT_ALIGNMENT", false)]
    }
}

impl OnGpu for Fixed {
    const TOTAL: u64 = 32;
    const DIRECT_DRAW: bool = false;

    fn format_words(layout: &Layout) -> Format {
        let Layout { unit, position_shift, velocity_shift, max_velocity, separation_digits, .. } = *layout;
        Format { unit, position_shift, velocity_shift, max_velocity, separation_digits, ..Format::default() }
    }

    fn flags(rule: &Rule<Fixed>) -> [(&'static str, bool); 2] {
        [("EXACT_COHESION", rule.format.exact_cohesion), ("EXACT_ALIGNMENT", rule.format.exact_alignment)]
    }
}

/// Packs a vector and a fourth word.
pub fn words<T: OnGpu>(vector: [T; 3], w: Word) -> [Word; 4] {
    let [x, y, z] = vector.map(OnGpu::word);
    [x, y, z, w]
}

/// Unpacks a vector; the fourth word is ignored.
pub fn vector<T: OnGpu>([x, y, z, _]: [Word; 4]) -> [T; 3] {
    [x, y, z].map(T::from_word)
}

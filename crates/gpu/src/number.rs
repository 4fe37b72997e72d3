//! The number types that a flock can be computed in on a GPU, and how their numbers lie there.

use flock::fixed::Layout;
use flock::{Fixed, Rule};

use super::layout::{Format, Word};
use cpu::OneWord;

/// A number type with shaders of its own: its files in `shaders/number/` are called after its name.
pub trait OnGpu: OneWord {
    /// Bytes of a sum over a block of the flock: `Partial` in its shaders.
    const TOTAL: u64;
    /// Drawing passes read the flock from where it steps; else it is converted for them.
    const DRAWN_AS_IT_LIES: bool;
    /// How lengths and velocities are laid out.
    fn format_words(format: &Self::Format) -> Format;
    /// Switches that only the operations of a number type read: see `shaders/number/`.
    fn flags(rule: &Rule<Self>) -> [(&'static str, bool); 2];
}

impl OnGpu for f32 {
    const TOTAL: u64 = 16;
    const DRAWN_AS_IT_LIES: bool = true;

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

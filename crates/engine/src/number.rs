//! The number types of engines.

use flock::formula::Formulas;
use flock::hash::RawBits;
use flock::{Fixed, Number};

flock::named! {
    /// The number type an engine computes in.
    #[derive(Default)]
    Numeric {
        #[default]
        F32 = "f32",
        F64 = "f64",
        /// Integers: the same bits on every engine.
        Fixed = "fixed",
    }
}

/// A number type of engines.
pub trait NumberType: Number + Formulas + RawBits {
    /// Its name.
    const NUMERIC: Numeric;
}

impl NumberType for f32 {
    const NUMERIC: Numeric = Numeric::F32;
}

impl NumberType for f64 {
    const NUMERIC: Numeric = Numeric::F64;
}

impl NumberType for Fixed {
    const NUMERIC: Numeric = Numeric::Fixed;
}

/// A number type whose numbers are words of 32 bits.
pub trait OneWord: NumberType {
    /// The number with these bits.
    fn from_word(word: u32) -> Self;

    /// Its bits.
    #[inline(always)]
    fn word(self) -> u32 {
        let mut bits = 0;
        self.words(|word| bits = word);
        bits
    }
}

impl OneWord for f32 {
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        f32::from_bits(word)
    }
}

impl OneWord for Fixed {
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        Fixed(word as i32)
    }
}

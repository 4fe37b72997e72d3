//! Integers in place of real numbers: the same bits on every machine.
//!
//! A [`Fixed`] is a word with [`FRACTION`] binary digits after the point. Lengths and velocities are scaled by a power
//! of two that suits the flock ([`Layout::unit`]); weights and other pure numbers are not. Neighbours are seen in
//! coarser units ([`Layout`]), so that squares and sums fit a word and the order of adding cannot matter. Sums and
//! products saturate; `docs/fixed-point.md` gives ranges, rounding and errors.

mod direction;
pub mod fast_update;
mod layout;
mod number;
mod sense;
#[cfg(test)]
mod tests;
pub mod word;

use core::ops::{Div, Mul};

pub use direction::{Polar, UNIT_DIGITS, polar};
pub use fast_update::{FastUpdate, FixedSums};
pub use layout::{Layout, check, unit};
pub use sense::{FAR, HEADING};

use crate::Vec3;
use word::{mean_wide, mul_wide, shift_right};

/// Binary digits after the point.
pub const FRACTION: u32 = 20;

/// A number between −2048 and 2048 in steps of 2⁻²⁰; in counts and among coarse units a plain integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Fixed(pub i32);

/// Clamps a wide number to a word.
#[inline(always)]
pub(crate) fn saturate(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

crate::operators! {
    () Fixed: Add add |a, b: Self| Fixed(a.0.saturating_add(b.0));
    () Fixed: Sub sub |a, b: Self| Fixed(a.0.saturating_sub(b.0));
    () Fixed: Neg neg |a| Fixed(a.0.saturating_neg());
    () Wide: Add add |v, o: Self| v.zip(o, i64::wrapping_add);
}

impl Mul for Fixed {
    type Output = Self;
    /// Rounded to the nearest, halves up.
    #[inline]
    fn mul(self, other: Self) -> Self {
        if self.0 == 0 || other.0 == 0 {
            return Fixed(0);
        }
        if other.0 == 1 << FRACTION {
            return self;
        }
        Fixed(saturate((mul_wide(self.0, other.0) + (1 << (FRACTION - 1))) >> FRACTION))
    }
}

impl Div for Fixed {
    type Output = Self;
    /// Truncated towards zero; a division by zero saturates.
    fn div(self, other: Self) -> Self {
        if other.0 == 0 {
            return Fixed(if self.0 < 0 { i32::MIN } else { i32::MAX });
        }
        Fixed(saturate((i64::from(self.0) << FRACTION) / i64::from(other.0)))
    }
}

/// A vector whose components have 64 bits, of which [`FRACTION`] are after the point, as in a [`Fixed`]:
/// sums of requests fit, and only the speed is limited.
pub type Wide = Vec3<i64>;

/// Components of a narrow vector reach at most 2 to this power: room for differences and small sums of them.
pub const WIDE_BITS: u32 = 29;

/// A weighted vector longer than this many more binary digits is shortened to it.
const MAX_SHIFT: u32 = 17;

impl Wide {
    /// The vector divided by the least power of two that brings every component down to 2²⁹, rounded; and that power's
    /// exponent.
    #[inline]
    pub fn shortened(self) -> (Vec3<Fixed>, u32) {
        // Only the top bit of each magnitude matters. For a negative component it is that of the complement.
        let bits = (self.x ^ (self.x >> 63)) | (self.y ^ (self.y >> 63)) | (self.z ^ (self.z >> 63));
        if bits >> WIDE_BITS == 0 {
            return (self.map(low_word), 0);
        }
        let shift = (64 - WIDE_BITS).saturating_sub(bits.leading_zeros());
        (self.map(|c| low_word(shift_right(c, shift))), shift)
    }

    /// Times a pure number, rounded to the nearest.
    #[inline]
    pub fn weighed(self, weight: Fixed) -> Self {
        if weight.0 == 0 {
            return Wide::default();
        }
        let (v, shift) = self.shortened();
        if shift == 0 && weight.0 == 1 << FRACTION {
            return self;
        }
        let shift = shift.min(MAX_SHIFT);
        v.map(|c| if c.0 == 0 { 0 } else { shift_right(mul_wide(c.0, weight.0), FRACTION) << shift })
    }

    /// Divided by a count, rounded to the nearest.
    pub fn divided(self, count: u32) -> Self {
        self.map(|c| mean_wide(c, count))
    }
}

/// A wide number that fits a word.
#[inline]
fn low_word(c: i64) -> Fixed {
    Fixed(c as i32)
}

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
mod wide;
pub mod word;

use core::ops::{Div, Mul};

pub use direction::{Polar, UNIT_DIGITS, polar};
pub use fast_update::{FastUpdate, FixedSums};
pub use layout::{Layout, check, unit};
pub use sense::{FAR, HEADING};
pub use wide::Wide;

use word::mul_wide;

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

//! Vectors of 64 bits a component: sums of requests fit, and only the speed is limited.

use super::word::{mean_wide, mul_wide, shift_right};
use super::{FRACTION, Fixed};
use crate::Vec3;

/// A vector whose components have [`FRACTION`] binary digits after the point, as [`Fixed`] has.
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
            return (self.map(word), 0);
        }
        let shift = (64 - WIDE_BITS).saturating_sub(bits.leading_zeros());
        (self.map(|c| word(shift_right(c, shift))), shift)
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

crate::operators! {
    () Wide: Add add |v, o: Self| v.zip(o, i64::wrapping_add);
}

/// A wide number that fits a word.
#[inline]
fn word(c: i64) -> Fixed {
    Fixed(c as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_keep_their_direction() {
        let long = Wide { x: 3 << 40, y: -(4 << 40), z: 12 << 40 };
        let (v, shift) = long.shortened();
        let back = |c: Fixed| i64::from(c.0) << shift;
        assert_eq!((back(v.x), back(v.y), back(v.z)), (long.x, long.y, long.z));
        assert!([v.x, v.y, v.z].iter().all(|c| c.0.abs() <= 1 << WIDE_BITS) && v.z.0 >= 1 << (WIDE_BITS - 1));
        let short = Wide { x: 5, y: -(1 << 29), z: (1 << 29) - 1 };
        assert_eq!(short.shortened(), (short.map(word), 0));
    }

    #[test]
    fn weights_round_to_the_nearest() {
        let v = Wide { x: 3, y: -3, z: 1 << 50 };
        let half = Fixed(1 << (FRACTION - 1));
        let weighed = Wide { z: 0, ..v }.weighed(half);
        assert_eq!((weighed.x, weighed.y), (2, -1), "halves go up");
        let far = Wide { x: 1 << 50, ..Wide::default() }.weighed(half);
        assert_eq!(far.x, 1 << (WIDE_BITS - 2 + MAX_SHIFT), "cut where the format says");
        assert_eq!(v.weighed(Fixed(0)), Wide::default());
    }
}

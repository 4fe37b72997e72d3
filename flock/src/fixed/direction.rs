//! The direction and the length of a vector of words.

use super::word::{mul_high, reciprocal_root};
use super::{FRACTION, Fixed};
use crate::Vec3;

/// Binary digits after the point of a unit vector.
pub const UNIT_DIGITS: u32 = 30;

/// A vector's unit vector and length, unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Polar {
    /// The unit vector, with [`UNIT_DIGITS`].
    pub unit: [i32; 3],
    /// 2³⁰ / √x, where the length is √x · 2^(32 − `halving` − `shift`).
    pub root: u32,
    x: u32,
    halving: u32,
    /// Left shift of the vector; −1 where it was shifted right by one.
    shift: i32,
}

/// The unit vector and length of a vector of words; none for zero.
#[inline]
pub fn polar(v: Vec3<Fixed>) -> Option<Polar> {
    let words = [v.x.0, v.y.0, v.z.0];
    let magnitudes = words.map(i32::unsigned_abs);
    let all = magnitudes[0] | magnitudes[1] | magnitudes[2];
    if all == 0 {
        return None;
    }
    // The highest bit goes to 2³⁰: three squares then add up below 2³².
    let shift = all.leading_zeros() as i32 - 1;
    let shifted = magnitudes.map(|c| if shift < 0 { (c >> 1) + (c & 1) } else { c << shift });
    let square = shifted.map(|c| if c == 0 { 0 } else { mul_high(c, c) });
    let sum = square[0] + square[1] + square[2];
    let halving = u32::from(sum < 1 << 30);
    let x = sum << (2 * halving);
    let root = reciprocal_root(x);
    let unit = core::array::from_fn(|k| {
        let part = if shifted[k] == 0 { 0 } else { (mul_high(shifted[k], root) << halving) as i32 };
        if words[k] < 0 { -part } else { part }
    });
    Some(Polar { unit, root, x, halving, shift })
}

impl Polar {
    /// The unit vector in [`Fixed`].
    #[inline]
    pub fn unit_vector(&self) -> Vec3<Fixed> {
        self.unit.map(|c| Fixed((c + (1 << (29 - FRACTION))) >> (30 - FRACTION))).into()
    }

    /// The length in the vector's own unit, rounded, cut to the largest word.
    #[inline]
    pub fn length(&self) -> Fixed {
        // √x in 2⁻³⁰, then times 2^(32 − halving − shift).
        let scaled = mul_high(self.x, self.root);
        let down = self.shift + self.halving as i32 - 2;
        Fixed(if down > 0 {
            ((scaled + (1 << (down - 1))) >> down) as i32
        } else {
            let long = u64::from(scaled) << -down;
            long.min(i32::MAX as u64) as i32
        })
    }

    /// The exponent e of 1 / length = root · 2^(e − 30 − 32) in the vector's own unit.
    #[inline]
    pub fn inverse_exponent(&self) -> i32 {
        self.shift + self.halving as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draw;

    #[test]
    fn directions_and_lengths_are_right_at_every_scale() {
        for k in 0..30_000_u32 {
            let words = draw(3, 1, k, 4);
            let down = words[3] % 31;
            let [x, y, z] = [0, 1, 2].map(|i| match k % 7 {
                axis if axis == i => 0,
                6 if i == 1 => i32::MIN,
                _ => words[i as usize] as i32 >> down,
            });
            let exact = [x, y, z].map(f64::from);
            let length = exact.iter().map(|c| c * c).sum::<f64>().sqrt();
            let Some(polar) = polar(Vec3 { x: Fixed(x), y: Fixed(y), z: Fixed(z) }) else {
                assert_eq!(length, 0.0);
                continue;
            };
            for (unit, c) in polar.unit.iter().zip(exact) {
                let error = (f64::from(*unit) / f64::from(1 << 30) - c / length).abs();
                assert!(error < 2.0_f64.powi(-26), "{x} {y} {z}: {error}");
            }
            let want = length.min(f64::from(i32::MAX));
            let error = (f64::from(polar.length().0) - want).abs();
            assert!(error <= 0.5 + length * 2.0_f64.powi(-26), "{x} {y} {z}: {error}");
        }
    }
}

//! Arithmetic on 32-bit words, defined to the last bit: products of two words, the reciprocal square root, division by
//! a count. A microcontroller and a shader have no product of 64 bits: there it is put together from halves.

use super::FRACTION;
use core::hint::black_box;

/// The upper word of a product.
#[inline]
pub fn mul_high(a: u32, b: u32) -> u32 {
    #[cfg(not(target_arch = "arm"))]
    {
        ((u64::from(a) * u64::from(b)) >> 32) as u32
    }
    #[cfg(target_arch = "arm")]
    {
        mul_high_by_halves(a, b)
    }
}

/// [`mul_high`] from four products that fit a word.
#[inline]
pub fn mul_high_by_halves(a: u32, b: u32) -> u32 {
    let (a_low, a_high) = (a & 0xffff, a >> 16);
    let (b_low, b_high) = (b & 0xffff, b >> 16);
    // Without `black_box` the compiler recognises a 64-bit product and calls a routine of twice the cycles.
    let low = black_box(a_low * b_low);
    // At most (2¹⁶ − 1)² + 2¹⁶ − 1: no carry is lost.
    let middle = a_high * b_low + (low >> 16);
    let other = a_low * b_high + (middle & 0xffff);
    a_high * b_high + (middle >> 16) + (other >> 16)
}

/// The whole product.
#[inline]
pub fn mul_wide(a: i32, b: i32) -> i64 {
    #[cfg(not(target_arch = "arm"))]
    {
        i64::from(a) * i64::from(b)
    }
    #[cfg(target_arch = "arm")]
    {
        let high = mul_high_by_halves(a as u32, b as u32) as i32;
        // For each negative factor the unsigned product is too large by 2³² times the other.
        let high = high.wrapping_sub((a >> 31) & b).wrapping_sub((b >> 31) & a);
        i64::from(high) << 32 | i64::from(a.wrapping_mul(b) as u32)
    }
}

/// Divided by 2^by and rounded to the nearest, halves up; `by` below 63.
#[inline]
pub fn shift_right(value: i64, by: u32) -> i64 {
    if by == 0 { value } else { (value + (1 << (by - 1))) >> by }
}

/// The same in one word; `by` below 31 and the value below 2³⁰ in magnitude.
#[inline]
pub fn shift_right_word(value: i32, by: u32) -> i32 {
    if by == 0 { value } else { value.saturating_add(1 << (by - 1)) >> by }
}

/// (value · 2^shift + low) / count, rounded to the nearest, halves away from zero; `low` has either sign, and the
/// result must fit a word.
#[inline]
pub fn mean(value: i32, low: i32, shift: u32, count: u32) -> i32 {
    let count = count.max(1);
    let mask = (1_u32 << shift) - 1;
    // The digits above and below the shift, then their magnitude.
    let (mut high, mut low) = (value + (low >> shift), low as u32 & mask);
    let negative = high < 0;
    if negative {
        high = if low == 0 { -high } else { -1 - high };
        low = low.wrapping_neg() & mask;
    }
    let (mut quotient, mut rest) = (high as u32 / count, high as u32 % count);
    let mut left = shift;
    while left > 0 {
        // Takes as many digits at once as fit above the remainder.
        let digits = left.min(count.leading_zeros());
        left -= digits;
        let dividend = rest << digits | (low >> left) & ((1 << digits) - 1);
        quotient = (quotient << digits).wrapping_add(dividend / count);
        rest = dividend % count;
    }
    if rest >= count - rest {
        quotient = quotient.wrapping_add(1);
    }
    if negative { (quotient as i32).wrapping_neg() } else { quotient as i32 }
}

/// value / count, rounded to the nearest, halves away from zero.
pub fn mean_wide(value: i64, count: u32) -> i64 {
    let count = u64::from(count.max(1));
    let magnitude = (value.unsigned_abs() + count / 2) / count;
    if value < 0 { -(magnitude as i64) } else { magnitude as i64 }
}

/// The start and slope of the lines with the least relative error on [1/4, 1/2) and [1/2, 1), in 2⁻³⁰: 0.022.
pub const ROOT_LINES: [[u32; 2]; 2] = [[2_714_665_957, 2_459_933_838], [1_919_561_469, 869_718_939]];

/// 2³⁰ / √x for x = m / 2³² in [1/4, 1), below 2³¹; the relative error is below 2⁻²⁷.
///
/// Two straight lines, then three steps of Newton's method: r ← r·(3 − x·r²)/2.
#[inline]
pub fn reciprocal_root(m: u32) -> u32 {
    let [start, slope] = if m < 1 << 31 { ROOT_LINES[0] } else { ROOT_LINES[1] };
    let mut r = start - mul_high(slope, m);
    for _ in 0..3 {
        // x·r² in 2⁻²⁸, within 5 % of one.
        let square = mul_high(m, mul_high(r, r));
        let factor = (3 << 28) - square;
        r = mul_high(r, factor << 2) << 1;
    }
    r.min((1 << 31) - 1)
}

/// √x of a number from 0 to 1 with [`FRACTION`] binary digits, within one of the last; 0 for negative input.
#[inline]
pub fn unit_root(x: i32) -> i32 {
    if x <= 0 {
        return 0;
    }
    // x is m / 2^(32 + even − 12), with m / 2³² in [1/4, 1).
    let even = x.leading_zeros() & !1;
    let m = (x as u32) << even;
    // √(m / 2³²) in 2⁻³⁰.
    let root = mul_high(m, reciprocal_root(m));
    let down = 30 - FRACTION + even / 2 - (32 - FRACTION) / 2;
    ((root + (1 << (down - 1))) >> down) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draw;

    fn words() -> impl Iterator<Item = u32> {
        let edges = [0, 1, 2, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
        edges.into_iter().chain((0..2000).map(|k| draw(1, 2, k, 3)[0] >> (k % 31)))
    }

    /// The microcontroller has these alone.
    #[test]
    fn products_by_halves_are_whole_products() {
        for (a, b) in words().zip(words().skip(7)) {
            let exact = u64::from(a) * u64::from(b);
            assert_eq!(mul_high_by_halves(a, b), (exact >> 32) as u32, "{a} {b}");
        }
    }

    #[test]
    fn reciprocal_roots_are_within_their_bound() {
        let dense = (1_u32 << 30..=u32::MAX).step_by(65_521);
        for m in dense.chain([1 << 30, (1 << 31) - 1, 1 << 31, u32::MAX]) {
            let exact = f64::from(1 << 30) / (f64::from(m) / 4_294_967_296.0).sqrt();
            let error = (f64::from(reciprocal_root(m)) / exact - 1.0).abs();
            assert!(error < 2.0_f64.powi(-27), "{m}: {error}");
        }
    }

    #[test]
    fn roots_of_parts_of_one_are_within_a_digit() {
        let one = 1 << FRACTION;
        for x in (0..=one).step_by(97).chain(0..200).chain([1 << FRACTION, one - 1, -5]) {
            let exact = (f64::from(x.max(0)) / f64::from(one)).sqrt() * f64::from(one);
            assert!((f64::from(unit_root(x)) - exact).abs() < 1.0, "{x}: {} {exact}", unit_root(x));
        }
        assert_eq!([1 << 30, 1 << 31].map(reciprocal_root), [(1 << 31) - 2, 1_518_500_250]);
        assert_eq!((unit_root(0), unit_root(one), unit_root(one / 4)), (0, one, one / 2));
    }

    #[test]
    fn means_are_rounded_to_the_nearest() {
        for (k, word) in words().enumerate() {
            let (count, shift) = ((word >> 15).max(1), k as u32 % 15);
            let value = (word as i32 >> 16) * if k % 2 == 0 { 1 } else { -1 };
            let exact = f64::from(value) * f64::from(1 << shift) / f64::from(count);
            assert_eq!(f64::from(mean(value, 0, shift, count)), exact.round(), "{value} {shift} {count}");
            for low in [-70_000, -1, 1, 12_345] {
                let exact = exact + f64::from(low) / f64::from(count);
                assert_eq!(
                    f64::from(mean(value, low, shift, count)),
                    exact.round(),
                    "{value} {low} {shift} {count}"
                );
            }
            let wide = i64::from(value) << 20;
            assert_eq!(mean_wide(wide, count) as f64, (wide as f64 / f64::from(count)).round());
        }
        assert_eq!((mean(5, 0, 0, 2), mean(-5, 0, 0, 2), mean(7, 0, 3, 0)), (3, -3, 56));
    }
}

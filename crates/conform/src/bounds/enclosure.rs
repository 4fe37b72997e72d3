//! A number type that carries, beside each value in f64, a bound on the error of the same operations in the arithmetic
//! `A`: running error analysis (Wilkinson; Higham, "Accuracy and Stability of Numerical Algorithms", section 3.3). The
//! rule of `flock` is generic, so it bounds its own rounding error when it is run in this type.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul};

use flock::number::normalize;
use flock::{Float, Lanes, Number, Vec3};

use super::decide;

/// The relative margin on the bound of several operations at once. Their roundings are bounded for the vector without
/// error; the margin covers about 50 roundings of the error itself.
const WHOLE: f64 = 1.0 / 1024.0;

/// All numbers within `error` of `value`.
#[derive(Clone, Copy, Debug)]
pub struct Enclosed<A> {
    pub value: f64,
    pub error: f64,
    arithmetic: PhantomData<A>,
}

impl<A: Arithmetic> Enclosed<A> {
    /// A number without error.
    pub const fn exact(value: f64) -> Self {
        Enclosed { value, error: 0.0, arithmetic: PhantomData }
    }

    /// All numbers within `error` of `value`. The error is infinite after an overflow or a division by a possible zero.
    pub fn within(value: f64, error: f64) -> Self {
        let known = value.abs() + error <= A::MOST;
        Enclosed { value, error: if known { error } else { f64::INFINITY }, arithmetic: PhantomData }
    }

    /// The result of an operation, from the error propagated from its operands and the relative error of its rounding.
    fn rounded(value: f64, propagated: f64, relative: f64) -> Self {
        Self::within(value, propagated + relative * (value.abs() + propagated) + A::UNDERFLOW)
    }

    /// True if the error is zero.
    pub fn is_exact(self) -> bool {
        self.error == 0.0
    }

    /// True if the two have no number in common.
    pub fn apart(self, other: Self) -> bool {
        (self.value - other.value).abs() > self.error + other.error
    }

    /// The smallest enclosure of both.
    pub fn hull(self, other: Self) -> Self {
        Self::within(self.value, self.error.max((self.value - other.value).abs() + other.error))
    }

    /// A comparison; it is open where rounding can change its outcome.
    fn compare(self, other: Self, natural: bool) -> bool {
        let error = self.error + other.error;
        let open = error > 0.0 && (self.value - other.value).abs() <= error;
        if open { decide(natural) } else { natural }
    }
}

/// True if the arithmetic can represent this number; a representable result is not rounded.
fn representable<A: Arithmetic>(value: f64) -> bool {
    A::nearest(value) == value && (value == 0.0 || value.abs() >= A::LEAST)
}

impl<A: Arithmetic> Add for Enclosed<A> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        if self.is_exact() && other.is_exact() && representable::<A>(value) {
            // Knuth's two-sum: the rounding error of the addition in f64.
            let part = value - self.value;
            let lost = (self.value - (value - part)) + (other.value - part);
            if lost == 0.0 {
                return Self::exact(value);
            }
        }
        Self::rounded(value, self.error + other.error, A::ROUND)
    }
}

impl<A: Arithmetic> Mul for Enclosed<A> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        if self.is_exact() && other.is_exact() {
            let lost = self.value.mul_add(other.value, -value);
            if lost == 0.0 && representable::<A>(value) {
                return Self::exact(value);
            }
        }
        let propagated =
            self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Self::rounded(value, propagated, A::ROUND)
    }
}

impl<A: Arithmetic> Div for Enclosed<A> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        if self.value == 0.0 && self.is_exact() && other.value.abs() > other.error {
            return Self::exact(0.0);
        }
        let least = other.value.abs() - other.error;
        let propagated =
            if least > 0.0 { (self.error + value.abs() * other.error) / least } else { f64::INFINITY };
        Self::rounded(value, propagated, A::DIVIDE)
    }
}

flock::operators! {
    (A: Arithmetic) Enclosed<A>: Sub sub |a, b: Self| a + -b;
    (A: Arithmetic) Enclosed<A>: Neg neg |a| Enclosed { value: -a.value, ..a };
}

impl<A: Arithmetic> PartialEq for Enclosed<A> {
    fn eq(&self, other: &Self) -> bool {
        self.compare(*other, self.value == other.value)
    }
}

impl<A: Arithmetic> PartialOrd for Enclosed<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
    fn lt(&self, other: &Self) -> bool {
        self.compare(*other, self.value < other.value)
    }
    fn le(&self, other: &Self) -> bool {
        self.compare(*other, self.value <= other.value)
    }
    fn gt(&self, other: &Self) -> bool {
        other.lt(self)
    }
    fn ge(&self, other: &Self) -> bool {
        other.le(self)
    }
}

impl<A: Arithmetic> Default for Enclosed<A> {
    fn default() -> Self {
        Self::exact(0.0)
    }
}

impl<A: Arithmetic> Lanes for Enclosed<A> {
    flock::single_lane!();

    /// |√a − √b| is at most √|a − b|, and at most |a − b| / √a.
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        if value == 0.0 && self.is_exact() {
            return self;
        }
        let propagated = self.error.sqrt().min(self.error / value);
        Self::rounded(value, propagated, A::ROOT)
    }
    // Magnitude, minimum and maximum are continuous: they have no open decision.
    fn abs(self) -> Self {
        Enclosed { value: self.value.abs(), ..self }
    }
    fn min(self, other: Self) -> Self {
        Self::within(self.value.min(other.value), self.error.max(other.error))
    }
    fn max(self, other: Self) -> Self {
        Self::within(self.value.max(other.value), self.error.max(other.error))
    }

    /// Bounds the whole operation, because its errors are correlated: bounding each step would give several times as
    /// much. An error e of length E turns the vector v by at most asin(E / |v|) and changes its length by at most E.
    /// Component k of the unit vector u changes by (e_k − u_k (u·e)) / |v| and, by the second derivative of v / |v|, by
    /// at most 0.6 E² / (|v| − E)² more.
    fn normalize(vector: Vec3<Self>, largest: Self) -> (Vec3<Self>, Self) {
        let (unit, length) = normalize(vector.map(|c| Self::exact(c.value)), Self::exact(largest.value));
        let (unit, error) = (unit.to_array(), vector.map(|c| c.error).to_array());
        let whole = error.iter().map(|e| e * e).sum::<f64>().sqrt();
        if !whole.is_finite() {
            return (unit.map(|c| Self::within(c.value, whole)).into(), Self::within(length.value, whole));
        }
        if length.value.is_nan() {
            // The direction of a vector that may be 0 is unknown: only its error is bounded.
            return ([Self::within(0.0, 1.0 + WHOLE); 3].into(), Self::within(0.0, whole * (1.0 + WHOLE)));
        }
        let share = whole / length.value;
        let turn =
            if share < 1.0 { share * (2.0 / (1.0 + (1.0 - share * share).sqrt())).sqrt() } else { 2.0 };
        let along = |k: usize| unit[k].value.abs() * error[k];
        let all: f64 = (0..3).map(along).sum();
        let unit: [Self; 3] = std::array::from_fn(|k| {
            let u = unit[k].value.abs();
            let aside = error[k] * (1.0 - u * u).max(0.0) + u * (all - along(k));
            let second = 0.6 * (share / (1.0 - share)).powi(2);
            let component = if share < 0.5 { aside / length.value + second } else { 1.0 + u };
            Self::within(unit[k].value, unit[k].error + turn.min(component) * (1.0 + WHOLE))
        });
        (unit.into(), Self::within(length.value, length.error + whole * (1.0 + WHOLE)))
    }
}

impl<A: Arithmetic> Float for Enclosed<A> {}

impl<A: Arithmetic> Number for Enclosed<A> {
    type Format = ();

    const ZERO: Self = Self::exact(0.0);
    const ONE: Self = Self::exact(1.0);
    const TINY_SQUARE: Self = Self::exact(<f64 as Number>::TINY_SQUARE);
    const TINY: Self = Self::exact(<f64 as Number>::TINY);

    fn from_f64(value: f64) -> Self {
        Self::within(value, (value - A::nearest(value)).abs())
    }
    fn to_f64(self) -> f64 {
        self.value
    }
    fn floor(self) -> Self {
        let [low, middle, high] = [-self.error, 0.0, self.error].map(|shift| (self.value + shift).floor());
        if low == high {
            return Self::exact(middle);
        }
        if high - low > 1.0 {
            return Self::within(middle, f64::INFINITY);
        }
        Self::exact(if decide(middle == low) { low } else { high })
    }
    fn floor_to_i32(self) -> i32 {
        self.floor().value as i32
    }
}

/// A sum of terms that may be added in any order and grouping: with n terms that are not zero its rounding error is
/// at most γ·Σ|term|, γ = (n − 1)·r / (1 − (n − 1)·r) with r the error of one addition (Higham, section 4.2).
pub fn any_order<A: Arithmetic>(terms: impl Iterator<Item = Enclosed<A>>) -> Enclosed<A> {
    let mut value = 0.0;
    let mut error = 0.0;
    let mut magnitudes = 0.0;
    let mut count = 0_u32;
    // The lowest bit in any term while all are exact.
    let mut quantum = f64::MAX;
    for term in terms {
        value += term.value;
        if term.value == 0.0 && term.is_exact() {
            continue;
        }
        error += term.error;
        magnitudes += term.value.abs() + term.error;
        count += 1;
        quantum = if term.is_exact() { quantum.min(lowest_bit(term.value)) } else { 0.0 };
    }
    // A sum of multiples of one power of two is exact while the sum of magnitudes fits the significand.
    if count == 0 || quantum > 0.0 && magnitudes <= quantum * f64::exp2(A::DIGITS.into()) {
        return Enclosed::exact(value);
    }
    let additions = f64::from(count - 1) * A::ROUND;
    let rounding = additions / (1.0 - additions) * magnitudes;
    Enclosed::within(value, error + rounding + A::UNDERFLOW * f64::from(count))
}

/// The same for vectors.
pub fn any_order_vectors<A: Arithmetic>(
    vectors: impl Iterator<Item = Vec3<Enclosed<A>>> + Clone,
) -> Vec3<Enclosed<A>> {
    let of = |part: fn(Vec3<Enclosed<A>>) -> Enclosed<A>| any_order(vectors.clone().map(part));
    Vec3::new(of(|v| v.x), of(|v| v.y), of(|v| v.z))
}

/// The lowest set bit of a nonzero number; zero for subnormal numbers, which count as not exact.
fn lowest_bit(value: f64) -> f64 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if exponent == 0 {
        0.0
    } else {
        f64::exp2(f64::from(exponent - 1075 + ((fraction | 1 << 52).trailing_zeros() as i32)))
    }
}

/// The unit roundoff of f32, enlarged by a factor 1 + 2⁻²⁰: that covers the f64 arithmetic of the reference and bounds.
const U32: f64 = UNIT_32 * (1.0 + SLACK);
const UNIT_32: f64 = 1.0 / (1_u64 << 24) as f64;
const SLACK: f64 = 1.0 / (1_u64 << 20) as f64;

/// The guarantees of one kind of arithmetic, in f32 where it does not say otherwise.
pub trait Arithmetic: Copy + Default + Debug + Send + Sync + 'static {
    /// Relative error of a sum, a difference or a product; a representable result is exact.
    const ROUND: f64;
    /// Relative error of a quotient.
    const DIVIDE: f64;
    /// Relative error of a square root.
    const ROOT: f64;
    /// Absolute error near zero, where numbers are subnormal or flushed to zero.
    const UNDERFLOW: f64;
    /// Smallest nonzero magnitude that is never flushed to zero.
    const LEAST: f64;
    /// Largest magnitude.
    const MOST: f64 = f32::MAX as f64;
    /// Bits of a significand.
    const DIGITS: i32 = 24;

    /// The nearest representable number.
    fn nearest(value: f64) -> f64 {
        f64::from(value as f32)
    }
}

/// IEEE 754 binary32, correctly rounded: f32 on the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ieee32;

impl Arithmetic for Ieee32 {
    const ROUND: f64 = U32;
    const DIVIDE: f64 = U32;
    const ROOT: f64 = U32;
    const UNDERFLOW: f64 = f32::MIN_POSITIVE as f64 * UNIT_32;
    const LEAST: f64 = 0.0;
}

/// The f32 of WGSL (section "Floating point accuracy"), which Vulkan and OpenGL drivers provide: sums and products
/// rounded up or down (1 ulp, twice the unit roundoff), quotients to 2.5 ulp, a square root as 1 / inverseSqrt (2 ulp
/// and a quotient), subnormal numbers flushed or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wgsl32;

impl Arithmetic for Wgsl32 {
    const ROUND: f64 = 2.0 * U32;
    const DIVIDE: f64 = 5.0 * U32;
    const ROOT: f64 = 9.0 * U32 * (1.0 + 20.0 * U32);
    const UNDERFLOW: f64 = f32::MIN_POSITIVE as f64;
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
}

/// IEEE 754 binary64: f64 on the CPU. Each rounding counts twice because the reference rounds too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ieee64;

impl Arithmetic for Ieee64 {
    const ROUND: f64 = f64::EPSILON * (1.0 + SLACK);
    const DIVIDE: f64 = Self::ROUND;
    const ROOT: f64 = Self::ROUND;
    const UNDERFLOW: f64 = f64::MIN_POSITIVE * f64::EPSILON;
    const LEAST: f64 = 0.0;
    const MOST: f64 = f64::MAX;
    const DIGITS: i32 = 53;

    fn nearest(value: f64) -> f64 {
        value
    }
}

#[cfg(test)]
mod tests {
    use flock::random::{draw, signed};

    use super::*;

    /// Directions of vectors with all errors that their bounds allow: none lies outside, and some come near the bound.
    fn worst_share<A: Arithmetic>() -> [f64; 2] {
        let mut worst = [0.0_f64; 2];
        for id in 0..20_000 {
            let numbers =
                |stream| draw(1, 2, id, stream).map(|word| f64::from(signed(word)) / f64::from(1 << 24));
            let ([x, y, z, size], [a, b, c, flat]) = (numbers(0), numbers(1));
            // Errors from rounding to the vector's length, and vectors along an axis.
            let error = f64::exp2(13.0 * (size - 1.0));
            let v = [x, y, if flat > 0.0 { z } else { 0.0 }].map(|c| f64::from(c as f32));
            let enclosed = v.map(|c| Enclosed::<A>::within(c, error));
            let largest = enclosed[0].abs().max(enclosed[1].abs()).max(enclosed[2].abs());
            let (unit, length) = Lanes::normalize(enclosed.into(), largest);
            let unit = unit.to_array();
            let corner = [a, b, c].map(|part| if size.abs() < 0.5 { part } else { part.signum() });
            let other: [f64; 3] = std::array::from_fn(|k| v[k] + corner[k] * error);
            let r = other.map(|c| c * c).iter().sum::<f64>().sqrt();
            let compare = |found: Enclosed<A>, actual: f64| (found.value - actual).abs() / found.error;
            for k in 0..3 {
                worst[0] = worst[0].max(compare(unit[k], other[k] / r));
            }
            worst[1] = worst[1].max(compare(length, r));
        }
        worst
    }

    #[test]
    fn directions_stay_within_their_bounds() {
        for worst in [worst_share::<Ieee32>(), worst_share::<Wgsl32>()] {
            assert!(worst.iter().all(|share| (0.8..=1.0).contains(share)), "{worst:?}");
        }
    }
}

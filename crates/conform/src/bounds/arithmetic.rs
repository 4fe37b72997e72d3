//! The accuracy that a floating-point implementation guarantees for each operation, as relative errors.

use std::fmt::Debug;

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

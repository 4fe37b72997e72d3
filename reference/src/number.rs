//! The number type of the models: a value in f64, and the bound within which anybody's program in f64 must lie.

use conform::bounds::enclosure::{Arithmetic, Enclosed, any_order_vectors};
use flock::{Lanes, Vec3};

/// A value and its bound.
pub type Number = Enclosed<AnyProgram>;
pub type Vector = Vec3<Number>;

/// The relative error of an operation: eight units in the last place. A program may take an angle in place of a vector,
/// a remainder in place of a comparison, and a mean of positions in place of a mean of offsets.
pub const UNIT: f64 = 8.0 * f64::EPSILON;

/// The arithmetic of a program in IEEE 754 binary64 whose formulas and order of sums are its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyProgram;

impl Arithmetic for AnyProgram {
    const ROUND: f64 = UNIT;
    const DIVIDE: f64 = UNIT;
    const ROOT: f64 = UNIT;
    const UNDERFLOW: f64 = f64::MIN_POSITIVE * f64::EPSILON;
    const LEAST: f64 = 0.0;
    const MOST: f64 = f64::MAX;
    const DIGITS: i32 = 53;

    fn nearest(value: f64) -> f64 {
        value
    }
}

/// A constant of a model.
pub fn exact(value: f64) -> Number {
    Number::exact(value)
}

/// A vector in the plane.
pub fn vector([x, y]: [f64; 2]) -> Vector {
    Vec3::new(exact(x), exact(y), exact(0.0))
}

/// The same vector in the plane with wider bounds: other formulas round numbers of the size `scale` on the way to it.
pub fn widened(vector: Vector, scale: f64) -> Vector {
    let wider = |number: Number| Number::within(number.value, number.error + UNIT * scale);
    Vec3::new(wider(vector.x), wider(vector.y), exact(0.0))
}

/// The sum, in whatever order a program adds.
pub fn sum(vectors: impl Iterator<Item = Vector> + Clone) -> Vector {
    any_order_vectors(vectors)
}

/// The unit vector along a vector, and the length of the vector; zero for zero.
pub fn direction(vector: Vector) -> (Vector, Number) {
    if vector.largest().value == 0.0 {
        return (vector, exact(0.0));
    }
    Number::normalize(vector, vector.largest())
}

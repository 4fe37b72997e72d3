//! A vector of three numbers or lanes. In two dimensions z is zero.

use core::ops::{Add, Mul, Neg, Sub};

use crate::number::{Lanes, Number};

/// Three components.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<L> {
    pub x: L,
    pub y: L,
    pub z: L,
}

impl<L: Lanes> Vec3<L> {
    /// From components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Vec3 { x, y, z }
    }

    /// All components zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::splat(Vec3::new(L::Scalar::ZERO, L::Scalar::ZERO, L::Scalar::ZERO))
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(v: Vec3<L::Scalar>) -> Self {
        Vec3::new(L::splat(v.x), L::splat(v.y), L::splat(v.z))
    }

    /// The scalar product, summed x, y, z.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector where the mask holds, else zero.
    #[inline(always)]
    pub fn keep(self, mask: L::Mask) -> Self {
        Vec3::new(self.x.keep(mask), self.y.keep(mask), self.z.keep(mask))
    }

    /// The vector where the mask holds, else the other.
    #[inline(always)]
    pub fn select(self, mask: L::Mask, other: Self) -> Self {
        Vec3::new(self.x.select(mask, other.x), self.y.select(mask, other.y), self.z.select(mask, other.z))
    }
}

impl<T: Number> Vec3<T> {
    /// The components, x first.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// Component-wise function.
    #[inline(always)]
    pub fn map(self, f: impl Fn(T) -> T) -> Self {
        Vec3::new(f(self.x), f(self.y), f(self.z))
    }

    /// The largest magnitude of a component.
    #[inline(always)]
    pub fn largest(self) -> T {
        Number::max(Number::max(self.x.abs(), self.y.abs()), self.z.abs())
    }

    /// The direction and the length. A vector that counts as zero has neither.
    #[inline(always)]
    pub fn direction(self) -> Option<(Self, T)> {
        T::direction(self)
    }

    /// The vector, its length cut to `most`.
    #[inline(always)]
    pub fn limit(self, most: T) -> Self {
        match self.direction() {
            Some((unit, length)) if most < length => unit * most,
            _ => self,
        }
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Vec3 { x, y, z }
    }
}

impl<L: Lanes> Add for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<L: Lanes> Sub for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<L: Lanes> Mul<L> for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: L) -> Self {
        Vec3::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<L: Lanes> Neg for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_survive_squares_that_would_not() {
        let v = Vec3::<f32>::new(3e30, 4e30, 0.0);
        let (unit, length) = v.direction().expect("not zero");
        assert!((length / 5e30 - 1.0).abs() < 1e-6 && (unit.x - 0.6).abs() < 1e-6);
        assert_eq!(Vec3::<f32>::zero().direction(), None);
        assert_eq!(Vec3::<f32>::new(1e-20, 0.0, 0.0).limit(1.0).x, 1e-20);
        assert!((v.limit(1.0).dot(v.limit(1.0)) - 1.0).abs() < 1e-6);
    }
}

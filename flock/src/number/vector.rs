//! A vector of three numbers or lanes. In two dimensions z is zero.

use super::{Lanes, Number};

/// Three components.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<L> {
    /// The first component.
    pub x: L,
    /// The second.
    pub y: L,
    /// The third; zero in two dimensions.
    pub z: L,
}

impl<L: Lanes> Vec3<L> {
    /// A vector of these components.
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

    /// The vector in a lane.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> Vec3<L::Scalar> {
        Vec3::new(self.x.lanes()[k], self.y.lanes()[k], self.z.lanes()[k])
    }

    /// Puts a vector into a lane.
    #[inline(always)]
    pub fn set_lane(&mut self, k: usize, v: Vec3<L::Scalar>) {
        (self.x.lanes_mut()[k], self.y.lanes_mut()[k], self.z.lanes_mut()[k]) = (v.x, v.y, v.z);
    }

    /// The scalar product, summed x, y, z.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        let part = |a: L, b: L, c: L, d: L| a * b - c * d;
        Vec3::new(
            part(self.y, o.z, self.z, o.y),
            part(self.z, o.x, self.x, o.z),
            part(self.x, o.y, self.y, o.x),
        )
    }

    /// The largest magnitude of a component.
    #[inline(always)]
    pub fn largest(self) -> L {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// The vector where the mask holds, else zero.
    #[inline(always)]
    pub fn mask(self, mask: L::Mask) -> Self {
        Vec3::new(self.x.mask(mask), self.y.mask(mask), self.z.mask(mask))
    }

    /// The vector where the mask holds, else the other.
    #[inline(always)]
    pub fn select(self, mask: L::Mask, other: Self) -> Self {
        Vec3::new(self.x.select(mask, other.x), self.y.select(mask, other.y), self.z.select(mask, other.z))
    }
}

impl<T> Vec3<T> {
    /// The components, x first.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// Component-wise function.
    #[inline(always)]
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Vec3<U> {
        Vec3 { x: f(self.x), y: f(self.y), z: f(self.z) }
    }

    /// Component-wise function of two.
    #[inline(always)]
    pub fn zip<U, V>(self, other: Vec3<U>, f: impl Fn(T, U) -> V) -> Vec3<V> {
        Vec3 { x: f(self.x, other.x), y: f(self.y, other.y), z: f(self.z, other.z) }
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Vec3 { x, y, z }
    }
}

/// Defines operators of types, each by what it gives.
#[macro_export]
macro_rules! operators {
    ($(($($parameters:tt)*) $type:ty: $trait:ident $method:ident |$a:ident $(, $b:ident: $other:ty)?| $result:expr;)*) => {$(
        impl<$($parameters)*> ::core::ops::$trait$(<$other>)? for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self $(, $b: $other)?) -> Self {
                let $a = self;
                $result
            }
        }
    )*};
}

operators! {
    (L: Lanes) Vec3<L>: Add add |v, o: Self| Vec3::new(v.x + o.x, v.y + o.y, v.z + o.z);
    (L: Lanes) Vec3<L>: Sub sub |v, o: Self| Vec3::new(v.x - o.x, v.y - o.y, v.z - o.z);
    (L: Lanes) Vec3<L>: Mul mul |v, s: L| Vec3::new(v.x * s, v.y * s, v.z * s);
    (L: Lanes) Vec3<L>: Div div |v, s: L| Vec3::new(v.x / s, v.y / s, v.z / s);
    (L: Lanes) Vec3<L>: Neg neg |v| Vec3::new(-v.x, -v.y, -v.z);
}

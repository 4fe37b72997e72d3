//! Requests from sums, in each number type: means, weighted requests, directions and lengths.

use core::fmt::Debug;
use core::ops::Add;

use super::{Format, Lanes, Number, Total, Vec3};
use crate::parameters::Falloff;

/// Lanes in which boids add up requests.
pub trait Requests: Lanes {
    /// A vector with room for sums and products.
    type Wide: Copy + Debug + Add<Output = Self::Wide> + Send + Sync;

    /// A vector in a wider one.
    fn widen(vector: Vec3<Self>) -> Self::Wide;
    /// The vector times a pure number.
    fn weigh(vector: Self::Wide, weight: Self::Scalar) -> Self::Wide;
    /// Back to the narrow type; a vector too long for it keeps its direction.
    fn narrow(vector: Self::Wide) -> Vec3<Self>;
    /// A sum that formulas read, its components shifted right by the given digits.
    fn sum_of(total: Self::Wide, shift: [i8; 3]) -> Vec3<Self>;
    /// The vector divided by a count.
    fn divide(vector: Self::Wide, count: Self) -> Vec3<Self>;
    /// `vector` where the mask holds, else the other.
    fn select_wide(vector: Self::Wide, mask: Self::Mask, other: Self::Wide) -> Self::Wide;

    /// True if a vector is shorter than a radius.
    fn within(vector: Vec3<Self>, radius: Self) -> Self::Mask;
    /// The unit vector of an offset shorter than a radius; zero for others, and for zero.
    fn toward(offset: Vec3<Self>, radius: Self) -> Vec3<Self>;
    /// The unit vector, the length, and the lanes that have them: those whose vector does not count as zero.
    fn direction(vector: Vec3<Self>) -> (Vec3<Self>, Self, Self::Mask);

    /// S, the sum that [`Lanes::add_separation`] added up.
    fn separation_sum(total: &Total<Self>, falloff: Falloff, format: &Format<Self>) -> Self::Wide;
    /// The direction of S, of any length.
    fn separation_direction(total: &Total<Self>, falloff: Falloff, format: &Format<Self>) -> Vec3<Self>;
    /// S divided by a count.
    fn separation_mean(
        total: &Total<Self>,
        falloff: Falloff,
        count: Self,
        format: &Format<Self>,
    ) -> Self::Wide;
    /// The mean of the velocities that [`Lanes::add_velocity`] added.
    fn mean_velocity(total: &Total<Self>, count: Self, format: &Format<Self>) -> Vec3<Self>;
    /// The mean of the offsets of [`Lanes::add_offset`], from the exact position; `with_self` if the boid counts.
    fn mean_offset(
        total: &Total<Self>,
        count: Self,
        with_self: bool,
        format: &Format<Self>,
        position: Vec3<Self>,
    ) -> Vec3<Self>;
    /// The sum of the vectors of [`Lanes::aside`].
    fn line_of_sight_sum(sum: Vec3<Self>, format: &Format<Self>) -> Self::Wide;
}

impl<L: Requests> Vec3<L> {
    /// The vector, its length cut to `most`.
    #[inline(always)]
    pub fn limit(self, most: L) -> Self {
        let (unit, length, moving) = L::direction(self);
        let long = moving & most.lt(length);
        if L::any_lane(long) { (unit * most).select(long, self) } else { self }
    }
}

impl<T: Number> Vec3<T> {
    /// The unit vector and the length; none for a vector that counts as zero.
    #[inline(always)]
    pub fn direction(self) -> Option<(Self, T)> {
        let (unit, length, moving) = T::direction(self);
        moving.then_some((unit, length))
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

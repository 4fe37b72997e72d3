//! The world's edges: nearest images, the inside, and the way back in.

use crate::number::{Lanes, Number, Vec3};
use crate::parameters::Edges;
use crate::rule::Rule;

/// The nearest image of an offset in a wrapping world: `offset` plus or minus `size`, or unchanged, by `coarse`, the
/// same offset in the unit of `half_size`, half the world.
#[inline(always)]
pub(crate) fn nearest_image<L: Lanes>(
    coarse: Vec3<L>,
    offset: Vec3<L>,
    size: Vec3<L>,
    half_size: Vec3<L>,
) -> Vec3<L> {
    let axis = |coarse: L, o: L, size: L, half: L| {
        (o - size).select(half.lt(coarse), (o + size).select(coarse.lt(-half), o))
    };
    Vec3::new(
        axis(coarse.x, offset.x, size.x, half_size.x),
        axis(coarse.y, offset.y, size.y, half_size.y),
        axis(coarse.z, offset.z, size.z, half_size.z),
    )
}

impl<T: Number> Rule<T> {
    /// The offset's nearest image where the world wraps; the offset itself elsewhere.
    #[inline(always)]
    pub fn nearest_image<L: Lanes<Scalar = T>>(&self, offset: Vec3<L>) -> Vec3<L> {
        if self.edges != Edges::Wrap {
            return offset;
        }
        nearest_image(offset, offset, Vec3::splat(self.size), Vec3::splat(self.half_size))
    }

    /// The offset between two coarse positions, by the nearest image; its square is in the unit of squared radii.
    #[inline(always)]
    pub fn coarse_offset(&self, from: Vec3<T>, to: Vec3<T>) -> Vec3<T>
    where
        T: Lanes,
    {
        let offset = T::coarse_position(to, &self.format) - T::coarse_position(from, &self.format);
        if self.edges != Edges::Wrap {
            return offset;
        }
        let [size, half] = [self.coarse_size, self.coarse_half_size].map(Vec3::splat);
        nearest_image(offset, offset, size, half)
    }

    /// True if a position lies inside the world.
    #[inline(always)]
    pub fn inside(&self, position: Vec3<T>) -> bool {
        let axis = |p: T, min: T, max: T| min <= p && p < max;
        axis(position.x, self.world_min.x, self.world_max.x)
            && axis(position.y, self.world_min.y, self.world_max.y)
            && (self.flat || axis(position.z, self.world_min.z, self.world_max.z))
    }

    /// A position brought back into the world where it wraps.
    #[inline(always)]
    pub fn wrap<L: Lanes<Scalar = T>>(&self, position: Vec3<L>) -> Vec3<L> {
        if self.edges != Edges::Wrap {
            return position.map(L::confine);
        }
        let (min, max, size) = (self.world_min, self.world_max, self.size);
        Vec3::new(
            wrap_lanes(position.x, min.x, max.x, size.x),
            wrap_lanes(position.y, min.y, max.y, size.y),
            wrap_lanes(position.z, min.z, max.z, size.z),
        )
    }
}

/// Registers are taken apart only where some lane is outside.
#[inline(always)]
fn wrap_lanes<L: Lanes>(p: L, min: L::Scalar, max: L::Scalar, size: L::Scalar) -> L {
    if L::LANES > 1 && !L::any(!(L::splat(min).le(p) & p.lt(L::splat(max)))) {
        return p.confine();
    }
    p.map_lanes(|p| wrap_number(p, min, max, size))
}

#[inline]
fn wrap_number<T: Number>(p: T, min: T, max: T, size: T) -> T {
    if min <= p && p < max || size <= T::ZERO {
        return p.confine();
    }
    let q = p - size * ((p - min) / size).floor();
    // Rounding may land on the far edge, which is the near one.
    if q < min || max <= q { min } else { q }
}

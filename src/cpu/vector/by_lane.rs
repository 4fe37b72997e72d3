//! What registers of words have no instructions for: lane by lane.

use flock::fixed::Layout;
use flock::parameters::Falloff;
use flock::sensing::Total;
use flock::{Fixed, Sensing, Vec3};

use super::Vector;

fn lane<V: Vector>([x, y, z]: &[V::Array; 3], k: usize) -> Vec3<V::Scalar> {
    Vec3 { x: x.as_ref()[k], y: y.as_ref()[k], z: z.as_ref()[k] }
}

fn set_lane<V: Vector>(arrays: &mut [V::Array; 3], k: usize, v: Vec3<V::Scalar>) {
    for (array, component) in arrays.iter_mut().zip(v.to_array()) {
        array.as_mut()[k] = component;
    }
}

/// A function of vectors.
pub fn each<V: Vector<Scalar = Fixed>, const N: usize>(
    vectors: [Vec3<V>; N],
    f: impl Fn([Vec3<Fixed>; N]) -> Vec3<Fixed>,
) -> Vec3<V> {
    let vectors = vectors.map(Vec3::to_arrays);
    let mut results = Vec3::<V>::zero().to_arrays();
    for k in 0..V::LANES {
        set_lane::<V>(&mut results, k, f(core::array::from_fn(|n| lane::<V>(&vectors[n], k))));
    }
    Vec3::from_arrays(results)
}

/// Adds separations that weaken with the distance: they depend on the fine offset alone.
pub fn add_separation_each<V: Vector<Scalar = Fixed>>(
    total: &mut Total<V>,
    falloff: Falloff,
    layout: &Layout,
    fine: Vec3<V>,
    seen: V::Mask,
) {
    let (mut sums, mut rests, fine) = (total.sum.to_arrays(), total.rest.to_arrays(), fine.to_arrays());
    let mut left = V::bits(seen);
    while left != 0 {
        let k = left.trailing_zeros() as usize;
        left &= left - 1;
        let mut total = Total { sum: lane::<V>(&sums, k), rest: lane::<V>(&rests, k) };
        let offset = lane::<V>(&fine, k);
        Fixed::add_separation(&mut total, falloff, layout, offset, || offset, Fixed(0), true);
        set_lane::<V>(&mut sums, k, total.sum);
        set_lane::<V>(&mut rests, k, total.rest);
    }
    (total.sum, total.rest) = (Vec3::from_arrays(sums), Vec3::from_arrays(rests));
}

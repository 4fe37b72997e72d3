//! From one register a sum to one struct a boid.

use flock::Vec3;
use flock::number::Total;
use flock::perceive::Sums;

use super::vector::Vector;

/// The components, a number a lane.
#[inline(always)]
pub fn arrays<V: Vector>(v: Vec3<V>) -> [V::Array; 3] {
    [v.x.to_array(), v.y.to_array(), v.z.to_array()]
}

/// The sums of one lane after the other.
#[inline(always)]
pub fn unpack<V: Vector>(all: &Sums<V>) -> impl Fn(usize) -> Sums<V::Scalar> {
    let total = |t: &Total<V>| [arrays(t.sum), arrays(t.rest)];
    let totals = [total(&all.separation), total(&all.alignment), total(&all.cohesion)];
    let line_of_sight = arrays(all.line_of_sight);
    let counts =
        [all.separation_count.to_array(), all.alignment_count.to_array(), all.cohesion_count.to_array()];
    move |k| {
        let lane = |v: &[V::Array; 3]| Vec3::from([v[0].as_ref()[k], v[1].as_ref()[k], v[2].as_ref()[k]]);
        let total = |t: usize| Total { sum: lane(&totals[t][0]), rest: lane(&totals[t][1]) };
        let (separation, alignment, cohesion) = (total(0), total(1), total(2));
        let [separation_count, alignment_count, cohesion_count] = lane(&counts).to_array();
        Sums {
            separation,
            separation_count,
            alignment,
            alignment_count,
            cohesion,
            cohesion_count,
            line_of_sight: lane(&line_of_sight),
        }
    }
}

//! The sieve: of a row of boids it keeps those who may be within reach of the boids of a run.

use std::ops::Range;

use flock::perceive::Senses;
use flock::{Number, Vec3};

use super::seen::Places;
use super::vector::{MOST_LANES, Vector};

/// Those kept who have not been met yet, at most.
const ROOM: usize = 256;

/// Around a run of boids.
#[derive(Debug)]
pub struct Sieve<'a, V: Vector> {
    places: &'a Places<V::Scalar>,
    /// The corners of the box around the run.
    low: Vec3<V>,
    high: Vec3<V>,
    kept: [u32; ROOM + MOST_LANES],
    count: usize,
}

impl<'a, V: Vector> Sieve<'a, V> {
    #[inline(always)]
    pub fn new(places: &'a Places<V::Scalar>, run: Range<usize>, flat: bool) -> Self {
        let interval = |places: &[V::Scalar]| {
            let first = places[run.start];
            places[run.clone()].iter().fold((first, first), |(low, high), place| {
                (Number::min(low, *place), Number::max(high, *place))
            })
        };
        let (x, y) = (interval(&places.x), interval(&places.y));
        let z = if flat { (V::Scalar::ZERO, V::Scalar::ZERO) } else { interval(&places.z) };
        Sieve {
            places,
            low: Vec3::splat(Vec3 { x: x.0, y: y.0, z: z.0 }),
            high: Vec3::splat(Vec3 { x: x.1, y: y.1, z: z.1 }),
            kept: [0; ROOM + MOST_LANES],
            count: 0,
        }
    }

    /// Keeps a range of boids, as many as there is room for; leaves the rest of the range.
    #[inline(always)]
    pub fn keep(&mut self, range: &mut Range<usize>) {
        while range.start < range.end && self.count <= ROOM {
            self.kept[self.count] = range.start as u32;
            self.count += 1;
            range.start += 1;
        }
    }

    /// Sifts a range of boids, as many as there is room for those kept of them; leaves the rest of the range.
    ///
    /// A register of places at a time. The offset from the box is no longer than that from any boid in it, in rounded
    /// numbers too: rounding keeps the order.
    #[inline(always)]
    pub fn sift(&mut self, senses: &Senses<V>, range: &mut Range<usize>, flat: bool) {
        while range.start < range.end && self.count <= ROOM {
            let Places { x, y, z } = self.places;
            let first = range.start;
            let zero = V::splat(V::Scalar::ZERO);
            let offset = Vec3::new(
                beyond(x, first, self.low.x, self.high.x),
                beyond(y, first, self.low.y, self.high.y),
                if flat { zero } else { beyond(z, first, self.low.z, self.high.z) },
            );
            let left = range.end - first;
            let all = if left < V::LANES { (1 << left) - 1 } else { u32::MAX };
            let kept = V::bits(senses.reaches(offset)) & all;
            self.count += V::write_set(kept, first as u32, &mut self.kept[self.count..]);
            range.start = range.end.min(first + V::LANES);
        }
    }

    /// Those kept, in their order; the sieve is empty then.
    #[inline(always)]
    pub fn empty(&mut self) -> &[u32] {
        &self.kept[..std::mem::take(&mut self.count)]
    }
}

/// How far places from a first one on lie beyond the ends of an interval.
#[inline(always)]
fn beyond<V: Vector>(places: &[V::Scalar], first: usize, low: V, high: V) -> V {
    let place = V::load(&places[first..first + V::LANES]);
    V::splat(V::Scalar::ZERO).larger(low - place).larger(place - high)
}

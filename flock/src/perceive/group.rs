//! Groups of boids: whether a rule perceives all of one or nobody, and its sums in place of theirs.

use super::{Cone, Observer, Senses, Sums};
use crate::number::{Lanes, Number, Total};
use crate::parameters::Falloff;
use crate::vector::Vec3;

/// What a group of boids comes to.
#[derive(Clone, Copy, Debug)]
pub struct Group<L> {
    /// How many they are.
    pub boids: L,
    /// The corners of the box around them.
    pub low: Vec3<L>,
    pub high: Vec3<L>,
    /// Sums from the low corner: between places, and between positions. They and their like are right in their last
    /// digits; the sum of the offsets that a boid perceives fits.
    pub places: Vec3<L>,
    pub positions: Vec3<L>,
    /// Of their velocities, as [`Lanes::join`] adds them.
    pub velocity: Total<L>,
}

/// How a group is seen.
#[derive(Clone, Copy, Debug)]
pub struct Glance<L: Lanes> {
    /// To the low corner of its box: between places, and between positions.
    places: Vec3<L>,
    positions: Vec3<L>,
    /// Which rules perceive all of it.
    separation: L::Mask,
    alignment: L::Mask,
    cohesion: L::Mask,
    /// Each rule perceives all of it or nobody, and some do.
    pub wholly: L::Mask,
    /// Boid by boid is another matter.
    pub partly: L::Mask,
}

/// Who perceives all of a group, and who nobody of it.
#[derive(Clone, Copy)]
struct Verdict<L: Lanes> {
    all: L::Mask,
    none: L::Mask,
}

impl<L: Lanes> Verdict<L> {
    #[inline(always)]
    fn known(self) -> L::Mask {
        self.all | self.none
    }

    /// The same for a rule that leaves out whom another perceives.
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Verdict { all: self.all & other.none, none: self.none | other.all }
    }
}

impl<L: Lanes> Senses<L> {
    /// How a group is seen, `DETAILED` and `ALIKE` as in [`crate::Rule`]. Offsets and squares are rounded alike and grow
    /// with the distance, so that what holds for the corners of the box holds for the boids.
    #[inline(always)]
    pub fn glance<const DETAILED: bool, const ALIKE: bool>(
        &self,
        me: &Observer<L>,
        group: &Group<L>,
    ) -> Glance<L> {
        let (from, to) = (self.offset(me, group.low), self.offset(me, group.high));
        let positions = self.fine(me, group.low);
        let zero = L::splat(L::Scalar::ZERO);
        let most = Vec3::new(larger(-from.x, to.x), larger(-from.y, to.y), larger(-from.z, to.z));
        let least = Vec3::new(
            larger(larger(from.x, -to.x), zero),
            larger(larger(from.y, -to.y), zero),
            larger(larger(from.z, -to.z), zero),
        );
        let (nearest, farthest) = (L::square(least), L::square(most));
        // Otherwise a part of the box is nearer across the seam.
        let mut one_image = from.x.le(to.x) & from.y.le(to.y) & from.z.le(to.z);
        if self.wrap {
            let half = self.half_size;
            let size = L::place(group.high, &self.format) - L::place(group.low, &self.format);
            one_image = one_image & size.x.le(half.x) & size.y.le(half.y) & size.z.le(half.z);
        }

        let reach = Reach { ends: [from, to], nearest, farthest, here: nothing(most) };
        let mut separation = reach.judge::<DETAILED>(me, &self.separation);
        if self.falloff != Falloff::None {
            // Weakened pushes are no sum of offsets; from one's own place there are none.
            let size = group.high - group.low;
            separation.all = separation.all & reach.here & nothing(positions) & nothing(size);
        }
        let mut cohesion = reach.judge::<DETAILED>(me, &self.cohesion);
        let mut alignment = if ALIKE { cohesion } else { reach.judge::<DETAILED>(me, &self.alignment) };
        if self.exclusive {
            let close = reach.judge::<false>(me, &self.separation);
            cohesion = cohesion.without(close);
            alignment = alignment.without(close);
        }

        let mut known = one_image & separation.known() & alignment.known() & cohesion.known();
        if DETAILED && self.line_of_sight.used {
            known = known & reach.judge::<true>(me, &self.line_of_sight).none;
        }
        Glance {
            places: from,
            positions,
            separation: separation.all,
            alignment: alignment.all,
            cohesion: cohesion.all,
            wholly: known & (separation.all | alignment.all | cohesion.all),
            partly: !known,
        }
    }

    /// Adds a group in the lanes of a mask, all of which see it wholly; `own` are the lanes that belong
    /// to it themselves.
    #[inline(always)]
    pub fn add_group<const ALIKE: bool>(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        glance: &Glance<L>,
        seen: L::Mask,
        own: L::Mask,
        group: &Group<L>,
    ) {
        let boids = group.boids;
        let count = boids - L::splat(L::Scalar::COUNT).keep(own);
        let places = total(glance.places, boids, group.places);
        let positions = total(glance.positions, boids, group.positions);
        let none = L::splat(L::Scalar::ZERO);

        let close = seen & glance.separation;
        if self.falloff == Falloff::None {
            L::push(&mut sums.separation, Falloff::None, &self.format, places, || positions, none, close);
        }
        sums.separation_count = sums.separation_count + count.keep(close);

        let joined = seen & glance.alignment;
        let zero = Vec3::zero();
        let mut mine = Total { sum: zero, rest: zero };
        L::join(&mut mine, &self.format, me.velocity, own);
        let Total { sum, rest } = &mut sums.alignment;
        *sum = *sum + (group.velocity.sum - mine.sum).keep(joined);
        *rest = *rest + (group.velocity.rest - mine.rest).keep(joined);
        sums.alignment_count = sums.alignment_count + count.keep(joined);

        let pulled = seen & glance.cohesion;
        L::pull(&mut sums.cohesion, &self.format, places, || positions, pulled);
        sums.cohesion_count =
            if ALIKE { sums.alignment_count } else { sums.cohesion_count + count.keep(pulled) };
    }
}

// No closures here: one that is not inlined has no right to the registers of its caller.

/// Where the boids of a group lie, from a boid's place.
struct Reach<L: Lanes> {
    /// The corners of the box around them.
    ends: [Vec3<L>; 2],
    /// Between which squares of distances they lie.
    nearest: L,
    farthest: L,
    /// All on the very place.
    here: L::Mask,
}

impl<L: Lanes> Reach<L> {
    /// How many of the group a rule perceives.
    #[inline(always)]
    fn judge<const DETAILED: bool>(&self, me: &Observer<L>, cone: &Cone<L>) -> Verdict<L> {
        let mut all = self.farthest.lt(cone.radius_square);
        let mut none = !self.nearest.lt(cone.radius_square);
        if DETAILED && !cone.all_round && L::any(!none) {
            let edge = [cone.cosine, cone.sine];
            let (inside, outside) = L::cone(me.heading, me.heading_square, edge, self.ends);
            // A boid at rest sees all round, and everybody sees whom it sits on.
            all = all & (inside | self.here | nothing(me.heading));
            none = none | outside;
        }
        Verdict { all, none }
    }
}

/// Where a vector is zero.
#[inline(always)]
fn nothing<L: Lanes>(v: Vec3<L>) -> L::Mask {
    let zero = L::splat(L::Scalar::ZERO);
    v.x.le(zero) & zero.le(v.x) & v.y.le(zero) & zero.le(v.y) & v.z.le(zero) & zero.le(v.z)
}

#[inline(always)]
fn larger<L: Lanes>(a: L, b: L) -> L {
    b.select(a.lt(b), a)
}

/// So many times an offset, and another sum.
#[inline(always)]
fn total<L: Lanes>(offset: Vec3<L>, boids: L, sum: Vec3<L>) -> Vec3<L> {
    Vec3::new(
        offset.x.times(boids).plus(sum.x),
        offset.y.times(boids).plus(sum.y),
        offset.z.times(boids).plus(sum.z),
    )
}

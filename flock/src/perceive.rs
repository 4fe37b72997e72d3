//! What a boid perceives: the sums over its neighbours, for one boid or for a register of boids at once.
//!
//! Rule k perceives an offset o when |o| < radius and the angle between heading and o is at most the half angle:
//! v·o ≥ cos(angle)·|v|·|o|, compared as squares with the signs kept apart.

use crate::number::{Format, Lanes, Number, Total};
use crate::parameters::{Edges, Falloff};
use crate::rule::{Rule, View};
use crate::vector::Vec3;

mod group;

pub use group::{Glance, Group};

/// Sums over the boids perceived: S, A and C of the rule, and the sideways request of the line of sight; of places and
/// paces as the number type sees them.
#[derive(Clone, Copy, Debug)]
pub struct Sums<L> {
    /// S = Σ −o·f(d).
    pub separation: Total<L>,
    pub separation_count: L,
    /// A = Σ v.
    pub alignment: Total<L>,
    pub alignment_count: L,
    /// C = Σ o.
    pub cohesion: Total<L>,
    pub cohesion_count: L,
    /// −Σ of the part of o that is perpendicular to the heading.
    pub line_of_sight: Vec3<L>,
}

impl<L: Lanes> Sums<L> {
    /// Nobody perceived.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        let zero = Vec3::zero();
        let none = L::splat(L::Scalar::ZERO);
        Sums {
            separation: Total { sum: zero, rest: zero },
            separation_count: none,
            alignment: Total { sum: zero, rest: zero },
            alignment_count: none,
            cohesion: Total { sum: zero, rest: zero },
            cohesion_count: none,
            line_of_sight: zero,
        }
    }
}

impl<L: Lanes> Default for Sums<L> {
    fn default() -> Self {
        Self::new()
    }
}

/// The perceiving boid, one a lane.
#[derive(Clone, Copy, Debug)]
pub struct Observer<L> {
    pub position: Vec3<L>,
    pub velocity: Vec3<L>,
    place: Vec3<L>,
    heading: Vec3<L>,
    heading_square: L,
    /// A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: Vec3<L>,
}

/// The part of [`Rule`] that the sums need, in every lane.
#[derive(Clone, Copy, Debug)]
pub struct Senses<L: Lanes> {
    separation: Cone<L>,
    alignment: Cone<L>,
    cohesion: Cone<L>,
    line_of_sight: Cone<L>,
    reach_square: L,
    size: Vec3<L>,
    half_size: Vec3<L>,
    /// World size between positions, not places.
    fine_size: Vec3<L>,
    wrap: bool,
    falloff: Falloff,
    exclusive: bool,
    format: Format<L>,
}

#[derive(Clone, Copy, Debug)]
struct Cone<L> {
    radius_square: L,
    cosine_square: L,
    cosine: L,
    sine: L,
    acute: bool,
    all_round: bool,
    used: bool,
}

impl<L: Lanes> Cone<L> {
    #[inline(always)]
    fn new(view: &View<L::Scalar>) -> Self {
        Cone {
            radius_square: L::splat(view.radius_square),
            cosine_square: L::splat(view.cosine_square),
            cosine: L::splat(view.cosine),
            sine: L::splat(view.sine),
            acute: view.acute,
            all_round: view.all_round,
            used: view.used,
        }
    }

    /// Which lanes perceive the offset, `detailed` looking at the angle too.
    #[inline(always)]
    fn sees(&self, detailed: bool, me: &Observer<L>, offset: Vec3<L>, square: L) -> L::Mask {
        let near = square.lt(self.radius_square);
        if !detailed || self.all_round {
            return near;
        }
        let (ahead, ahead_square) = L::ahead(me.heading, offset);
        let share = L::share(self.cosine_square, me.heading_square, square);
        let forward = L::splat(L::Scalar::ZERO).le(ahead);
        let within =
            if self.acute { forward & share.le(ahead_square) } else { forward | ahead_square.le(share) };
        near & within
    }
}

impl<L: Lanes> Senses<L> {
    /// From the rule.
    #[inline(always)]
    pub fn new(rule: &Rule<L::Scalar>) -> Self {
        Senses {
            separation: Cone::new(&rule.separation),
            alignment: Cone::new(&rule.alignment),
            cohesion: Cone::new(&rule.cohesion),
            line_of_sight: Cone::new(&rule.line_of_sight),
            reach_square: L::splat(rule.reach_square),
            size: Vec3::splat(rule.place_size),
            half_size: Vec3::splat(rule.place_half_size),
            fine_size: Vec3::splat(rule.size),
            wrap: rule.edges == Edges::Wrap,
            falloff: rule.falloff,
            exclusive: rule.exclusive,
            format: rule.format,
        }
    }

    /// A boid about to look around; `detailed` as in [`Rule::detailed`].
    #[inline(always)]
    pub fn observer(&self, position: Vec3<L>, velocity: Vec3<L>, detailed: bool) -> Observer<L> {
        let place = L::place(position, &self.format);
        let zero = Vec3::zero();
        if !detailed {
            let heading_square = L::splat(L::Scalar::ZERO);
            return Observer { position, velocity, place, heading: zero, heading_square, sideways: zero };
        }
        let heading = L::heading(velocity);
        let heading_square = L::square(heading);
        let sideways = L::sideways(heading, heading_square);
        Observer { position, velocity, place, heading, heading_square, sideways }
    }

    /// The same for boids whose neighbours all lie on their own side of every seam.
    #[inline(always)]
    #[must_use]
    pub fn away_from_seams(self) -> Self {
        Senses { wrap: false, ..self }
    }

    /// The same, said to the compiler once more: that separation is used, how it weakens, and exclusive or not.
    #[inline(always)]
    #[must_use]
    pub fn separating(self, falloff: Falloff, exclusive: bool) -> Self {
        let separation = Cone { used: true, ..self.separation };
        Senses { separation, falloff, exclusive, ..self }
    }

    /// Whether an offset between places is within reach.
    #[inline(always)]
    pub fn reaches(&self, offset: Vec3<L>) -> L::Mask {
        L::square(offset).lt(self.reach_square)
    }

    /// Between places.
    #[inline(always)]
    fn offset(&self, me: &Observer<L>, position: Vec3<L>) -> Vec3<L> {
        let offset = L::place(position, &self.format) - me.place;
        if self.wrap { nearest_image(offset, offset, self.size, self.half_size) } else { offset }
    }

    /// Between positions, of the same image.
    #[inline(always)]
    fn fine(&self, me: &Observer<L>, position: Vec3<L>) -> Vec3<L> {
        let offset = position - me.position;
        if !self.wrap {
            return offset;
        }
        let places = L::place(position, &self.format) - me.place;
        nearest_image(places, offset, self.fine_size, self.half_size)
    }

    /// Adds one other boid to the sums of each lane that perceives it. Its velocity is read only where somebody is
    /// near; `present` is false in the lane that holds that boid itself. `DETAILED` as in [`Rule::detailed`].
    #[inline(always)]
    pub fn add<const DETAILED: bool>(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        velocity: impl FnOnce() -> Vec3<L>,
        present: Option<L::Mask>,
    ) {
        self.meet::<DETAILED, false>(sums, me, position, velocity, present);
    }

    /// The same for a rule that is [`Rule::alike`] and a boid that somebody is likely to perceive: with fewer tests.
    #[inline(always)]
    pub fn add_alike(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        velocity: Vec3<L>,
        present: Option<L::Mask>,
    ) {
        self.meet::<false, true>(sums, me, position, || velocity, present);
        sums.cohesion_count = sums.alignment_count;
    }

    #[inline(always)]
    fn meet<const DETAILED: bool, const ALIKE: bool>(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        velocity: impl FnOnce() -> Vec3<L>,
        present: Option<L::Mask>,
    ) {
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let mut near = square.lt(self.reach_square);
        if let Some(present) = present {
            near = near & present;
        }
        if !ALIKE && !L::any(near) {
            return;
        }
        let one = L::splat(L::Scalar::COUNT);
        // Where most lanes' worth is needed it is computed at once: a function of registers must not remain a call.
        let at_once = if ALIKE { self.fine(me, position) } else { offset };
        let fine = || if ALIKE { at_once } else { self.fine(me, position) };
        let mut left = near;
        if self.separation.used {
            let seen = near & self.separation.sees(DETAILED, me, offset, square);
            if self.exclusive {
                // Inside the radius is enough to be left out, seen or not.
                left = near & !square.lt(self.separation.radius_square);
            }
            // Where it costs little it is added at once: as likely as not somebody sees.
            if ALIKE && self.falloff == Falloff::None || L::any(seen) {
                L::push(&mut sums.separation, self.falloff, &self.format, offset, fine, square, seen);
                sums.separation_count = sums.separation_count + one.keep(seen);
            }
        }
        if ALIKE {
            L::join(&mut sums.alignment, &self.format, velocity(), left);
            L::pull(&mut sums.cohesion, &self.format, offset, fine, left);
            sums.alignment_count = sums.alignment_count + one.keep(left);
            return;
        }
        if self.alignment.used {
            let seen = left & self.alignment.sees(DETAILED, me, offset, square);
            L::join(&mut sums.alignment, &self.format, velocity(), seen);
            sums.alignment_count = sums.alignment_count + one.keep(seen);
        }
        if self.cohesion.used {
            let seen = left & self.cohesion.sees(DETAILED, me, offset, square);
            L::pull(&mut sums.cohesion, &self.format, offset, fine, seen);
            sums.cohesion_count = sums.cohesion_count + one.keep(seen);
        }
        if DETAILED && self.line_of_sight.used {
            let seen = near & self.line_of_sight.sees(true, me, offset, square);
            if L::any(seen) {
                let aside = L::aside(me.heading, me.heading_square, me.sideways, offset, square);
                sums.line_of_sight = sums.line_of_sight - aside.keep(seen);
            }
        }
    }

    /// Adds an object that only separation perceives.
    #[inline(always)]
    pub fn add_object(&self, sums: &mut Sums<L>, me: &Observer<L>, position: Vec3<L>) {
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let seen = self.separation.sees(true, me, offset, square);
        let fine = || self.fine(me, position);
        L::push(&mut sums.separation, self.falloff, &self.format, offset, fine, square, seen);
        sums.separation_count = sums.separation_count + L::splat(L::Scalar::COUNT).keep(seen);
    }
}

/// The image of an offset in a wrapping world of a size that makes `near` the nearest; half a world in near's unit.
#[inline(always)]
fn nearest_image<L: Lanes>(near: Vec3<L>, o: Vec3<L>, size: Vec3<L>, half: Vec3<L>) -> Vec3<L> {
    let axis = |near: L, o: L, size: L, half: L| {
        (o - size).select(half.lt(near), (o + size).select(near.lt(-half), o))
    };
    Vec3::new(
        axis(near.x, o.x, size.x, half.x),
        axis(near.y, o.y, size.y, half.y),
        axis(near.z, o.z, size.z, half.z),
    )
}

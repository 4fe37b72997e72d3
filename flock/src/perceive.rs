//! What a boid perceives: the sums over its neighbours, for one boid or for a register of boids at once.
//!
//! Rule k perceives an offset o when |o| < radius and the angle between heading and o is at most the half angle:
//! v·o ≥ cos(angle)·|v|·|o|, compared as squares with the signs kept apart.

use crate::number::{Lanes, Number};
use crate::parameters::{Edges, Falloff};
use crate::rule::{Rule, View};
use crate::vector::Vec3;

/// Sums over the boids perceived: S, A and C of the rule, and the sideways request of the line of sight.
#[derive(Clone, Copy, Debug)]
pub struct Sums<L> {
    /// S = Σ −o·f(d).
    pub separation: Vec3<L>,
    pub separation_count: L,
    /// A = Σ v.
    pub alignment: Vec3<L>,
    pub alignment_count: L,
    /// C = Σ o.
    pub cohesion: Vec3<L>,
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
            separation: zero,
            separation_count: none,
            alignment: zero,
            alignment_count: none,
            cohesion: zero,
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
    speed_square: L,
    /// A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: Vec3<L>,
}

impl<L: Lanes> Observer<L> {
    /// A boid about to look around; `detailed` as in [`Rule::detailed`].
    #[inline(always)]
    pub fn new(position: Vec3<L>, velocity: Vec3<L>, detailed: bool) -> Self {
        let zero = L::splat(L::Scalar::ZERO);
        if !detailed {
            return Observer { position, velocity, speed_square: zero, sideways: Vec3::zero() };
        }
        let speed_square = velocity.dot(velocity);
        let level = velocity.x * velocity.x + velocity.y * velocity.y;
        let upright = level.le(speed_square * L::splat(L::Scalar::from_f64(0.000_001)));
        let side = Vec3::new(velocity.z, zero, -velocity.x)
            .select(upright, Vec3::new(-velocity.y, velocity.x, zero));
        let square = side.dot(side);
        let tiny = L::splat(L::Scalar::TINY_SQUARE);
        let moving = !square.lt(tiny);
        let one = L::splat(L::Scalar::ONE);
        let inverse = one / square.select(moving, one).sqrt();
        Observer { position, velocity, speed_square, sideways: (side * inverse).keep(moving) }
    }
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
    wrap: bool,
    falloff: Falloff,
    exclusive: bool,
}

#[derive(Clone, Copy, Debug)]
struct Cone<L> {
    radius_square: L,
    cosine_square: L,
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
        let zero = L::splat(L::Scalar::ZERO);
        let ahead = me.velocity.dot(offset);
        let share = self.cosine_square * me.speed_square * square;
        let forward = zero.le(ahead);
        let within =
            if self.acute { forward & share.le(ahead * ahead) } else { forward | (ahead * ahead).le(share) };
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
            size: Vec3::splat(rule.size),
            half_size: Vec3::splat(rule.half_size),
            wrap: rule.edges == Edges::Wrap,
            falloff: rule.falloff,
            exclusive: rule.exclusive,
        }
    }

    /// The same for boids whose neighbours all lie on their own side of every seam.
    #[inline(always)]
    #[must_use]
    pub fn away_from_seams(self) -> Self {
        Senses { wrap: false, ..self }
    }

    #[inline(always)]
    fn nearest_image(&self, o: Vec3<L>) -> Vec3<L> {
        let axis = |o: L, size: L, half: L| (o - size).select(half.lt(o), (o + size).select(o.lt(-half), o));
        Vec3::new(
            axis(o.x, self.size.x, self.half_size.x),
            axis(o.y, self.size.y, self.half_size.y),
            axis(o.z, self.size.z, self.half_size.z),
        )
    }

    /// Whether a boid at a position is within reach of any lane.
    #[inline(always)]
    pub fn reach(&self, me: &Observer<L>, position: Vec3<L>) -> bool {
        let offset = self.offset(me, position);
        L::any(offset.dot(offset).lt(self.reach_square))
    }

    #[inline(always)]
    fn offset(&self, me: &Observer<L>, position: Vec3<L>) -> Vec3<L> {
        let offset = position - me.position;
        if self.wrap { self.nearest_image(offset) } else { offset }
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
        let offset = self.offset(me, position);
        let square = offset.dot(offset);
        let mut near = square.lt(self.reach_square);
        if let Some(present) = present {
            near = near & present;
        }
        if !L::any(near) {
            return;
        }
        let one = L::splat(L::Scalar::ONE);
        let mut left = near;
        if self.separation.used {
            let seen = near & self.separation.sees(DETAILED, me, offset, square);
            if self.exclusive {
                // Inside the radius is enough to be left out, seen or not.
                left = near & !square.lt(self.separation.radius_square);
            }
            if L::any(seen) {
                sums.separation = sums.separation - self.weaken(offset, square).keep(seen);
                sums.separation_count = sums.separation_count + one.keep(seen);
            }
        }
        if self.alignment.used {
            let seen = left & self.alignment.sees(DETAILED, me, offset, square);
            sums.alignment = sums.alignment + velocity().keep(seen);
            sums.alignment_count = sums.alignment_count + one.keep(seen);
        }
        if self.cohesion.used {
            let seen = left & self.cohesion.sees(DETAILED, me, offset, square);
            sums.cohesion = sums.cohesion + offset.keep(seen);
            sums.cohesion_count = sums.cohesion_count + one.keep(seen);
        }
        if DETAILED && self.line_of_sight.used {
            let seen = near & self.line_of_sight.sees(true, me, offset, square);
            if L::any(seen) {
                sums.line_of_sight = sums.line_of_sight - self.aside(me, offset, square).keep(seen);
            }
        }
    }

    /// Adds an object that only separation perceives.
    #[inline(always)]
    pub fn add_object(&self, sums: &mut Sums<L>, me: &Observer<L>, offset: Vec3<L>) {
        let square = offset.dot(offset);
        let seen = self.separation.sees(true, me, offset, square);
        sums.separation = sums.separation - self.weaken(offset, square).keep(seen);
        sums.separation_count = sums.separation_count + L::splat(L::Scalar::ONE).keep(seen);
    }

    /// o·f(d), nothing where d counts as zero and f has a pole.
    #[inline(always)]
    fn weaken(&self, offset: Vec3<L>, square: L) -> Vec3<L> {
        let divisor = match self.falloff {
            Falloff::None => return offset,
            Falloff::Inverse => square.sqrt(),
            Falloff::InverseSquare => square,
        };
        let one = L::splat(L::Scalar::ONE);
        let apart = !square.lt(L::splat(L::Scalar::TINY_SQUARE));
        (offset * (one / divisor.select(apart, one))).keep(apart)
    }

    /// The part of the offset perpendicular to the velocity; for one exactly ahead, d in the fixed direction
    /// opposite to sideways, so that the boid gives way sideways.
    #[inline(always)]
    fn aside(&self, me: &Observer<L>, offset: Vec3<L>, square: L) -> Vec3<L> {
        let zero = L::splat(L::Scalar::ZERO);
        let one = L::splat(L::Scalar::ONE);
        let moving = zero.lt(me.speed_square);
        let along = (me.velocity.dot(offset) / me.speed_square.select(moving, one)).keep(moving);
        let across = offset - me.velocity * along;
        // Within about 10⁻⁶ rad of the heading counts as exactly ahead, in every number type.
        let exactly = across.dot(across).le(square * L::splat(L::Scalar::from_f64(1e-12)));
        (-(me.sideways * square.sqrt())).select(exactly, across)
    }
}

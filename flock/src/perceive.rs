//! Perception: the sums over a boid's neighbours, for one boid or for a register of boids at once.

use crate::number::{Format, Lanes, Number, Total, Vec3, inlined};
use crate::parameters::{Edges, Falloff};
use crate::rule::{Rule, Term, View};
use crate::world::nearest_image;

mod cluster;
mod nearest;

pub use cluster::{Cluster, Containment};
pub use nearest::Ranking;
pub(crate) use nearest::insert;

/// Sums over the perceived boids, in the number type's units: coarse where it has coarse positions and velocities.
#[derive(Clone, Copy, Debug)]
pub struct Sums<L> {
    /// S = Σ −o·f(d).
    pub separation: Total<L>,
    /// Number of boids that separation perceives.
    pub separation_count: L,
    /// A = Σ v, or Σ v/|v|.
    pub alignment: Total<L>,
    /// Number of boids that alignment perceives.
    pub alignment_count: L,
    /// C = Σ o, or Σ o/|o|.
    pub cohesion: Total<L>,
    /// Number of boids that cohesion perceives.
    pub cohesion_count: L,
    /// −Σ of the part of o that is perpendicular to the heading.
    pub line_of_sight: Vec3<L>,
}

impl<L: Lanes> Sums<L> {
    /// No boid perceived.
    #[inline(always)]
    pub fn new() -> Self {
        let none = L::splat(L::Scalar::ZERO);
        Sums {
            separation: Total::zero(),
            separation_count: none,
            alignment: Total::zero(),
            alignment_count: none,
            cohesion: Total::zero(),
            cohesion_count: none,
            line_of_sight: Vec3::zero(),
        }
    }

    /// The sums of one lane.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> Sums<L::Scalar> {
        let number = |lanes: &L| lanes.lanes()[k];
        let total = |total: &Total<L>| Total { sum: total.sum.lane(k), rest: total.rest.lane(k) };
        Sums {
            separation: total(&self.separation),
            separation_count: number(&self.separation_count),
            alignment: total(&self.alignment),
            alignment_count: number(&self.alignment_count),
            cohesion: total(&self.cohesion),
            cohesion_count: number(&self.cohesion_count),
            line_of_sight: self.line_of_sight.lane(k),
        }
    }
}

impl<L: Lanes> Default for Sums<L> {
    fn default() -> Self {
        Self::new()
    }
}

/// Facts about a rule that are known at compile time and cost nothing in the innermost loop.
pub trait Policy {
    /// The flock is flat: every z is zero.
    const FLAT: bool = false;
    /// The rule is [`Rule::needs_general_sums`]: it has a field of view, a line of sight, zones, or unit vectors.
    const FIELD_OF_VIEW: bool = false;
    /// [`Rule::shared_neighbourhood`]: alignment and cohesion share theirs, and most candidates are in it.
    const SHARED_NEIGHBOURHOOD: bool = false;
    /// The rule uses [`Term::Nearest`]: a walk with [`Senses::rank`] comes first.
    const NEAREST: bool = false;
    /// Separation is used, and has this falloff.
    const SEPARATION: Option<Falloff> = None;
}

/// A policy that fixes these two facts only.
#[derive(Debug)]
pub struct General<const FIELD_OF_VIEW: bool, const NEAREST: bool>;

impl<const FIELD_OF_VIEW: bool, const NEAREST: bool> Policy for General<FIELD_OF_VIEW, NEAREST> {
    const FIELD_OF_VIEW: bool = FIELD_OF_VIEW;
    const NEAREST: bool = NEAREST;
}

/// Any rule that is not [`Rule::needs_general_sums`] and does not limit the number of neighbours.
pub type AllRound = General<false, false>;
/// Any rule that does not limit the number of neighbours.
pub type FieldOfView = General<true, false>;
/// Any rule that limits the number of neighbours.
pub type NearestOnly = General<true, true>;

/// The perceiving boids, one a lane.
#[derive(Clone, Copy, Debug)]
pub struct Observer<L> {
    /// Its exact position.
    pub position: Vec3<L>,
    /// Its exact velocity.
    pub velocity: Vec3<L>,
    coarse_position: Vec3<L>,
    heading: Vec3<L>,
    heading_square: L,
    /// A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: Vec3<L>,
    /// The largest squares at which each rule perceives, where the policy is [`Policy::NEAREST`].
    most: [L; 3],
}

/// The part of [`Rule`] that the sums need, in every lane.
#[derive(Clone, Copy, Debug)]
pub struct Senses<L: Lanes> {
    separation: View<L>,
    alignment: View<L>,
    cohesion: View<L>,
    line_of_sight: View<L>,
    /// The square of the reach.
    pub reach_square: L,
    /// World size and half of it between coarse positions.
    coarse_size: Vec3<L>,
    coarse_half_size: Vec3<L>,
    /// World size between exact positions.
    size: Vec3<L>,
    wrap: bool,
    falloff: Falloff,
    exclusive: bool,
    /// Inner radii of alignment and cohesion, for rules that use [`Term::Zones`].
    zoned: bool,
    alignment_inner_square: L,
    cohesion_inner_square: L,
    /// Alignment and cohesion add unit vectors: [`Term::AlignmentUnit`] and [`Term::CohesionUnit`].
    alignment_unit: bool,
    cohesion_unit: bool,
    /// Number of boids that each rule perceives, where the policy is [`Policy::NEAREST`]; and true if one list of them
    /// serves both alignment and cohesion.
    nearest: u32,
    shares_nearest: bool,
    format: Format<L>,
}

impl<L: Lanes> Senses<L> {
    /// Takes the senses from the rule.
    #[inline(always)]
    pub fn new(rule: &Rule<L::Scalar>) -> Self {
        Senses {
            separation: View::splat(&rule.separation),
            alignment: View::splat(&rule.alignment),
            cohesion: View::splat(&rule.cohesion),
            line_of_sight: View::splat(&rule.line_of_sight),
            reach_square: L::splat(rule.reach_square),
            coarse_size: Vec3::splat(rule.coarse_size),
            coarse_half_size: Vec3::splat(rule.coarse_half_size),
            size: Vec3::splat(rule.size),
            wrap: rule.edges == Edges::Wrap,
            falloff: rule.falloff,
            exclusive: rule.exclusive,
            zoned: rule.terms.has(Term::Zones),
            alignment_inner_square: L::splat(rule.alignment_inner_square),
            cohesion_inner_square: L::splat(rule.cohesion_inner_square),
            alignment_unit: rule.terms.has(Term::AlignmentUnit),
            cohesion_unit: rule.terms.has(Term::CohesionUnit),
            nearest: rule.nearest,
            shares_nearest: rule.shares_nearest(),
            format: rule.format,
        }
    }

    /// A boid whose neighbours are to be summed; `field_of_view` as in [`Policy::FIELD_OF_VIEW`].
    #[inline(always)]
    pub fn observer(&self, position: Vec3<L>, velocity: Vec3<L>, field_of_view: bool) -> Observer<L> {
        let coarse_position = L::coarse_position(position, &self.format);
        let (zero, most) = (L::splat(L::Scalar::ZERO), [L::splat(L::Scalar::ZERO); 3]);
        let (mut heading, mut heading_square, mut sideways) = (Vec3::zero(), zero, Vec3::zero());
        if field_of_view {
            heading = L::heading(velocity);
            heading_square = L::square(heading);
            sideways = L::sideways(heading, heading_square);
        }
        Observer { position, velocity, coarse_position, heading, heading_square, sideways, most }
    }

    /// The senses for boids whose neighbours all lie on their own side of every seam.
    #[inline(always)]
    pub fn away_from_seams(self) -> Self {
        Senses { wrap: false, ..self }
    }

    /// False for the senses [away from seams](Senses::away_from_seams).
    #[inline(always)]
    pub fn at_seam(&self) -> bool {
        self.wrap
    }

    /// The senses, with the policy's facts about separation repeated for the compiler.
    #[inline(always)]
    pub fn specialised<P: Policy>(self) -> Self {
        let Some(falloff) = P::SEPARATION else { return self };
        let separation = View { used: true, ..self.separation };
        Senses { separation, falloff, ..self }
    }

    /// The offset between coarse positions.
    #[inline(always)]
    fn offset(&self, me: &Observer<L>, position: Vec3<L>) -> Vec3<L> {
        let offset = L::coarse_position(position, &self.format) - me.coarse_position;
        if self.wrap {
            nearest_image(offset, offset, self.coarse_size, self.coarse_half_size)
        } else {
            offset
        }
    }

    /// The offset between exact positions, of the same image.
    #[inline(always)]
    fn fine(&self, me: &Observer<L>, position: Vec3<L>) -> Vec3<L> {
        let offset = position - me.position;
        if !self.wrap {
            return offset;
        }
        let coarse = L::coarse_position(position, &self.format) - me.coarse_position;
        nearest_image(coarse, offset, self.size, self.coarse_half_size)
    }

    /// The lanes in which an exclusive separation leaves a boid within reach to alignment and cohesion: those outside
    /// the separation radius, even where separation does not perceive the boid.
    #[inline(always)]
    fn left(&self, near: L::Mask, square: L) -> L::Mask {
        near & !square.lt(self.separation.radius_square)
    }

    /// Mask of the lanes whose alignment perceives the offset.
    #[inline(always)]
    fn alignment_sees<P: Policy>(&self, me: &Observer<L>, offset: Vec3<L>, square: L) -> L::Mask {
        let seen = self.alignment.sees(P::FIELD_OF_VIEW, me, offset, square);
        if P::FIELD_OF_VIEW && self.zoned { seen & self.alignment_inner_square.le(square) } else { seen }
    }

    /// Mask of the lanes whose cohesion perceives the offset.
    #[inline(always)]
    fn cohesion_sees<P: Policy>(&self, me: &Observer<L>, offset: Vec3<L>, square: L) -> L::Mask {
        let seen = self.cohesion.sees(P::FIELD_OF_VIEW, me, offset, square);
        if P::FIELD_OF_VIEW && self.zoned { seen & self.cohesion_inner_square.le(square) } else { seen }
    }

    /// Adds one other boid to the sums of each lane that perceives it. `present` is false in the lane that holds that
    /// boid itself. The velocity is read only where some lane may perceive the boid.
    #[inline(always)]
    pub fn add<P: Policy>(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        velocity: impl FnOnce() -> Vec3<L>,
        present: Option<L::Mask>,
    ) {
        let (shared, format) = (P::SHARED_NEIGHBOURHOOD, &self.format);
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let mut near = square.lt(self.reach_square);
        if let Some(present) = present {
            near = near & present;
        }
        // In a shared neighbourhood some lane most likely perceives the boid: a test would cost more than it saves.
        if !shared && !L::any(near) {
            return;
        }
        let one = L::splat(L::Scalar::COUNT);
        // Computed once where both separation and cohesion need it.
        let at_once = if shared { self.fine(me, position) } else { offset };
        // A function of registers that remained a call would be compiled without their instructions.
        let fine = inlined(
            #[inline(always)]
            || if shared { at_once } else { self.fine(me, position) },
        );
        let mut left = near;
        if self.separation.used {
            let seen = self.separation.sees(P::FIELD_OF_VIEW, me, offset, square);
            let seen = me.ranked::<P>(0, square, near & seen);
            left = if self.exclusive { self.left(near, square) } else { near };
            // Without a falloff adding costs less than the test.
            if shared && self.falloff == Falloff::None || L::any(seen) {
                L::add_separation(&mut sums.separation, self.falloff, format, offset, fine, square, seen);
                sums.separation_count = sums.separation_count + one.mask(seen);
            }
        }
        if shared {
            left = me.ranked::<P>(1, square, left);
            L::add_velocity(&mut sums.alignment, format, velocity(), left);
            L::add_offset(&mut sums.cohesion, format, offset, fine, left);
            sums.alignment_count = sums.alignment_count + one.mask(left);
            sums.cohesion_count = sums.alignment_count;
            return;
        }
        if self.alignment.used {
            let seen = left & self.alignment_sees::<P>(me, offset, square);
            let seen = me.ranked::<P>(1, square, seen);
            if P::FIELD_OF_VIEW && self.alignment_unit {
                let velocity = velocity();
                L::add_unit(&mut sums.alignment, format, velocity, L::square(velocity), seen);
            } else {
                L::add_velocity(&mut sums.alignment, format, velocity(), seen);
            }
            sums.alignment_count = sums.alignment_count + one.mask(seen);
        }
        if self.cohesion.used {
            let seen = left & self.cohesion_sees::<P>(me, offset, square);
            let seen = me.ranked::<P>(2, square, seen);
            if P::FIELD_OF_VIEW && self.cohesion_unit {
                L::add_unit(&mut sums.cohesion, format, fine(), square, seen);
            } else {
                L::add_offset(&mut sums.cohesion, format, offset, fine, seen);
            }
            sums.cohesion_count = sums.cohesion_count + one.mask(seen);
        }
        if P::FIELD_OF_VIEW && self.line_of_sight.used {
            let seen = near & self.line_of_sight.sees(true, me, offset, square);
            if L::any(seen) {
                let exact = [me.velocity, fine()];
                let aside = L::aside(me.heading, me.heading_square, me.sideways, offset, square, exact);
                sums.line_of_sight = sums.line_of_sight - aside.mask(seen);
            }
        }
    }

    /// Adds an object that only separation perceives to its sum and count.
    #[inline(always)]
    pub fn add_object(&self, separation: &mut Total<L>, count: &mut L, me: &Observer<L>, position: Vec3<L>) {
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let seen = self.separation.sees(true, me, offset, square);
        let fine = || self.fine(me, position);
        L::add_separation(separation, self.falloff, &self.format, offset, fine, square, seen);
        *count = *count + L::splat(L::Scalar::COUNT).mask(seen);
    }
}

impl<L: Lanes> View<L> {
    /// The same field of view in every lane.
    #[inline(always)]
    fn splat(view: &View<L::Scalar>) -> Self {
        View {
            radius_square: L::splat(view.radius_square),
            cosine_square: L::splat(view.cosine_square),
            acute: view.acute,
            all_round: view.all_round,
            used: view.used,
        }
    }

    /// Mask of the lanes that perceive the offset; `field_of_view` tests the angle too.
    ///
    /// Rule k perceives an offset o when |o| < radius and the angle between heading and o is at most the half angle:
    /// v·o ≥ cos(angle)·|v|·|o|, compared as squares with the signs kept apart:
    ///
    /// ```text
    ///      acute cone (cosine ≥ 0)            obtuse cone (cosine < 0)
    ///
    ///          \  seen /                        seen  \       /  seen
    ///           \     /                                \     /
    ///            \ α /    heading ↑              seen   \   /   seen        heading ↑
    ///             \|/                                    \|/
    ///             boid                                   boid
    ///                                                  unseen below: the cone about −heading
    ///   ahead ≥ 0 and ahead² ≥ share              ahead ≥ 0 or ahead² ≤ share
    /// ```
    ///
    /// Here ahead = v·o and share = cos²α·|v|²·|o|².
    #[inline(always)]
    fn sees(&self, field_of_view: bool, me: &Observer<L>, offset: Vec3<L>, square: L) -> L::Mask {
        let near = square.lt(self.radius_square);
        if !field_of_view || self.all_round {
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

#[cfg(test)]
mod tests;

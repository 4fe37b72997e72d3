//! The terms of the rule: a flock uses some of them, a fast path supports some of them.

/// Hands the terms, one row each, to another macro: `Term "SWITCH", pairwise: when a rule uses it;`.
///
/// The switch is the constant of a shader that is compiled for one rule. A term is pairwise where a boid perceives
/// another by distance and angle alone, independent of other boids: the fast paths of perception assume it.
macro_rules! with_terms {
    ($then:ident) => {
        $then! {
            /// Inertia, gain, time step, speed limits and the bias of scouts: part of every rule.
            Motion "USES_MOTION", pairwise: |_| true;
            /// Steering away from near neighbours, or leaving them out of alignment and cohesion.
            Separation "USES_SEPARATION", pairwise: |rule| rule.separation.used;
            /// Matching the velocity of neighbours.
            Alignment "USES_ALIGNMENT", pairwise: |rule| rule.alignment.used;
            /// Moving towards neighbours.
            Cohesion "USES_COHESION", pairwise: |rule| rule.cohesion.used;
            /// Alignment or cohesion with the mean of the whole flock.
            WholeFlock "USES_WHOLE_FLOCK", pairwise: |rule| rule.any_request(|shape| shape.whole_flock);
            /// Neighbours within the separation radius are left out of alignment and cohesion.
            Exclusion "USES_EXCLUSION", pairwise: |rule| rule.exclusive;
            /// With a neighbour inside the separation radius, alignment and cohesion are off.
            Priority "USES_PRIORITY", pairwise: |rule| rule.priority && rule.separation.used;
            /// Zones of alignment or cohesion, from an inner radius on. Not pairwise: sums over many boids know one
            /// distance.
            Zones "USES_ZONES": |rule| rule.zoned();
            /// Alignment by the sum of headings. Not pairwise: sums over many boids know mean velocities.
            AlignmentUnit "USES_ALIGNMENT_UNIT": |rule| rule.alignment_unit && rule.alignment.used;
            /// Cohesion by the sum of directions. Not pairwise: sums over many boids know mean positions.
            CohesionUnit "USES_COHESION_UNIT": |rule| rule.cohesion_unit && rule.cohesion.used;
            /// Separation that weakens with the distance.
            Falloff "USES_FALLOFF", pairwise: |rule| rule.separation.used && rule.falloff != Falloff::None;
            /// Separation by the mean of the offsets.
            Average "USES_AVERAGE", pairwise: |rule| rule.average;
            /// The boid counts itself in a mean.
            IncludeSelf "USES_INCLUDE_SELF", pairwise: |rule| rule.any_request(|shape| shape.include_self);
            /// A request that is limited in length.
            Limited "USES_LIMITED", pairwise: |rule| rule.any_request(|shape| shape.response == Response::Limited);
            /// A request that is steered as in Reynolds (GDC 1999).
            Steer "USES_STEER", pairwise: |rule| rule.any_request(|shape| shape.response == Response::Steer);
            /// A field of view narrower than all round, or a line of sight.
            FieldOfView "USES_FIELD_OF_VIEW", pairwise: |rule| rule.needs_general_sums;
            /// Moving aside for a clear view ahead.
            LineOfSight "USES_LINE_OF_SIGHT", pairwise: |rule| rule.line_of_sight.used;
            /// The pull towards home.
            Home "USES_HOME", pairwise: |rule| rule.home_weight != T::ZERO;
            /// Home moves from step to step.
            Wander "USES_WANDER", pairwise: |rule| rule.home_weight != T::ZERO && rule.wander != T::ZERO;
            /// The pull towards the attractor.
            Attractor "USES_ATTRACTOR", pairwise: |rule| rule.attractor_weight != T::ZERO;
            /// Separation from the attractor.
            AvoidAttractor "USES_AVOID_ATTRACTOR", pairwise: |rule| rule.attractor_avoid && rule.separation.used;
            /// Scouts' preferred directions.
            Preference "USES_PREFERENCE", pairwise: |rule| rule.scout_pull != T::ZERO;
            /// Predators fly.
            Predators "USES_PREDATORS", pairwise: |rule| rule.predator_count > 0;
            /// Boids flee predators, where there are any.
            Flight "USES_FLIGHT", pairwise: |rule| rule.predator_weight != T::ZERO;
            /// Random requests.
            Noise "USES_NOISE", pairwise: |rule| rule.noise_weight != T::ZERO;
            /// Spheres to fly around.
            Obstacles "USES_OBSTACLES", pairwise: |rule| rule.obstacle_weight != T::ZERO && rule.obstacle_count > 0;
            /// Custom terms, which are formulas.
            Formulas "USES_FORMULAS", pairwise: |rule| !rule.formula_values.terms.terms().is_empty();
            /// Custom terms that are sums over the nearest boids only. The rule's own sums are as without them.
            FormulaNearest "USES_FORMULA_NEAREST", pairwise: |rule| rule.formula_values.ranks();
            /// The combined request is brought to length 1.
            NormalizeGoal "USES_NORMALIZE_GOAL", pairwise: |rule| rule.normalize_goal;
            /// A constant acceleration.
            Wind "USES_WIND", pairwise: |rule| rule.wind.to_array() != [T::ZERO; 3];
            /// A greatest angle by which a boid turns in a step.
            MaxTurn "USES_MAX_TURN", pairwise: |rule| -T::ONE < rule.turn_cosine;
            /// A normal error of the requested heading.
            GaussianNoise "USES_GAUSSIAN_NOISE", pairwise: |rule| rule.gaussian_turn != T::ZERO;
            /// A random turn of the heading.
            AngularNoise "USES_ANGULAR_NOISE", pairwise: |rule| rule.noise_turn != T::ZERO;
            /// Turning back at the edges.
            Turn "USES_TURN", pairwise: |rule| rule.edges == Edges::Turn;
            /// Opposite edges are one.
            Wrap "USES_WRAP", pairwise: |rule| rule.edges == Edges::Wrap;
            /// Resting at the bottom of the world.
            Perching "USES_PERCHING", pairwise: |rule| rule.perch_steps > 0;
            /// Separation, alignment and cohesion perceive the nearest only. Not pairwise: other boids matter.
            Nearest "USES_NEAREST": |rule| {
                rule.nearest > 0 && (rule.separation.used || rule.alignment.used || rule.cohesion.used)
            };
        }
    };
}
pub(super) use with_terms;

macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal $(, $pairwise:ident)?: $used:expr;)*) => {
        /// A part of the rule that a flock can do without.
        ///
        /// A fast path lists the terms it supports. A rule with any other term takes the general path, so a term that a
        /// fast path does not know is slow, never wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Term { $($(#[$doc])* $term),* }

        impl Term {
            /// Every term, in the order of the rule.
            pub const ALL: &'static [Term] = &[$(Term::$term),*];

            /// The name of the constant that switches the term on when a shader is compiled for one rule.
            pub fn switch(self) -> &'static str {
                match self { $(Term::$term => $switch),* }
            }
        }

        impl Terms {
            /// The terms under which a boid perceives another by distance and angle alone, independent of other boids.
            /// The fast paths of perception (shared neighbourhoods, clusters, packed words) assume this, and ranks take
            /// these: a rule with any other term takes the general path.
            pub const PAIRWISE: Terms = Terms::these(&[$($(marked!($pairwise $term),)?)*]);
        }
    };
}

macro_rules! marked {
    (pairwise $term:ident) => {
        Term::$term
    };
}

with_terms!(terms);

/// A set of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms(u64);

impl Terms {
    /// No term.
    pub const NONE: Terms = Terms(0);

    /// The set of these terms.
    pub const fn these(terms: &[Term]) -> Self {
        let (mut all, mut k) = (Terms::NONE, 0);
        while k < terms.len() {
            all = all.with(terms[k]);
            k += 1;
        }
        all
    }

    /// The set with one more term.
    pub const fn with(self, term: Term) -> Self {
        Terms(self.0 | 1 << term as u64)
    }

    /// True if the set holds a term.
    #[inline]
    pub const fn has(self, term: Term) -> bool {
        self.0 >> term as u32 & 1 == 1
    }

    /// True if every term of the set is in another set: whether a path that supports the other can follow this rule.
    pub const fn within(self, supported: Terms) -> bool {
        self.0 & !supported.0 == 0
    }
}

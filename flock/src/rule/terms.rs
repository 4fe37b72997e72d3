//! The terms of the rule: what a flock uses of it, and what a fast path supports.

macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal;)*) => {
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
            #[must_use]
            pub fn switch(self) -> &'static str {
                match self { $(Term::$term => $switch),* }
            }
        }
    };
}

terms! {
    /// Inertia, gain, time step, speed limits and the bias of scouts: part of every rule.
    Motion "USES_MOTION";
    /// Steering away from near neighbours, or leaving them out of alignment and cohesion.
    Separation "USES_SEPARATION";
    /// Matching the velocity of neighbours.
    Alignment "USES_ALIGNMENT";
    /// Moving towards neighbours.
    Cohesion "USES_COHESION";
    /// Alignment or cohesion with the mean of the whole flock.
    WholeFlock "USES_WHOLE_FLOCK";
    /// Neighbours within the separation radius are left out of alignment and cohesion.
    Exclusion "USES_EXCLUSION";
    /// Separation that weakens with the distance.
    Falloff "USES_FALLOFF";
    /// Separation by the mean of the offsets.
    Average "USES_AVERAGE";
    /// The boid counts itself in a mean.
    IncludeSelf "USES_INCLUDE_SELF";
    /// A request that is limited in length.
    Limited "USES_LIMITED";
    /// A request that is steered as in Reynolds (GDC 1999).
    Steer "USES_STEER";
    /// A field of view narrower than all round, or a line of sight.
    FieldOfView "USES_FIELD_OF_VIEW";
    /// Moving aside for a clear view ahead.
    LineOfSight "USES_LINE_OF_SIGHT";
    /// The pull towards home.
    Home "USES_HOME";
    /// The pull towards the attractor.
    Attractor "USES_ATTRACTOR";
    /// Separation from the attractor.
    AvoidAttractor "USES_AVOID_ATTRACTOR";
    /// Predators fly.
    Predators "USES_PREDATORS";
    /// Boids flee predators, where there are any.
    Flight "USES_FLIGHT";
    /// Random requests.
    Noise "USES_NOISE";
    /// Spheres to fly around.
    Obstacles "USES_OBSTACLES";
    /// The combined request is brought to length 1.
    NormalizeGoal "USES_NORMALIZE_GOAL";
    /// A constant acceleration.
    Wind "USES_WIND";
    /// Turning back at the edges.
    Turn "USES_TURN";
    /// Opposite edges are one.
    Wrap "USES_WRAP";
    /// Resting at the bottom of the world.
    Perching "USES_PERCHING";
}

/// A set of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms(u32);

impl Terms {
    /// No term.
    pub const NONE: Terms = Terms(0);

    /// The terms under which a boid perceives another by distance and angle alone, whoever else is near. The fast paths
    /// of perception (shared neighbourhoods, clusters, packed words) assume this: a rule with a term that is not listed
    /// takes the general path.
    pub const PAIRWISE: Terms = Terms::these(&[
        Term::Motion,
        Term::Separation,
        Term::Alignment,
        Term::Cohesion,
        Term::WholeFlock,
        Term::Exclusion,
        Term::Falloff,
        Term::Average,
        Term::IncludeSelf,
        Term::Limited,
        Term::Steer,
        Term::FieldOfView,
        Term::LineOfSight,
        Term::Home,
        Term::Attractor,
        Term::AvoidAttractor,
        Term::Predators,
        Term::Flight,
        Term::Noise,
        Term::Obstacles,
        Term::NormalizeGoal,
        Term::Wind,
        Term::Turn,
        Term::Wrap,
        Term::Perching,
    ]);

    /// A set with a term that no fast path knows, to see that they refuse it.
    #[cfg(test)]
    pub(crate) const UNKNOWN: Terms = Terms(1 << 31);

    /// The set of these terms.
    #[must_use]
    pub const fn these(terms: &[Term]) -> Self {
        let (mut all, mut k) = (Terms::NONE, 0);
        while k < terms.len() {
            all = all.with(terms[k]);
            k += 1;
        }
        all
    }

    /// The set with one more term.
    #[must_use]
    pub const fn with(self, term: Term) -> Self {
        Terms(self.0 | 1 << term as u32)
    }

    /// Whether the set holds a term.
    #[must_use]
    pub const fn has(self, term: Term) -> bool {
        self.0 >> term as u32 & 1 == 1
    }

    /// Whether every term of the set is in another set: whether a path that supports the other can follow this rule.
    #[must_use]
    pub const fn within(self, supported: Terms) -> bool {
        self.0 & !supported.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_no_more() {
        assert!(Term::ALL.len() <= u32::BITS as usize);
        let set = Terms::these(&[Term::Motion, Term::Wind]);
        assert!(set.has(Term::Wind) && !set.has(Term::Home));
        assert!(set.within(set.with(Term::Home)) && !set.with(Term::Home).within(set));
    }
}

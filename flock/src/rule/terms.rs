//! The terms of the rule: what a flock uses of it, and what a fast path supports.

/// The terms, one row each: `Term "SWITCH", pairwise;`. The switch is the constant of a shader that is compiled for one
/// rule; [`super::switches`] says when a rule uses the term. A term is pairwise where a boid perceives another by distance
/// and angle alone, whoever else is near: the fast paths of perception assume it.
macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal $(, $pairwise:ident)?;)*) => {
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

        impl Terms {
            /// The terms under which a boid perceives another by distance and angle alone, whoever else is near. The fast
            /// paths of perception (shared neighbourhoods, clusters, packed words) assume this: a rule with any other term
            /// takes the general path.
            pub const PAIRWISE: Terms = Terms::these(&[$($(marked!($pairwise $term),)?)*]);
        }
    };
}

macro_rules! marked {
    (pairwise $term:ident) => {
        Term::$term
    };
}

terms! {
    /// Inertia, gain, time step, speed limits and the bias of scouts: part of every rule.
    Motion "USES_MOTION", pairwise;
    /// Steering away from near neighbours, or leaving them out of alignment and cohesion.
    Separation "USES_SEPARATION", pairwise;
    /// Matching the velocity of neighbours.
    Alignment "USES_ALIGNMENT", pairwise;
    /// Moving towards neighbours.
    Cohesion "USES_COHESION", pairwise;
    /// Alignment or cohesion with the mean of the whole flock.
    WholeFlock "USES_WHOLE_FLOCK", pairwise;
    /// Neighbours within the separation radius are left out of alignment and cohesion.
    Exclusion "USES_EXCLUSION", pairwise;
    /// Separation that weakens with the distance.
    Falloff "USES_FALLOFF", pairwise;
    /// Separation by the mean of the offsets.
    Average "USES_AVERAGE", pairwise;
    /// The boid counts itself in a mean.
    IncludeSelf "USES_INCLUDE_SELF", pairwise;
    /// A request that is limited in length.
    Limited "USES_LIMITED", pairwise;
    /// A request that is steered as in Reynolds (GDC 1999).
    Steer "USES_STEER", pairwise;
    /// A field of view narrower than all round, or a line of sight.
    FieldOfView "USES_FIELD_OF_VIEW", pairwise;
    /// Moving aside for a clear view ahead.
    LineOfSight "USES_LINE_OF_SIGHT", pairwise;
    /// The pull towards home.
    Home "USES_HOME", pairwise;
    /// The pull towards the attractor.
    Attractor "USES_ATTRACTOR", pairwise;
    /// Separation from the attractor.
    AvoidAttractor "USES_AVOID_ATTRACTOR", pairwise;
    /// Predators fly.
    Predators "USES_PREDATORS", pairwise;
    /// Boids flee predators, where there are any.
    Flight "USES_FLIGHT", pairwise;
    /// Random requests.
    Noise "USES_NOISE", pairwise;
    /// Spheres to fly around.
    Obstacles "USES_OBSTACLES", pairwise;
    /// The combined request is brought to length 1.
    NormalizeGoal "USES_NORMALIZE_GOAL", pairwise;
    /// A constant acceleration.
    Wind "USES_WIND", pairwise;
    /// A greatest angle by which a boid turns in a step.
    MaxTurn "USES_MAX_TURN", pairwise;
    /// Turning back at the edges.
    Turn "USES_TURN", pairwise;
    /// Opposite edges are one.
    Wrap "USES_WRAP", pairwise;
    /// Resting at the bottom of the world.
    Perching "USES_PERCHING", pairwise;
}

/// A set of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms(u32);

impl Terms {
    /// No term.
    pub const NONE: Terms = Terms(0);

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

//! The terms of the rule: what a flock uses of it, and what a fast path supports.

use super::{Rule, View};
use crate::number::Number;
use crate::parameters::{Edges, Falloff, Response};

macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal: |$rule:ident| $used:expr;)*) => {
        /// A part of the rule that a flock can do without.
        ///
        /// A fast path lists the terms it supports. A rule with any other term takes the general path, so a term that
        /// nobody has heard of is slow, never wrong.
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
            /// The terms that a rule uses.
            #[must_use]
            pub(super) fn of<T: Number>(rule: &Rule<T>) -> Self {
                let mut terms = Terms::NONE;
                $(
                    let $rule = rule;
                    if $used {
                        terms = terms.with(Term::$term);
                    }
                )*
                terms
            }
        }
    };
}

terms! {
    /// Inertia, gain, time step, speed limits and the bias of scouts: part of every rule.
    Motion "USES_MOTION": |_rule| true;
    /// Steering away from near neighbours, or leaving them out of the other rules.
    Separation "USES_SEPARATION": |rule| rule.separation.used;
    /// Matching the velocity of neighbours.
    Alignment "USES_ALIGNMENT": |rule| rule.alignment.used;
    /// Moving towards neighbours.
    Cohesion "USES_COHESION": |rule| rule.cohesion.used;
    /// Alignment or cohesion with the mean of the whole flock.
    WholeFlock "USES_WHOLE_FLOCK": |rule| {
        let whole = |shape: &super::Shape<T>| shape.whole_flock && shape.weight != T::ZERO;
        whole(&rule.align) || whole(&rule.cohere)
    };
    /// Neighbours within the separation radius are left out of alignment and cohesion.
    Exclusion "USES_EXCLUSION": |rule| rule.exclusive;
    /// Separation that weakens with the distance.
    Falloff "USES_FALLOFF": |rule| rule.separation.used && rule.falloff != Falloff::None;
    /// Separation by the mean of the offsets.
    Average "USES_AVERAGE": |rule| rule.average;
    /// The boid counts itself in a mean.
    IncludeSelf "USES_INCLUDE_SELF": |rule| {
        rule.separate.include_self || rule.align.include_self || rule.cohere.include_self
    };
    /// A request that is limited in length.
    Limited "USES_LIMITED": |rule| rule.responds(Response::Limited);
    /// A request steered as Reynolds (GDC 1999) does.
    Steer "USES_STEER": |rule| rule.responds(Response::Steer);
    /// A field of view narrower than all round, or a line of sight.
    FieldOfView "USES_FIELD_OF_VIEW": |rule| rule.detailed;
    /// Moving aside for a clear view ahead.
    LineOfSight "USES_LINE_OF_SIGHT": |rule| rule.line_of_sight.used;
    /// The pull towards home.
    Home "USES_HOME": |rule| rule.home_weight != T::ZERO;
    /// The pull towards the attractor.
    Attractor "USES_ATTRACTOR": |rule| rule.attractor_weight != T::ZERO;
    /// Separation from the attractor.
    AvoidAttractor "USES_AVOID_ATTRACTOR": |rule| rule.attractor_avoid && rule.separation.used;
    /// Predators fly.
    Predators "USES_PREDATORS": |rule| rule.predator_count > 0;
    /// Boids flee predators, where there are any.
    Flight "USES_FLIGHT": |rule| rule.predator_weight != T::ZERO;
    /// Random requests.
    Noise "USES_NOISE": |rule| rule.noise_weight != T::ZERO;
    /// Spheres to fly around.
    Obstacles "USES_OBSTACLES": |rule| rule.obstacle_weight != T::ZERO && rule.obstacle_count > 0;
    /// The combined request is brought to length 1.
    NormalizeGoal "USES_NORMALIZE_GOAL": |rule| rule.normalize_goal;
    /// A constant acceleration.
    Wind "USES_WIND": |rule| rule.wind.to_array() != [T::ZERO; 3];
    /// Turning back at the edges.
    Turn "USES_TURN": |rule| rule.edges == Edges::Turn;
    /// Opposite edges are one.
    Wrap "USES_WRAP": |rule| rule.edges == Edges::Wrap;
    /// Resting at the bottom of the world.
    Perching "USES_PERCHING": |rule| rule.perch_steps > 0;
}

/// A set of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms(u32);

impl Terms {
    /// No term.
    pub const NONE: Terms = Terms(0);

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

/// A value that is constant in a shader compiled for one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// A truth value.
    Flag(bool),
    /// A choice among numbered alternatives.
    Choice(u32),
}

/// How many switches do not stand for a term.
const CHOICES: usize = 6;

impl<T: Number> Rule<T> {
    /// Every switch of the shaders, by name: one for each term, then the alternatives within terms.
    pub fn switches(&self) -> impl Iterator<Item = (&'static str, Switch)> {
        let terms = self.terms;
        // Without angles every view is all round.
        let all =
            |view: &View<T>| (view.all_round || !self.detailed) && view.radius_square == self.reach_square;
        let choices: [(&'static str, Switch); CHOICES] = [
            ("FALLOFF", Switch::Choice(self.falloff as u32)),
            ("SEPARATE_RESPONSE", Switch::Choice(self.separate.response as u32)),
            ("ALIGN_RESPONSE", Switch::Choice(self.align.response as u32)),
            ("COHERE_RESPONSE", Switch::Choice(self.cohere.response as u32)),
            ("ALIGNS_WITH_ALL", Switch::Flag(all(&self.alignment))),
            ("COHERES_WITH_ALL", Switch::Flag(all(&self.cohesion))),
        ];
        Term::ALL.iter().map(move |term| (term.switch(), Switch::Flag(terms.has(*term)))).chain(choices)
    }

    /// Whether a rule with a weight shapes its request so.
    fn responds(&self, response: Response) -> bool {
        let used = |shape: &super::Shape<T>| shape.weight != T::ZERO && shape.response == response;
        used(&self.separate) || used(&self.align) || used(&self.cohere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameters;

    #[test]
    fn terms_fit_the_set_and_their_switches_differ() {
        assert!(Term::ALL.len() <= u32::BITS as usize);
        let rule = Rule::<f32>::new(&Parameters::default());
        let names: std::vec::Vec<_> = rule.switches().map(|(name, _)| name).collect();
        assert_eq!(names.len(), Term::ALL.len() + CHOICES);
        assert!(names.iter().enumerate().all(|(k, name)| !names[k + 1..].contains(name)));
    }

    #[test]
    fn a_set_holds_what_was_put_in_and_no_more() {
        let set = Terms::these(&[Term::Motion, Term::Wind]);
        assert!(set.has(Term::Wind) && !set.has(Term::Home));
        assert!(set.within(set.with(Term::Home)) && !set.with(Term::Home).within(set));
    }

    #[test]
    fn a_term_is_used_where_its_parameters_ask_for_it() {
        let mut p = Parameters::default();
        let before = Rule::<f64>::new(&p).terms;
        assert!(before.has(Term::Cohesion) && !before.has(Term::Wind) && !before.has(Term::Home));
        p.wind.acceleration[1] = 0.5;
        p.home.weight = 0.1;
        let after = Rule::<f64>::new(&p).terms;
        assert_eq!(after, before.with(Term::Wind).with(Term::Home));
    }
}

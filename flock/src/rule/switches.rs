//! The terms that a rule uses, and the constants of a shader that is compiled for it.

use super::table::Rule;
use super::terms::{Term, Terms, with_terms};
use super::{Shape, View};
use crate::number::Number;
use crate::parameters::{Edges, Falloff, Response};

/// A value that is constant in a shader compiled for one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// A truth value.
    Flag(bool),
    /// A choice among numbered alternatives.
    Choice(u32),
}

macro_rules! used_terms {
    ($($(#[$doc:meta])* $term:ident $switch:literal $(, $pairwise:ident)?: $used:expr;)*) => {
        /// The terms that a rule uses.
        pub(super) fn used_terms<T: Number>(rule: &Rule<T>) -> Terms {
            let asks: [(Term, fn(&Rule<T>) -> bool); Term::ALL.len()] = [$((Term::$term, $used)),*];
            let used = asks.iter().filter(|(_, asks)| asks(rule));
            used.fold(Terms::NONE, |terms, (term, _)| terms.with(*term))
        }
    };
}

with_terms!(used_terms);

/// Number of switches that do not stand for a term.
const CHOICES: usize = 8;

impl<T: Number> Rule<T> {
    /// True if `asks` holds for a request with a weight.
    fn any_request(&self, asks: fn(&Shape<T>) -> bool) -> bool {
        let shapes = [&self.separation_request, &self.alignment_request, &self.cohesion_request];
        shapes.iter().any(|shape| shape.weight != T::ZERO && asks(shape))
    }

    /// Every switch of the shaders, by name: one for each term, then the alternatives within terms.
    pub fn switches(&self) -> impl Iterator<Item = (&'static str, Switch)> {
        let terms = self.terms;
        // Without angles every view is all round.
        let all = |view: &View<T>| {
            (view.all_round || !self.needs_general_sums) && view.radius_square == self.reach_square
        };
        let choices: [(&'static str, Switch); CHOICES] = [
            ("FALLOFF", Switch::Choice(self.falloff as u32)),
            ("SEPARATION_RESPONSE", Switch::Choice(self.separation_request.response as u32)),
            ("ALIGNMENT_RESPONSE", Switch::Choice(self.alignment_request.response as u32)),
            ("COHESION_RESPONSE", Switch::Choice(self.cohesion_request.response as u32)),
            ("ALIGNS_WITH_ALL", Switch::Flag(all(&self.alignment))),
            ("COHERES_WITH_ALL", Switch::Flag(all(&self.cohesion))),
            ("NEAREST", Switch::Choice(self.nearest)),
            ("SHARES_NEAREST", Switch::Flag(self.shares_nearest())),
        ];
        Term::ALL.iter().map(move |term| (term.switch(), Switch::Flag(terms.has(*term)))).chain(choices)
    }
}

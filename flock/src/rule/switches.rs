//! Which terms a rule uses, and the constants that a shader compiled for it takes.

use super::table::Rule;
use super::terms::{Term, Terms};
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

/// The terms that a rule uses.
pub(super) fn used_terms<T: Number>(rule: &Rule<T>) -> Terms {
    let used = Term::ALL.iter().filter(|term| uses(rule, **term));
    used.fold(Terms::NONE, |terms, term| terms.with(*term))
}

/// Whether a rule uses a term. A term that is added must be added here too, or this does not compile.
fn uses<T: Number>(rule: &Rule<T>, term: Term) -> bool {
    let shapes = [&rule.separation_request, &rule.alignment_request, &rule.cohesion_request];
    let any = |asks: fn(&Shape<T>) -> bool| shapes.iter().any(|shape| shape.weight != T::ZERO && asks(shape));
    match term {
        Term::Motion => true,
        Term::Separation => rule.separation.used,
        Term::Alignment => rule.alignment.used,
        Term::Cohesion => rule.cohesion.used,
        Term::WholeFlock => any(|shape| shape.whole_flock),
        Term::Exclusion => rule.exclusive,
        Term::Falloff => rule.separation.used && rule.falloff != Falloff::None,
        Term::Average => rule.average,
        Term::IncludeSelf => any(|shape| shape.include_self),
        Term::Limited => any(|shape| shape.response == Response::Limited),
        Term::Steer => any(|shape| shape.response == Response::Steer),
        Term::FieldOfView => rule.has_field_of_view,
        Term::LineOfSight => rule.line_of_sight.used,
        Term::Home => rule.home_weight != T::ZERO,
        Term::Attractor => rule.attractor_weight != T::ZERO,
        Term::AvoidAttractor => rule.attractor_avoid && rule.separation.used,
        Term::Predators => rule.predator_count > 0,
        Term::Flight => rule.predator_weight != T::ZERO,
        Term::Noise => rule.noise_weight != T::ZERO,
        Term::Obstacles => rule.obstacle_weight != T::ZERO && rule.obstacle_count > 0,
        Term::NormalizeGoal => rule.normalize_goal,
        Term::Wind => rule.wind.to_array() != [T::ZERO; 3],
        Term::MaxTurn => -T::ONE < rule.turn_cosine,
        Term::Turn => rule.edges == Edges::Turn,
        Term::Wrap => rule.edges == Edges::Wrap,
        Term::Perching => rule.perch_steps > 0,
    }
}

/// How many switches do not stand for a term.
const CHOICES: usize = 6;

impl<T: Number> Rule<T> {
    /// Every switch of the shaders, by name: one for each term, then the alternatives within terms.
    pub fn switches(&self) -> impl Iterator<Item = (&'static str, Switch)> {
        let terms = self.terms;
        // Without angles every view is all round.
        let all = |view: &View<T>| {
            (view.all_round || !self.has_field_of_view) && view.radius_square == self.reach_square
        };
        let choices: [(&'static str, Switch); CHOICES] = [
            ("FALLOFF", Switch::Choice(self.falloff as u32)),
            ("SEPARATION_RESPONSE", Switch::Choice(self.separation_request.response as u32)),
            ("ALIGNMENT_RESPONSE", Switch::Choice(self.alignment_request.response as u32)),
            ("COHESION_RESPONSE", Switch::Choice(self.cohesion_request.response as u32)),
            ("ALIGNS_WITH_ALL", Switch::Flag(all(&self.alignment))),
            ("COHERES_WITH_ALL", Switch::Flag(all(&self.cohesion))),
        ];
        Term::ALL.iter().map(move |term| (term.switch(), Switch::Flag(terms.has(*term)))).chain(choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameters;

    #[test]
    fn switches_have_names_of_their_own() {
        let rule = Rule::<f32>::new(&Parameters::default());
        let names: std::vec::Vec<_> = rule.switches().map(|(name, _)| name).collect();
        assert_eq!(names.len(), Term::ALL.len() + CHOICES);
        assert!(names.iter().enumerate().all(|(k, name)| !names[k + 1..].contains(name)));
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

//! The constants that a shader compiled for one rule takes.

use super::View;
use super::table::Rule;
use super::terms::Term;
use crate::number::Number;

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
}

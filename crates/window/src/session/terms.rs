//! Terms are added to the flock that flies, and removed from it.

use config::{Document, Setting, term_settings, with_settings};
use flock::formula::FormulaTerms;

use super::Session;
use super::files::with_hint;

impl Session {
    /// Adds the terms of a flock of the gallery; without a name an empty term.
    pub(super) fn add_term(&mut self, flock: &str) {
        let setting = if flock.is_empty() {
            let terms = self.document.parameters.terms;
            let is_free = |name: &String| terms.terms().iter().all(|term| term.name != name);
            let name = (1..).map(|number| format!("mine{number}")).find(is_free).unwrap_or_default();
            Setting::terms(&format!("{name}={{ help = 'A rule of my own.', request = '0 * velocity' }}"))
        } else {
            Setting::terms(flock)
        };
        let before = Document { parameters: self.document.parameters, ..Document::default() };
        match setting.and_then(|setting| with_settings(before, &[setting])) {
            Ok(after) => self.commit(after.parameters),
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }

    /// Removes a term.
    pub(super) fn remove_term(&mut self, name: &str) {
        let mut parameters = self.document.parameters;
        let removed = format!("terms.{name}=");
        let mut others = term_settings(&FormulaTerms::default(), &parameters.terms);
        others.retain(|setting| !setting.starts_with(&removed));
        parameters.terms = FormulaTerms::default();
        let mut document = Document { parameters, ..Document::default() };
        match document.apply(&others) {
            Ok(()) => self.commit(document.parameters),
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }
}

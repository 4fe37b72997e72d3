//! # Custom terms
//!
//! A term is a request of a boid, by a formula of the user. This crate reads formulas, checks names, types and
//! units, and lowers them to the code of every engine ([`flock::formula`]). It knows no engine, file or window.
//!
//! Begin with [`compile()`]: the texts of all terms → what engines run. Below it are [`parse`] (text → naga's typed
//! tree) and [`lower`] (the tree → code, with units).

use std::ops::Range;

mod code;
pub mod compile;
pub mod lower;
pub mod names;
pub mod parse;
pub mod units;

pub use compile::{
    Numbers, ParameterText, Place, SumText, TermError, TermText, compile, each_key, edited, texts,
};

/// An error in a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The bytes of the text that the error is about.
    pub span: Range<usize>,
    pub message: String,
    /// The likely fix.
    pub hint: Option<String>,
}

impl Error {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Error { span, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Line and column of the error in the text, both from 1; columns count characters.
    #[must_use]
    pub fn place(&self, text: &str) -> (usize, usize) {
        let before = &text[..text.floor_char_boundary(self.span.start)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

#[cfg(test)]
mod tests;

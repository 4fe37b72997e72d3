//! # Custom terms
//!
//! A term is a request of a boid, by a formula of the user. This crate reads formulas, checks names, types and
//! units, and lowers them to the code of every engine ([`flock::formula`]). It knows no engine, file or window.
//!
//! Begin with [`compile()`]: the texts of all terms → what engines run. Below it are [`parse`] (text → naga's typed
//! tree) and [`lower`] (the tree → code, with units).

mod code;
pub mod compile;
pub mod error;
pub mod lower;
pub mod names;
pub mod parse;
pub mod units;

pub use compile::{
    Numbers, ParameterText, Place, SumText, TermError, TermText, compile, each_key, edited, texts,
};
pub use error::Error;

#[cfg(test)]
mod tests;

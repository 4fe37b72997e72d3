//! Custom terms: formulas and their evaluation in a step.
//!
//! A formula is a list of [`Node`]s. Node k writes register k, from registers before it: no jumps, no memory, so the
//! cost is its length. The crate `formula` reads formulas, names and units. This module has what a step needs: the
//! terms as data ([`FormulaTerms`]), the digits of each register in integers ([`digits`]), and the evaluation for a chunk
//! of boids at a time ([`evaluate()`]) with its inputs ([`Evaluator`]).
//!
//! In integers a register holds a word w that stands for w · 2^−digits, in users' units; each [`Instruction`] has its
//! own digits and the shifts of its operands. Floating-point types ignore both.
//!
//! Edges, the same in every number type up to rounding: x / 0 is 0, as is the root of a negative number; the direction
//! of a vector that counts as zero is zero; a comparison is 1 where it holds, else 0.

mod code;
pub mod digits;
mod evaluate;
mod evaluator;
mod prepared;
mod span;
mod terms;
#[cfg(test)]
mod tests;
mod words;

pub use code::{EXACT, Input, Instruction, MAX_SUMS, Node, Op, SLOTS};
pub use evaluate::{Draws, evaluate};
pub use evaluator::{CHUNK, Evaluator, Perceiver, Registers, Run, STREAMS, Table};
pub use prepared::{OF_OTHERS, Prepared, PreparedFormula, Row, UnfitTerm};
pub use terms::{
    Each, Formula, FormulaParameter, FormulaTerm, FormulaTerms, Reference, TermSet, ValueSource,
};

/// The most instructions of a formula.
pub const MAX_INSTRUCTIONS: usize = 96;

/// The most instructions of all formulas of a flock.
pub const MAX_TOGETHER: usize = 256;

/// The most terms of a flock; a term with several sums counts as one for each.
pub const MAX_TERMS: usize = 8;

/// The most numbers in the parameters of all terms. A board gets prepared terms and holds one number, their reach.
pub const MAX_PARAMETERS: usize = if cfg!(any(test, feature = "std")) { 96 } else { 1 };

/// The most numbers of the flock's own parameters that formulas name.
pub const MAX_REFERENCES: usize = if cfg!(any(test, feature = "std")) { 16 } else { 0 };

/// The most constants and parameters of all formulas of a flock.
pub const MAX_VALUES: usize = 128;

/// Digits of a unit vector in integers.
pub const DIRECTION_DIGITS: i8 = crate::fixed::UNIT_DIGITS as i8;

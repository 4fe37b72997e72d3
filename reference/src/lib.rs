//! Flocking models as plain formulas, for programs elsewhere (docs/reference.md): starts, the numbers after some steps,
//! the bound within which any program's number in f64 must lie, and the mistakes that would give a program's numbers.
//!
//! It knows the arithmetic of `conform`'s bounds, and no engine and no rule: it is a second implementation, by brute
//! force, and its tests compare it with the engines. Begin with `models.rs`; to add a model, write its row and its
//! formula there, and its files beside `src/`.

mod check;
mod mistakes;
mod models;
mod number;
mod starts;

pub use check::{Check, Computed, Difference, STEPS, at, check, model, table};
pub use mistakes::Mistake;
pub use models::{MODELS, Model, Reached, after};
pub use number::Vector;
pub use starts::{Bird, Start};

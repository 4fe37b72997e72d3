//! The rule without a GPU: the presets match the published systems, the gallery does what it is known for, and the integers
//! hold in hostile states or refuse by name.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

mod explained;
mod formulas;
mod integers;
#[path = "../support/random_flock.rs"]
mod random_flock;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/reference.rs"]
mod reference;
mod steps;

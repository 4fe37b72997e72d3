//! The rule without a GPU: the presets match the published systems, the default flock lives, and the integers have the same
//! bits by every method.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

mod formulas;
#[path = "../support/hashes.rs"]
mod hashes;
mod integers;
mod living;
#[path = "../support/reference.rs"]
mod reference;
mod steps;
mod wave;

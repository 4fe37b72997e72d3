//! The rule without a GPU: the presets match the published systems, the default flock lives, and the integers have the same
//! bits by every method.

mod figures;
mod formulas;
#[path = "../support/hashes.rs"]
mod hashes;
mod integers;
mod living;
#[path = "../support/reference.rs"]
mod reference;
mod steps;
mod wave;

//! The rule without a GPU: the presets match the published systems, the default flock lives, and the integers have the same
//! bits by every method.

mod figures;
mod formulas;
mod integers;
mod living;
mod steps;
mod wave;

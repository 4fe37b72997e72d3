//! The presets match the published systems: the same parameters, and the same next step from the same flock. The default
//! flock lives.

mod figures;
mod living;
mod steps;

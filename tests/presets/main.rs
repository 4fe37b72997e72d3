//! The presets match the published systems: the same parameters, and the same next step from the same flock.

mod figures;
mod steps;

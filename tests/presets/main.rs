//! The presets are the published systems: the same figures, and from the same flock the same next step.

mod figures;
mod steps;

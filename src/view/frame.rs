//! What an engine hands to the window after some steps: the data of one picture and of the charts.

use std::time::Duration;

use flock::Predator;

pub use crate::scene::Boids;
use cpu::measures::{Family, Measures};

/// How steps are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Each pass, by the GPU's timestamps.
    Passes,
    /// Whole steps: the adapter has no timestamps, or wrong ones.
    Steps,
    /// Each pass, by the CPU engine itself.
    #[default]
    Host,
}

/// The flock between two steps, as the window sees it.
#[derive(Debug, Default)]
pub struct Frame {
    pub boids: Boids,
    pub predators: Vec<Predator<f32>>,
    /// The step the flock stands at.
    pub step: u64,
    /// The oldest step that can be shown again, and the newest.
    pub span: [u64; 2],
    /// The restart it belongs to; one below the session's belongs to a flock that was replaced.
    pub generation: u64,
    /// Steps done since the frame before.
    pub steps: u32,
    /// Mean time of those steps.
    pub step_time: Duration,
    /// How the step was timed.
    pub clock: Clock,
    /// Milliseconds of each pass in the last step; empty where passes are not timed.
    pub passes: Vec<(&'static str, f64)>,
    /// The flock in a few numbers, cheap enough for every frame; NaN where an engine does not measure one.
    pub summary: Option<gpu::Measures>,
    /// The boid that the camera flies along with.
    pub watched: Option<Watched>,
    /// The hash of the state, where it was asked for.
    pub hash: Option<u64>,
    /// What was measured of the flock last.
    pub measured: Option<Measured>,
}

/// A boid at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    pub id: u32,
    pub position: [f32; 3],
    /// Length per time.
    pub velocity: [f32; 3],
    pub step: u64,
}

/// Measures that take longer than a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The restart that the flock came from.
    pub generation: u64,
    /// Those of the families [`Measured::FAMILIES`].
    pub measures: Measures,
}

impl Measured {
    /// What is measured.
    pub const FAMILIES: [Family; 3] = [Family::Order, Family::Nearest, Family::Groups];
}

impl Frame {
    /// A frame without boids.
    pub fn empty(generation: u64) -> Self {
        Frame { generation, ..Frame::default() }
    }
}

//! An engine's output to the window after some steps: the data of one picture and of the charts.

use std::sync::Arc;
use std::time::Duration;

use flock::Predator;

use engine::Explanation;
use engine::measures::{Family, Measures};
use flight::{Divergence, Flight, InFlight};
pub use scene::Boids;

/// The clock by which steps are timed.
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

/// The flock between two steps, with the data that the window shows.
#[derive(Debug, Default)]
pub struct Frame {
    pub boids: Boids,
    pub predators: Vec<Predator<f32>>,
    /// The current step.
    pub step: u64,
    /// The first and the last step of the flight.
    pub span: [u64; 2],
    /// Some steps of the flight at which something was set.
    pub marks: Vec<u64>,
    /// True if the flight has any changes.
    pub changed: bool,
    /// The parameters of a flight that was repeated.
    pub repeated: Option<Box<InFlight>>,
    /// The first step of a repeated flight that had another hash.
    pub divergence: Option<Divergence>,
    /// The number of the last change of the parameters that the frame knows.
    pub edit: u64,
    /// The recorded flight, if it was requested.
    pub flight: Option<Box<Flight>>,
    /// The restart that began the flock; below the session's if the flock has been replaced.
    pub generation: u64,
    /// Steps done since the previous frame.
    pub steps: u32,
    /// Mean time of those steps.
    pub step_time: Duration,
    /// The clock of `step_time` and `passes`.
    pub clock: Clock,
    /// Milliseconds of each pass in the last step; empty if passes are not timed.
    pub passes: Vec<(&'static str, f64)>,
    /// Measures that are cheap enough for every frame; NaN for those that an engine does not compute.
    pub summary: Option<gpu::Measures>,
    /// The boid that the camera flies along with.
    pub watched: Option<Watched>,
    /// The explanation of the watched boid, if it was requested.
    pub explanation: Option<Arc<Explanation>>,
    /// The hash of the state, if it was requested.
    pub hash: Option<u64>,
    /// The last result of the slow measures.
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
    /// The measures of the families [`Measured::FAMILIES`].
    pub measures: Measures,
}

impl Measured {
    /// The measured families.
    pub const FAMILIES: [Family; 3] = [Family::Order, Family::Nearest, Family::Groups];
}

impl Frame {
    /// A frame without boids.
    pub fn empty(generation: u64) -> Self {
        Frame { generation, ..Frame::default() }
    }
}

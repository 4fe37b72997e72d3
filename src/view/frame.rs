//! What an engine hands to the window after some steps: everything that one picture and the charts need.

use std::time::Duration;

use flock::Predator;

use crate::instances::Instances;

/// Where the boids are that a picture shows.
#[derive(Debug)]
pub enum Boids {
    /// In the engine's own buffers on the GPU, which the picture is drawn from as they are.
    Device(Instances),
    /// In memory, as the CPU engine leaves them, for one upload.
    Host { position: Vec<[f32; 4]>, velocity: Vec<[f32; 4]>, tag: Vec<[u32; 2]> },
}

impl Boids {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Boids::Device(instances) => instances.count,
            Boids::Host { position, .. } => u32::try_from(position.len()).unwrap_or(u32::MAX),
        }
    }
}

/// What is known of how long steps take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Each pass, by the GPU's timestamps.
    Passes,
    /// Whole steps: the adapter has no timestamps, or none to go by.
    Steps,
    /// Each pass, by the CPU engine itself.
    #[default]
    Host,
}

/// The flock between two steps, as the window sees it.
#[derive(Debug)]
pub struct Frame {
    pub boids: Boids,
    pub predators: Vec<Predator<f32>>,
    /// The step the flock stands at.
    pub step: u64,
    /// How many restarts it has seen; one that is behind the session's belongs to a flock that is gone.
    pub generation: u64,
    /// Steps done since the frame before.
    pub steps: u32,
    /// What one of those steps took.
    pub step_time: Duration,
    /// How the step was timed.
    pub clock: Clock,
    /// What each pass took in the last step, in milliseconds; empty where nobody measured.
    pub passes: Vec<(&'static str, f64)>,
    pub summary: Option<Summary>,
}

impl Frame {
    /// A frame that shows nobody yet.
    #[must_use]
    pub fn empty(generation: u64) -> Self {
        Frame {
            boids: Boids::Host { position: Vec::new(), velocity: Vec::new(), tag: Vec::new() },
            predators: Vec::new(),
            step: 0,
            generation,
            steps: 0,
            step_time: Duration::ZERO,
            clock: Clock::default(),
            passes: Vec::new(),
            summary: None,
        }
    }
}

/// A flock in a few numbers, cheap enough for every frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// |Σ v/|v||/N, from 0 (no order) to 1 (all one way).
    pub polarization: f32,
    /// The mean position.
    pub centre: [f32; 3],
    /// The corners of the box that holds every boid.
    pub bounds: [[f32; 3]; 2],
    /// How the flock decides, where it has scouts.
    pub decision: Option<Decision>,
}

/// What a flock with scouts makes of their leanings (after Couzin et al. 2005).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The mean heading's angle from the preferred direction, in degrees, 0…180.
    pub error: f32,
    /// The share of the flock within 45° of the preferred direction.
    pub accuracy: f32,
    /// The share within 45° of the direction of the right scouts and of the left ones.
    pub sides: [f32; 2],
}

impl Decision {
    /// The share of the flock that each side has won over when the flock has split. Chance alone gives a quarter.
    const SPLIT: f32 = 0.35;

    /// Whether the flock has split between the two sides.
    #[must_use]
    pub fn split(&self) -> bool {
        self.sides.iter().all(|share| *share >= Self::SPLIT)
    }
}

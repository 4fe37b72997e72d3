//! In-situ analysis: computed by each rank on its own boids, without gathering the flock.

use cpu::Part;
use engine::{Engine, Result};
use flock::Predator;

use crate::Packed;
use crate::transport::Transport;

/// A rank's share of an analysis. The meaning of the words is up to the implementation.
pub trait InSitu<T: Packed>: std::fmt::Debug + Send {
    /// Answers a request, which all ranks receive at the same step. The answer of rank 0 is the result.
    ///
    /// # Errors
    /// When a rank is gone, or a resource of the analysis fails.
    fn analyse(&mut self, request: &[u32], part: &Part<T>, transport: &mut dyn Transport)
    -> Result<Vec<u32>>;
}

/// No analysis.
impl<T: Packed> InSitu<T> for () {
    fn analyse(&mut self, _: &[u32], _: &Part<T>, _: &mut dyn Transport) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }
}

/// An engine whose flock is analysed on its ranks.
pub trait OnRanks: Engine {
    /// Sends a request to all ranks, and returns the answer of rank 0.
    ///
    /// # Errors
    /// The errors of [`InSitu::analyse`].
    fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>>;

    /// The predators, which are the same on every rank.
    fn predators(&self) -> Vec<Predator<f64>>;

    /// Maximum load of a rank over the mean, at the last cut.
    fn imbalance(&self) -> f64;
}

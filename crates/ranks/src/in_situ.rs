//! In-situ analysis: what ranks make of a flock without gathering it, each of the boids that it has.

use cpu::{Engine, Part, Result};
use flock::Predator;

use crate::packing::Packed;
use crate::transport::Transport;

/// A rank's share of an analysis. The crate does not know what the words mean.
pub trait InSitu<T: Packed>: std::fmt::Debug + Send {
    /// Answers a request, which all ranks have at the same step. The answer of rank 0 is the result.
    ///
    /// # Errors
    /// When a rank is gone, or what the analysis needs is.
    fn analyse(&mut self, request: &[u32], part: &Part<T>, transport: &mut dyn Transport)
    -> Result<Vec<u32>>;
}

/// No analysis.
impl<T: Packed> InSitu<T> for () {
    fn analyse(&mut self, _: &[u32], _: &Part<T>, _: &mut dyn Transport) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }
}

/// An engine whose flock is analysed where it is.
pub trait OnRanks: Engine {
    /// Has all ranks answer a request, and returns the answer of rank 0.
    ///
    /// # Errors
    /// Those of [`InSitu::analyse`].
    fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>>;

    /// The predators, which every rank has.
    fn predators(&self) -> Vec<Predator<f64>>;

    /// The greatest load of a rank over the mean, at the last cut.
    fn imbalance(&self) -> f64;

    /// Steps from one exchange to the next, since the last cut.
    fn depth(&self) -> u32;
}

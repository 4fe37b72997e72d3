//! An engine as the window sees it: it steps, and its boids can be drawn.

use super::frame::Frame;
use engine::{Engine, Result};

/// An engine with drawable boids.
pub trait Source: std::fmt::Debug + Send {
    /// The engine itself.
    fn engine(&mut self) -> &mut dyn Engine;

    /// Checks that the device has memory for this number of boids, before anything is allocated.
    ///
    /// # Errors
    /// When they do not fit; the error says how many do.
    fn check_capacity(&self, _boids: u32) -> Result<()> {
        // Only memory limits the CPU; that is checked on allocation.
        Ok(())
    }

    /// True if the flock is on a device, and lost with it.
    fn on_device(&self) -> bool {
        false
    }

    /// Waits until the device has done the steps.
    ///
    /// # Errors
    /// When the device failed.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Fills in the frame: boids, predators, passes and summary.
    ///
    /// # Errors
    /// When the device failed.
    fn publish(&mut self, frame: &mut Frame) -> Result<()>;
}

//! An engine as the window sees it: it steps, and its boids can be drawn.

use super::frame::Frame;
use engine::{Engine, Result};

/// An engine with drawable boids.
pub trait Source: std::fmt::Debug + Send {
    /// The engine itself.
    fn engine(&mut self) -> &mut dyn Engine;

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

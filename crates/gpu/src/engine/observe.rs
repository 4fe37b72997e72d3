//! What an engine reports of its own work: pass times, memory traffic and the occupancy of the cells.

use super::GpuEngine;
use crate::number::OnGpu;
use crate::passes::Pass;
use cpu::engine::{EngineError, PassEvent};

impl<T: OnGpu> GpuEngine<T> {
    /// Milliseconds of each pass in the last step whose status was read back; empty without timestamps.
    #[must_use]
    pub fn pass_times(&self) -> &[(&'static str, f64)] {
        &self.pass_log.times
    }

    /// True if the device can time passes.
    #[must_use]
    pub fn times_passes(&self) -> bool {
        self.runner.timing.is_some()
    }

    /// The least bytes that the pass of this name transfers in a step: each array that it reads, once, and each that it
    /// writes, once.
    ///
    /// # Errors
    /// When there is no such pass.
    pub fn traffic(&self, name: &str) -> Result<u64, EngineError> {
        match Pass::of::<T>().iter().find(|pass| pass.name() == name) {
            Some(pass) => self.runner.traffic(*pass),
            None => Err(self.runner.gpu.error(format!("no pass {name}"))),
        }
    }

    /// Boids in the fullest cell, and the mean occupancy of a boid's own cell.
    #[must_use]
    pub fn occupancy(&self) -> (u32, f64) {
        let boids = f64::from(self.runner.buffers.boids.max(1));
        (self.load.most, self.load.squares() as f64 / boids)
    }

    /// Switches the timing of every step on or off. When on, [`GpuEngine::take_events`] returns when each pass ran; when
    /// off, only the last step of a batch is timed.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn time_every_step(&mut self, on: bool) -> Result<(), EngineError> {
        self.finish()?;
        self.pass_log.every_step = on;
        self.pass_log.events.clear();
        Ok(())
    }

    /// When the passes ran since the last call, in the order of their dispatches; waits for the steps in flight.
    /// Batches of more dispatches than can be timed are left out. Empty without timestamps.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn take_events(&mut self) -> Result<Vec<PassEvent>, EngineError> {
        self.finish()?;
        Ok(std::mem::take(&mut self.pass_log.events))
    }
}

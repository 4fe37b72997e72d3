//! Going on with another engine, after the device of the old one was lost.

use super::Session;
use crate::view::frame::Frame;
use crate::view::worker::{Ended, Worker};

impl Session {
    /// Ends the worker, whose engine is then free to be replaced. None where the engine has ended by a fault of its own.
    /// Until [`Session::resume`] no order is done.
    pub fn end_worker(&mut self) -> Option<Ended> {
        self.worker.end()
    }

    /// Goes on with a worker that holds this flock, or an earlier state of it, as of a restart. What was asked for since
    /// is asked for again. `engine` describes it, for people.
    pub fn resume(&mut self, worker: Worker, generation: u64, engine: String) {
        self.worker = worker;
        self.engine = engine;
        // The frame lies on the lost device. Its summary stays, so that the camera does not jump.
        let shown = Frame { step: self.frame.step, summary: self.frame.summary, ..Frame::empty(generation) };
        self.frame = shown;
        (self.owed, self.stale) = (0.0, true);
        // The worker begins without these.
        self.companion = None;
        self.worker.measure(self.measures);
        if generation == self.generation {
            self.worker.set_parameters(&self.told);
        } else {
            self.worker.restart(&self.told, self.generation);
        }
    }
}

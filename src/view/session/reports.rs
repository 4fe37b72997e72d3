//! What the worker reports, and what the session makes of it.

use std::time::Duration;

use super::Session;
use crate::view::frame::Frame;
use crate::view::history::Sample;
use crate::view::message::Until;
use crate::view::worker::Report;

impl Session {
    pub(super) fn take(&mut self, report: Report, since: Duration) {
        match report {
            Report::Failed { why, asked, held, parameters } => {
                self.playing = false;
                // The engine kept its flock: the session returns to it, unless a newer start is under way.
                if asked == self.generation {
                    self.generation = held;
                    if self.told != *parameters {
                        (self.parameters, self.told) = (*parameters, *parameters);
                        self.worker.set_parameters(&self.told);
                    }
                    self.restore_origin();
                    self.forget_refused();
                }
                self.fail(why);
            }
            // The window ends this worker and resumes with another.
            Report::Lost => {}
            Report::Gone => {
                self.playing = false;
                let why = "the engine has ended by a fault of its own; close the window and start anew";
                self.fail_until(Until::Replaced, why.to_owned());
            }
            Report::Frame(frame) if frame.generation == self.generation => {
                if frame.steps > 0 {
                    self.history.add(Sample::new(&frame, since));
                }
                let centre = |frame: &Frame| frame.summary.map(|summary| summary.measures.centre);
                if self.companion.is_none() {
                    self.follow(centre(&self.frame), centre(&frame));
                }
                self.accompany(&frame);
                self.origins.retain(|origin| origin.generation >= frame.generation);
                let old = std::mem::replace(&mut self.frame, *frame);
                self.worker.give_back(old.boids);
                self.stale = true;
            }
            // A frame of a flock from before the restart.
            Report::Frame(frame) => self.worker.give_back(frame.boids),
        }
    }

    /// Restores preset and base of the flock that the engine holds, after a start that failed.
    fn restore_origin(&mut self) {
        let Some(held) = self.origins.iter().find(|origin| origin.generation == self.generation) else {
            return;
        };
        let turned = self.camera.flat != self.parameters.flat();
        let renamed = (self.preset, self.base) != (held.preset, held.base);
        (self.preset, self.base) = (held.preset, held.base);
        self.origins.retain(|origin| origin.generation <= self.generation);
        if turned || renamed {
            self.look_at_world();
            self.stale = true;
        }
    }
}

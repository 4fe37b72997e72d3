//! Steps are asked for, and what the worker reports is taken up.

use std::time::Duration;

use super::Session;
use crate::view::frame::Frame;
use crate::view::history::Sample;
use crate::view::message::Until;
use crate::view::worker::Report;

impl Session {
    /// One frame of the window: takes the finished reports and, while playing, requests steps. `since` is the time since
    /// the previous frame.
    pub fn tick(&mut self, since: Duration) {
        while let Some(report) = self.worker.report() {
            self.take(report, since);
        }
        self.keep_hawk();
        if !self.playing || !self.worker.idle() {
            return;
        }
        self.owed += self.rate;
        let mut steps = self.owed.floor();
        self.owed -= steps;
        if let Some(last) = self.pause_at {
            let left = last.saturating_sub(self.frame.step);
            if left == 0 {
                (self.playing, self.pause_at) = (false, None);
                return;
            }
            // The worker may do fewer steps than requested, so the count is that of its last report.
            steps = steps.min(left as f64);
        }
        if steps >= 1.0 {
            self.worker.advance(steps as u32);
        }
    }

    /// True if the worker has unanswered orders.
    #[must_use]
    pub fn busy(&self) -> bool {
        !self.worker.idle()
    }

    /// Waits until the worker has answered every order. For tests; the window never waits.
    pub fn settle(&mut self) {
        while let Some(report) = self.worker.wait() {
            self.take(report, Duration::ZERO);
        }
    }

    fn take(&mut self, report: Report, since: Duration) {
        match report {
            Report::Failed { why, asked, held, parameters } => {
                self.playing = false;
                // The engine kept its flock: the session returns to it, unless a newer start is under way.
                if asked == self.generation {
                    self.generation = held;
                    if self.told != *parameters {
                        self.parameters = *parameters;
                        if self.pointer_effect.take().is_some() {
                            // The engine has what was there for a while; the panel does not show it.
                            (self.parameters.attractor, self.parameters.predators) =
                                (self.accepted.attractor, self.accepted.predators);
                        }
                        (self.accepted, self.told) = (self.parameters, self.parameters);
                        self.worker.set_parameters(&self.told);
                    }
                    self.restore_origin();
                    self.retract();
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

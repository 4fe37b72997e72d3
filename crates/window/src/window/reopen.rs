//! Another device for an open window, after a loss.

use std::time::Duration;

use web_time::Instant;
use winit::event_loop::OwnedDisplayHandle;

use super::opened::Place;
use super::{Live, engine_label, host, input, wake};
use crate::detail::Detail;
use crate::panel::gallery;
use crate::worker::Worker;
use engine::contained::contain;
use engine::{EngineError, Result, system};
use files::failure::Failure;

/// Why a flock cannot go on with another device.
const NO_ENGINE: &str = "the simulation crashed";

/// Counts losses soon after a device was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    opened: Instant,
    count: u32,
}

impl Losses {
    /// A loss within this time of opening counts.
    const SOON: Duration = Duration::from_secs(10);
    /// Number of losses in a row after which no device is opened any more.
    const MAX: u32 = 3;

    /// No losses, for a device opened at `opened`.
    pub fn new(opened: Instant) -> Self {
        Losses { opened, count: 0 }
    }

    /// Counts a loss. True if there were too many: another device would be lost as well.
    fn too_many(&mut self, now: Instant) -> bool {
        let soon = now.saturating_duration_since(self.opened) < Self::SOON;
        self.count = if soon { self.count + 1 } else { 1 };
        self.count >= Self::MAX
    }
}

impl Live {
    /// The same window with another device, on which the flock continues from its checkpoint. If no device can be
    /// opened, or devices are lost again and again, a page continues without one.
    ///
    /// # Errors
    /// When nothing can draw on the window any more.
    pub(super) fn reopened(self, display: OwnedDisplayHandle, why: &str) -> Result<Self, Failure> {
        let Live { mut session, paint, input: before, window, proxy, mut losses, .. } = self;
        let (name, gpu) = (paint.name(), paint.gpu().map(|gpu| gpu.info.clone()));
        // A window has one surface at a time. wgpu panics if a lost device still holds one of its textures; the surface
        // is dropped all the same.
        let _ = contain(|| drop(paint));
        let fail = |what: String| Failure::work(format!("{name}: the device was lost: {why}; {what}"));
        let hopeless = EngineError::NoAdapter(format!("as were {} devices before it", Losses::MAX - 1));
        if !system::waits() {
            return Err(fail("this page cannot wait for its flock".to_owned()));
        }
        let lost = match (losses.too_many(Instant::now()), gpu) {
            (true, None) => return Err(fail(hopeless.to_string())),
            (false, Some(info)) => Ok(info),
            _ => Err(hopeless),
        };
        let ended = session.playback.worker.end().ok_or_else(|| fail(NO_ENGINE.to_owned()))?;
        let place = Place { lost, display, window: &window };
        let device = session.playback.device.clone();
        let (paint, device, mut ended) = place.recover(ended, device).map_err(|why| fail(why.to_string()))?;

        // A new context: egui sends its textures in full. Events since the last frame are kept for the next one.
        let mut input = input(&window, &*paint);
        input.egui_ctx().memory_mut(|memory| *memory = before.egui_ctx().memory(Clone::clone));
        gallery::renew(input.egui_ctx());
        let max_texture_side = input.egui_input().max_texture_side;
        *input.egui_input_mut() = egui::RawInput { max_texture_side, ..before.egui_input().clone() };
        let (generation, engine) = (ended.held.generation, ended.source.engine());
        let (step, engine) = (engine.step_number(), engine_label(engine.describe(), &*paint));
        host::opened(&engine, None);
        let worker = Worker::start(ended, wake(&proxy)).map_err(Failure::work)?;
        session.playback.resume(worker, generation, device, engine);
        // Its engine was on the lost device.
        session.rival = None;
        session.eye.leave_companion();
        if paint.gpu().is_none() {
            (session.eye.plain, session.eye.detail) = (true, Detail::default());
        }
        let next = paint.name();
        session.controls.fail(format!("{name}: the device was lost; {next} goes on from step {step}"));
        losses.opened = Instant::now();
        let due = Some(losses.opened);
        Ok(Live { session, paint, input, window, proxy, losses, due, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_loss_in_a_row_is_the_last() {
        let begun = Instant::now();
        let mut losses = Losses::new(begun);
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert!(!losses.too_many(at(1)));
        assert!(!losses.too_many(at(2)));
        assert!(losses.too_many(at(3)));
        // A device that works for a while resets the count.
        assert!(!losses.too_many(at(20)));
        losses.opened = at(21);
        assert!(!losses.too_many(at(22)) && losses.too_many(at(23)));
    }
}

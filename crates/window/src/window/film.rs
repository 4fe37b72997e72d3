//! Pictures and the film of an open window, as requested by the session.

use std::path::PathBuf;

use web_time::Instant;

use super::Live;
use crate::painter::Offscreens;
use crate::recorder::Recorder;
use crate::session::Session;
use engine::system::spawn;
use engine::{EngineError, Result};
use files::failure::Failure;
use files::{Existing, write_png};
use gpu::Gpu;

impl Live {
    /// Saves a picture of a view of this size in pixels, if requested.
    pub(super) fn save_picture(&mut self, view: [u32; 2]) {
        if !self.session.controls.picture_wanted {
            return;
        }
        self.session.controls.picture_wanted = match (self.paint.gpu(), self.paint.pixels(view)) {
            (Some(gpu), _) => !save(gpu, &mut self.session, view),
            (None, pixels) => {
                let path = picture_path(&self.session);
                let written = write_png(&path, view, &pixels.unwrap_or_default(), Existing::Keep);
                self.session.saved(written.map(|()| path));
                false
            }
        };
    }

    /// Begins, continues or ends the film of a view of this size in pixels, as requested.
    pub(super) fn film(&mut self, view: [u32; 2], now: Instant) {
        if !self.session.controls.film_wanted {
            return self.end_film();
        }
        let gpu = self.paint.gpu();
        let begin = || Recorder::begin(gpu, &self.session, view, now);
        let frame = self.recorder.take().map_or_else(begin, Ok).and_then(|recorder| {
            let recorder = self.recorder.insert(recorder);
            Ok(recorder.frame(gpu, &self.session, now)?.then(|| (recorder.seconds(), recorder.due())))
        });
        match frame {
            Ok(Some((seconds, due))) => {
                self.session.controls.filmed = Some(seconds);
                self.schedule(due);
            }
            // Ending the film reports the error.
            Ok(None) => self.end_film(),
            Err(why) => {
                self.end_film();
                self.session.controls.fail(why.message);
            }
        }
    }

    /// Ends the film, if there is one, and reports its file. Later frames do not begin another one.
    pub(super) fn end_film(&mut self) {
        (self.session.controls.film_wanted, self.session.controls.filmed) = (false, None);
        let Some(recorder) = self.recorder.take() else { return };
        self.session.saved(recorder.finish());
        self.schedule(Instant::now());
    }
}

/// Saves the view as a picture of this size in pixels in the session's folder; the message says where, or why not.
/// False if the device is lost: then the next device can be used.
fn save(gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> bool {
    let path = picture_path(session);
    let begun = draw(gpu, session, size);
    let file = path.clone();
    let write = move |picture: &Offscreens| {
        let pixels = picture.read()?;
        write_png(&file, size, &pixels, Existing::Keep)
    };
    let saved = match begun {
        // A page cannot block on the read-back.
        Ok(picture) if cfg!(target_arch = "wasm32") => {
            let read = move || write(&picture).inspect_err(|why| log::error!("{why}"));
            spawn("picture", read).map(drop).map_err(Failure::work)
        }
        begun => begun.map_err(Failure::from).and_then(|picture| write(&picture)),
    };
    if saved.is_err() && matches!(gpu.check_now(), Err(EngineError::Lost { .. })) {
        return false;
    }
    session.saved(saved.map(|()| path));
    true
}

/// An unused name for a picture of the step that is shown.
fn picture_path(session: &Session) -> PathBuf {
    session.free_name(&format!("step-{}", session.frame().step), "png")
}

/// Draws the view off screen.
fn draw(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Result<Offscreens> {
    let mut offscreens = Offscreens::new(gpu, session, size)?;
    offscreens.begin(gpu, session)?;
    Ok(offscreens)
}

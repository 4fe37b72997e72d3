//! Pictures and the film of an open window, as requested by the session.

use web_time::Instant;

use super::Live;
use crate::picture;
use crate::recorder::Recorder;

impl Live {
    /// Saves a picture of a view of this size in pixels, if requested.
    pub(super) fn save_picture(&mut self, view: [u32; 2]) {
        if !self.session.controls.picture_wanted {
            return;
        }
        self.session.controls.picture_wanted = match (self.paint.gpu(), self.paint.pixels(view)) {
            (Some(gpu), _) => !picture::save(gpu, &mut self.session, view),
            (None, pixels) => {
                picture::write(&mut self.session, view, &pixels.unwrap_or_default());
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

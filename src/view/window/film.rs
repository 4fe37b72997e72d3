//! The film of an open window: begun and ended as the session asks for it.

use web_time::Instant;

use super::Live;
use crate::view::recorder::Recorder;
use config::shown::escaped;
use report::failure::Failure;

impl Live {
    /// Begins, continues or ends the film of a view of so many pixels.
    pub(super) fn film(&mut self, view: [u32; 2], now: Instant) {
        if !self.session.film_wanted {
            self.end_film();
            return;
        }
        if let Err(why) = self.add_to_film(view, now) {
            self.end_film();
            self.session.fail(why.message);
        }
    }

    fn add_to_film(&mut self, view: [u32; 2], now: Instant) -> Result<(), Failure> {
        let recorder = match self.recorder.take() {
            Some(recorder) => recorder,
            None => Recorder::begin(&self.gpu, &self.session, view, now)?,
        };
        let recorder = self.recorder.insert(recorder);
        if !recorder.frame(&self.gpu, &self.session, now)? {
            // Its end says why.
            self.end_film();
            return Ok(());
        }
        self.session.filmed = Some(recorder.seconds());
        let due = recorder.due();
        self.schedule(due);
        Ok(())
    }

    /// Ends the film, if there is one, and says where it is. A frame that is drawn after begins no other.
    pub(super) fn end_film(&mut self) {
        (self.session.film_wanted, self.session.filmed) = (false, None);
        let Some(recorder) = self.recorder.take() else { return };
        match recorder.finish() {
            Ok(path) => self.session.say(format!("saved {}", escaped(&path.display().to_string()))),
            Err(why) => self.session.fail(why.message),
        }
        self.schedule(Instant::now());
    }
}

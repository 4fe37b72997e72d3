//! The session's message: it is replaced by a newer one, and vanishes once it no longer holds.

use super::Session;
use crate::view::message::{Fate, Message, Notice, Until};

impl Session {
    /// Shows what was done.
    pub fn say(&mut self, what: String) {
        self.message = Some(Message::Done(what));
        self.notice = Notice::new(Until::Read);
    }

    /// Shows what went wrong.
    pub fn fail(&mut self, why: String) {
        self.fail_until(Until::Read, why);
    }

    /// The same; `until` ends it.
    pub(in crate::view) fn fail_until(&mut self, until: Until, why: String) {
        self.message = Some(Message::Failed(why));
        self.notice = Notice::new(until);
    }

    /// Takes away an error that no longer holds.
    pub(in crate::view) fn end_message(&mut self, until: Until) {
        if self.notice.until == until {
            self.message = None;
            self.notice = Notice::default();
        }
    }

    /// Takes the message away once it was shown long enough, else lets it fade. Returns after how many seconds to look
    /// again; `now` is the time in seconds.
    pub(in crate::view) fn age_message(&mut self, now: f64) -> Option<f64> {
        match self.notice.fate(self.message.as_ref()?, now) {
            Fate::Until(seconds) => return Some(seconds),
            Fate::Stays => {}
            Fate::Gone => self.message = None,
        }
        None
    }

    /// How opaque the message is, from 0 to 1.
    #[must_use]
    pub(in crate::view) fn opacity(&self) -> f32 {
        self.notice.opacity
    }
}

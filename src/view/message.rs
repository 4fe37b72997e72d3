//! A line for the user, and until when it is shown.

/// One line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Done(String),
    Failed(String),
}

/// What ends a message, apart from a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// Time enough to read it.
    #[default]
    Read,
    /// A change of the parameters that is accepted, or time enough to read it.
    Changed,
    /// The open file is read without an error.
    FileRead,
    /// Nothing.
    Replaced,
}

/// How long a message has been shown.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    pub until: Until,
    /// From 0 to 1: a message fades before it goes.
    pub opacity: f32,
    /// When it was first shown, in seconds on the window's clock.
    since: Option<f64>,
}

/// Seconds that a message stays, and the last of them, in which it fades.
const DONE: f64 = 6.0;
const FAILED: f64 = 15.0;
const FADE: f64 = 0.6;
/// Seconds from frame to frame while it fades.
const FRAME: f64 = 0.05;

/// What is to be done about a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// It is shown, and looked at again after so many seconds.
    Until(f64),
    /// It stays.
    Stays,
    Gone,
}

impl Default for Notice {
    fn default() -> Self {
        Notice::new(Until::Read)
    }
}

impl Notice {
    /// Of a message that is new.
    pub fn new(until: Until) -> Self {
        Notice { until, opacity: 1.0, since: None }
    }

    /// What becomes of a message at this time.
    pub fn fate(&mut self, message: &Message, now: f64) -> Fate {
        let since = *self.since.get_or_insert(now);
        if matches!(self.until, Until::FileRead | Until::Replaced) {
            return Fate::Stays;
        }
        let lasts = if matches!(message, Message::Done(_)) { DONE } else { FAILED };
        let left = since + lasts - now;
        self.opacity = (left / FADE).clamp(0.0, 1.0) as f32;
        match left {
            left if left <= 0.0 => Fate::Gone,
            left if left <= FADE => Fate::Until(FRAME),
            left => Fate::Until(left - FADE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_then_fades_then_is_gone() {
        let (done, failed) = (Message::Done("saved".to_owned()), Message::Failed("not saved".to_owned()));
        let mut notice = Notice::new(Until::Read);
        assert_eq!((notice.fate(&done, 100.0), notice.opacity), (Fate::Until(DONE - FADE), 1.0));
        assert_eq!(notice.fate(&done, 100.0 + DONE - 0.5 * FADE), Fate::Until(FRAME));
        assert!((notice.opacity - 0.5).abs() < 1e-3);
        assert_eq!(notice.fate(&done, 100.0 + DONE), Fate::Gone);
        // An error stays longer, and one that still holds stays.
        assert_ne!(notice.fate(&failed, 100.0 + DONE), Fate::Gone);
        let mut notice = Notice::new(Until::FileRead);
        notice.fate(&failed, 0.0);
        assert_eq!(notice.fate(&failed, 1e6), Fate::Stays);
    }
}

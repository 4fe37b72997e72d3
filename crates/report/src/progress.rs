//! The progress bar.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on stderr with the time left: only on a terminal, and not where `quiet` asks for silence.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `total` units of work, each called `unit` ("steps", "frames").
    pub fn new(total: u64, unit: &str, quiet: bool) -> Self {
        // indicatif draws nothing where stderr is no terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(total), target).with_message(unit.to_owned());
        let template = "{bar:30} {pos} of {len} {msg}, {eta} left";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self { bar }
    }

    /// Sets the message.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Adds `count` finished units.
    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
    }
}

impl Drop for Progress {
    /// Removes the bar, so that further output starts on a clean line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_stays_hidden_when_quiet() {
        let progress = Progress::new(10, "steps", true);
        progress.advance(4);
        assert_eq!(progress.bar.position(), 4);
        assert_eq!(progress.bar.length(), Some(10));
        assert!(progress.bar.is_hidden());
        assert_eq!(progress.bar.message(), "steps");
    }
}

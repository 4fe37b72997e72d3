//! The progress bar.

pub use indicatif::ProgressBar;
use indicatif::{ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// A bar of `total` units of work, called `unit` ("steps", "frames"), with the time left: on stderr, only on a
/// terminal, and hidden if `quiet`. It is cleared when it is dropped, so that further output starts on a clean line.
pub fn progress(total: u64, unit: &str, quiet: bool) -> ProgressBar {
    // indicatif draws nothing where stderr is no terminal.
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} {msg}, {eta} left");
    ProgressBar::with_draw_target(Some(total), target)
        .with_message(unit.to_owned())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_finish(ProgressFinish::AndClear)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_stays_hidden_when_quiet() {
        let bar = progress(10, "steps", true);
        bar.inc(4);
        assert_eq!(bar.position(), 4);
        assert_eq!(bar.length(), Some(10));
        assert!(bar.is_hidden());
        assert_eq!(bar.message(), "steps");
    }
}

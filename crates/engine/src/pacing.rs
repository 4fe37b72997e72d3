//! The rhythm of a run: the number of steps at once, and the time of the next read-back.

use std::time::Duration;

use web_time::Instant;

use super::{Engine, Result};

/// Target time of a batch.
const TARGET: Duration = Duration::from_millis(100);

/// Takes steps in batches whose size follows from the time of the last one: many short steps at once, so that little
/// time is lost between them; few long ones, so that Ctrl-C takes effect soon.
#[derive(Debug, Default)]
pub struct Batcher {
    /// The size is 2 to this power.
    power: u32,
}

impl Batcher {
    /// Takes one batch, of at most `most` steps; returns how many it took.
    ///
    /// # Errors
    /// See [`Engine::advance`].
    pub fn advance(&mut self, engine: &mut dyn Engine, most: u64) -> Result<u64> {
        self.take(most, |steps| engine.advance(steps))
    }

    /// [`Batcher::advance`] for any work that is counted in steps.
    ///
    /// # Errors
    /// Those of the work.
    pub fn take<E>(&mut self, most: u64, work: impl FnOnce(u32) -> Result<(), E>) -> Result<u64, E> {
        let steps = most.min(1 << self.power);
        let begun = Instant::now();
        work(u32::try_from(steps).unwrap_or(u32::MAX))?;
        let short = begun.elapsed() < TARGET;
        self.power = if short { (self.power + 1).min(20) } else { self.power.saturating_sub(1) };
        Ok(steps)
    }
}

/// Times read-backs so that they take a small share of the time.
#[derive(Debug)]
pub struct ReadBackTimer {
    /// The time of the next read-back.
    pub next: Instant,
    /// Minimum interval between read-backs.
    pub interval: Duration,
    /// Minimum interval as a multiple of the last read-back's time.
    pub multiple: u32,
}

impl ReadBackTimer {
    /// Minimum interval between checkpoints.
    pub const CHECKPOINTS: Duration = Duration::from_secs(2);

    /// The timer of checkpoints: they may slow the steps down by a hundredth.
    pub fn of_checkpoints() -> Self {
        let interval = Self::CHECKPOINTS;
        ReadBackTimer { next: Instant::now() + interval, interval, multiple: 100 }
    }

    /// True if a read-back is due.
    pub fn is_due(&self) -> bool {
        self.next <= Instant::now()
    }

    /// Records a read-back that took this long.
    pub fn done(&mut self, took: Duration) {
        self.next = Instant::now() + self.interval.max(self.multiple * took);
    }
}

//! When the next state is read back from a device.

use std::time::Duration;

use web_time::Instant;

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

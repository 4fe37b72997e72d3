//! Whether the view is drawn at half its width and height: where frames have been slow for a while, or a person asks for it.

use std::time::Duration;

/// A frame that takes longer is slow: 20 a second. At half size one is fast that takes at most half of that.
const SLOW: Duration = Duration::from_millis(50);
/// Frames at half size are fast for so long before full size is tried again; each time it fails, for twice as long.
const TRUST: Duration = Duration::from_secs(10);
/// Frames are slow for so long before the view is drawn at half size.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most that one frame counts for: the machine may have slept, or the device is prepared.
const MOST: Duration = Duration::from_millis(250);
/// A flock so many times smaller is drawn at full size again.
const SMALLER: u32 = 4;

/// The size at which the view is drawn. It must not flicker between the two: full size comes back for a much smaller flock,
/// or is tried ever more seldom.
#[derive(Debug, Default)]
pub struct Detail {
    /// True at half size.
    half: bool,
    /// True if a person chose the size.
    chosen: bool,
    /// How long frames have been slow.
    slow: Duration,
    /// How long frames at half size have been fast, and for how long they must be.
    fast: Duration,
    trust: Duration,
    /// The number of boids that were too many for full size.
    boids: u32,
}

impl Detail {
    /// True if the view is drawn at half size. A picture that is paused has the time for full size.
    pub fn half(&self, playing: bool) -> bool {
        self.half && (playing || self.chosen)
    }

    /// Draws at half size from now on, or at full size, whatever frames take.
    pub fn choose(&mut self, half: bool) {
        (self.half, self.chosen) = (half, true);
    }

    /// Takes the time of a frame that shows so many boids.
    pub fn time(&mut self, frame: Duration, boids: u32) {
        if self.chosen {
            return;
        }
        if self.half {
            self.fast = if 2 * frame > SLOW { Duration::ZERO } else { self.fast + frame };
            self.half = boids > self.boids / SMALLER && self.fast < self.trust;
            return;
        }
        self.slow = if frame > SLOW { self.slow + frame.min(MOST) } else { Duration::ZERO };
        if self.slow >= PATIENCE {
            (self.half, self.slow, self.fast, self.boids) = (true, Duration::ZERO, Duration::ZERO, boids);
            self.trust = TRUST.max(2 * self.trust);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is at half size after frames of so many milliseconds.
    fn after(detail: &mut Detail, frames: usize, milliseconds: u64, boids: u32) -> bool {
        (0..frames).for_each(|_| detail.time(Duration::from_millis(milliseconds), boids));
        detail.half
    }

    #[test]
    fn slow_frames_halve_the_view_and_fast_ones_bring_it_back_ever_later() {
        let mut detail = Detail::default();
        // Fast frames, a pause of an hour, and slow frames with a fast one among them.
        assert!(!after(&mut detail, 1000, 49, 100_000) && !after(&mut detail, 1, 3_600_000, 100_000));
        for _ in 0..10 {
            assert!(!after(&mut detail, 20, 60, 100_000) && !after(&mut detail, 1, 30, 100_000));
        }
        assert!(!after(&mut detail, 33, 60, 100_000) && after(&mut detail, 1, 60, 100_000));
        // Frames that are about as fast as they must be at full size tell nothing.
        assert!(after(&mut detail, 10_000, 26, 100_000) && !detail.half(false));
        for seconds in [10, 20, 40] {
            assert!(
                after(&mut detail, 100 * seconds - 1, 10, 100_000) && !after(&mut detail, 1, 10, 100_000)
            );
            assert!(!after(&mut detail, 33, 60, 100_000) && after(&mut detail, 1, 60, 100_000));
        }
        assert!(after(&mut detail, 1, 10, 25_001) && !after(&mut detail, 1, 10, 25_000));
    }

    #[test]
    fn the_choice_of_a_person_stays() {
        let mut detail = Detail::default();
        assert!(!after(&mut detail, 7, 600, 100_000) && after(&mut detail, 1, 600, 100_000));
        detail.choose(false);
        assert!(!after(&mut detail, 1000, 600, 100_000));
        detail.choose(true);
        assert!(after(&mut detail, 10_000, 5, 10) && detail.half(false));
    }
}

//! The resolution of the view: half its width and height if frames have been slow for a while or the user asks for it.

use std::time::Duration;

/// Minimum time of a slow frame: 20 frames a second. At half size a frame is fast if it takes at most half of that.
const SLOW: Duration = Duration::from_millis(50);
/// Time of fast frames at half size before full size is tried again; it doubles with each failure.
const TRUST: Duration = Duration::from_secs(10);
/// Time of slow frames before the view is drawn at half size.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum time counted for one frame: the machine may have slept, or the device is being prepared.
const MAX: Duration = Duration::from_millis(250);
/// A flock smaller by this factor is drawn at full size again.
const SMALLER: u32 = 4;

/// The size at which the view is drawn. It must not flicker between the two sizes: full size returns for a much smaller
/// flock, or is tried again at growing intervals.
#[derive(Debug, Default)]
pub struct Detail {
    /// True at half size.
    half: bool,
    /// True if the user chose the size.
    chosen: bool,
    /// Time for which frames have been slow.
    slow: Duration,
    /// Time for which frames at half size have been fast, and the time that full size requires.
    fast: Duration,
    trust: Duration,
    /// Number of boids at which full size was too slow.
    boids: u32,
}

impl Detail {
    /// True if the view is drawn at half size. A paused picture has the time for full size.
    pub fn half(&self, playing: bool) -> bool {
        self.half && (playing || self.chosen)
    }

    /// Fixes half or full size, regardless of the time that frames take.
    pub fn choose(&mut self, half: bool) {
        (self.half, self.chosen) = (half, true);
    }

    /// Begins again at full size for another flock, unless the user chose the size.
    pub fn begin(&mut self) {
        if !self.chosen {
            *self = Detail::default();
        }
    }

    /// Adds the time of a frame with this number of boids.
    pub fn time(&mut self, frame: Duration, boids: u32) {
        if self.chosen {
            return;
        }
        if self.half {
            self.fast = if 2 * frame > SLOW { Duration::ZERO } else { self.fast + frame };
            self.half = boids > self.boids / SMALLER && self.fast < self.trust;
            return;
        }
        self.slow = if frame > SLOW { self.slow + frame.min(MAX) } else { Duration::ZERO };
        if self.slow >= PATIENCE {
            (self.half, self.slow, self.fast, self.boids) = (true, Duration::ZERO, Duration::ZERO, boids);
            self.trust = TRUST.max(2 * self.trust);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if the view is at half size after `frames` frames of this duration.
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
        // Frames at the limit for full size do not bring it back.
        assert!(after(&mut detail, 10_000, 26, 100_000) && !detail.half(false));
        for seconds in [10, 20, 40] {
            assert!(
                after(&mut detail, 100 * seconds - 1, 10, 100_000) && !after(&mut detail, 1, 10, 100_000)
            );
            assert!(!after(&mut detail, 33, 60, 100_000) && after(&mut detail, 1, 60, 100_000));
        }
        assert!(after(&mut detail, 1, 10, 25_001) && !after(&mut detail, 1, 10, 25_000));
        assert!(after(&mut detail, 34, 60, 25_000));
        detail.begin();
        assert!(!after(&mut detail, 33, 60, 25_000) && after(&mut detail, 1, 60, 25_000));
    }

    #[test]
    fn the_choice_of_a_person_stays() {
        let mut detail = Detail::default();
        assert!(!after(&mut detail, 7, 600, 100_000) && after(&mut detail, 1, 600, 100_000));
        detail.choose(false);
        assert!(!after(&mut detail, 1000, 600, 100_000));
        detail.choose(true);
        detail.begin();
        assert!(after(&mut detail, 10_000, 5, 10) && detail.half(false));
    }
}

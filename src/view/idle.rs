//! How long nobody has touched the window.

/// The time of the last input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Idle {
    /// In seconds on the window's clock.
    since: f64,
}

/// Seconds without input after which the camera begins to turn.
const PATIENCE: f64 = 20.0;
/// How fast it turns, in radians a second, and after how many seconds it has that speed.
const SPEED: f64 = 0.06;
const START: f64 = 3.0;

impl Idle {
    /// Takes note of input.
    pub fn touch(&mut self, now: f64) {
        self.since = now;
    }

    /// Seconds until the camera begins to turn; none where it does.
    pub fn left(&self, now: f64) -> Option<f64> {
        let left = self.since + PATIENCE - now;
        (left > 0.0).then_some(left)
    }

    /// Radians that the camera turns in so many seconds.
    pub fn turn(&self, now: f64, seconds: f64) -> f32 {
        let share = ((now - self.since - PATIENCE) / START).clamp(0.0, 1.0);
        (SPEED * share * seconds) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_begins_to_turn_gently_and_only_when_it_is_left_alone() {
        let mut idle = Idle::default();
        idle.touch(100.0);
        assert_eq!((idle.left(101.0), idle.turn(101.0, 1.0)), (Some(PATIENCE - 1.0), 0.0));
        let begun = 100.0 + PATIENCE;
        assert_eq!(idle.left(begun), None);
        assert!(idle.turn(begun + 1.0, 1.0) < idle.turn(begun + 2.0, 1.0));
        assert_eq!(idle.turn(begun + 60.0, 0.5), (0.5 * SPEED) as f32);
    }
}

//! The boid that the camera flies along with, and the camera that turns by itself.

use std::time::Duration;

use glam::{Vec2, Vec3};

use super::Session;
use crate::view::frame::{Frame, Watched};
use crate::view::worker::PickRay;

/// How far beside a boid a click may be, in points.
const BESIDE: f32 = 14.0;
/// The distance from which a boid is followed, in its lengths.
const DISTANCE: f32 = 60.0;
/// How fast the camera comes to the boid: the share of the way that is left after a second is e to the minus this.
const HASTE: f32 = 5.0;
/// The camera has arrived within this share of its distance.
const ARRIVED: f32 = 1e-3;

impl Session {
    /// Flies along with the boid at a point of a picture that is so many points high; with none there, with none.
    pub fn fly_along(&mut self, pointer: Vec2, height: f32) {
        let ray = self.camera.ray(pointer, self.aspect);
        let pixel = self.camera.pixel(height.max(1.0) as u32);
        self.worker.watch(Some(PickRay { ray, flat: self.camera.flat, tolerance: BESIDE * pixel }));
    }

    /// Leaves the boid that the camera flies along with.
    pub fn leave_companion(&mut self) {
        if self.companion.take().is_some() {
            self.worker.watch(None);
        }
    }

    /// The number of the boid that the camera flies along with, and where it is.
    #[must_use]
    pub fn companion(&self) -> Option<(u32, Vec3)> {
        self.companion.map(|watched| (watched.id, self.place(&watched, self.frame.step)))
    }

    /// Where a boid that was watched is by now: it flies straight on.
    fn place(&self, watched: &Watched, step: u64) -> Vec3 {
        let steps = step.saturating_sub(watched.step).min(1000) as f32;
        let time = steps * self.told.motion.time_step as f32;
        Vec3::from(watched.position) + Vec3::from(watched.velocity) * time
    }

    /// Moves the camera along with the boid, from one frame to the next.
    pub(super) fn accompany(&mut self, next: &Frame) {
        let (before, after) = (self.companion, next.watched);
        if let (Some(before), Some(after)) = (before, after)
            && before.id == after.id
        {
            let by = self.place(&after, next.step) - self.place(&before, self.frame.step);
            // A boid that leaves on one side and enters on the other is caught up with.
            if by.length() < 0.5 * self.extent() as f32 {
                self.camera.target += by;
            }
        }
        let met = after.map(|watched| watched.id) != before.map(|watched| watched.id);
        self.coming = after.is_some() && (met || self.coming);
        self.companion = after;
    }

    /// Forgets where the flock was: the camera does not follow its jump.
    pub(in crate::view) fn forget_summary(&mut self) {
        self.frame.summary = None;
    }

    /// What moves without input: the camera that comes to its boid, or turns when it is left alone. Returns when to look
    /// again; `now` is the time in seconds, `since` that from the last frame.
    pub(in crate::view) fn drift(&mut self, now: f64, since: f64) -> Option<Duration> {
        if let Some((_, place)) = self.companion() {
            let way = place - self.camera.target;
            let near = DISTANCE * self.look.size;
            let far = (self.camera.distance - near).max(0.0);
            if way.length() + far > ARRIVED * self.camera.distance && self.coming {
                let share = 1.0 - (-HASTE * since as f32).exp();
                self.camera.target += way * share;
                self.camera.distance -= far * share;
                self.touch();
                return Some(Duration::ZERO);
            }
            self.coming = false;
        }
        if !self.orbits || self.camera.flat {
            return None;
        }
        if let Some(left) = self.idle.left(now) {
            return Some(Duration::from_secs_f64(left));
        }
        self.camera.orbit(self.idle.turn(now, since), 0.0);
        self.touch();
        Some(Duration::ZERO)
    }
}

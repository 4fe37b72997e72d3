//! The session's camera: fitted to the world at first, to the flock on demand, and following it if asked to.

use flock::parameters::Edges;
use glam::Vec3;

use super::camera::Camera;
use super::scene::Look;
use super::session::Session;

/// In a bounded world in space, the camera's distance over that which shows the whole world.
const HELD: f32 = 0.72;

impl Session {
    /// Sets the aspect of the view, width over height; the first time it also fits the camera.
    pub fn set_aspect(&mut self, aspect: f32) {
        if !aspect.is_finite() || aspect <= 0.0 {
            return;
        }
        self.aspect = aspect;
        if std::mem::take(&mut self.unseen) {
            let [min, max] = self.world();
            self.camera.fit(min, max, self.aspect);
            if !self.camera.flat && self.parameters.world.edges != Edges::Open {
                // The flock fills only the middle of such a world.
                self.camera.distance *= HELD;
            }
            self.touch();
        }
    }

    /// Shows the world from the usual side, with the look that suits the flock; colouring and fog stay.
    pub(super) fn look_at_world(&mut self) {
        let (colour, fog) = (self.look.colour, self.look.fog);
        self.camera = Camera::new(self.parameters.flat());
        // In space the edges would hide a part of the flock.
        self.look = Look { colour, fog, edges: self.camera.flat, ..Look::new(&self.parameters) };
        self.unseen = true;
        self.set_aspect(self.aspect);
    }

    /// Fits the camera to the flock.
    pub fn fit(&mut self) {
        let [min, max] = match self.frame().summary {
            Some(summary) if self.frame().boids.count() > 0 => summary.bounds,
            _ => self.world(),
        };
        self.camera.fit(min, max, self.aspect);
        self.touch();
    }

    /// Moves the camera by as much as the flock's centre.
    pub(super) fn follow(&mut self, from: Option<[f32; 3]>, to: Option<[f32; 3]>) {
        if let (true, Some(from), Some(to)) = (self.follows, from, to) {
            self.camera.target += Vec3::from(to) - Vec3::from(from);
        }
    }
}

//! Where the session looks: at its world to begin with, at the flock on demand, and along with it where wanted.

use flock::parameters::Edges;
use glam::Vec3;

use super::camera::Camera;
use super::scene::Look;
use super::session::Session;

/// How much nearer than the whole world asks for one looks at a bounded one in space.
const HELD: f32 = 0.72;

impl Session {
    /// Takes note of the shape of the view, width over height; the first time it decides how far off the camera is.
    pub fn set_aspect(&mut self, aspect: f32) {
        if !aspect.is_finite() || aspect <= 0.0 {
            return;
        }
        self.aspect = aspect;
        if std::mem::take(&mut self.unseen) {
            let [min, max] = self.world();
            self.camera.fit(min, max, self.aspect);
            if !self.camera.flat && self.parameters.world.edges != Edges::Open {
                // A flock that is held together fills no more than the middle of its world.
                self.camera.distance *= HELD;
            }
            self.touch();
        }
    }

    /// Looks at the world from the usual side, with the look that suits the flock; colours and fog stay as chosen.
    pub(super) fn look_at_world(&mut self) {
        let (colour, fog) = (self.look.colour, self.look.fog);
        self.camera = Camera::new(self.parameters.flat());
        // In space the edges are a cage about what one wants to see.
        self.look = Look { colour, fog, edges: self.camera.flat, ..Look::new(&self.parameters) };
        self.unseen = true;
        self.set_aspect(self.aspect);
    }

    /// Brings the whole flock into the picture.
    pub fn fit(&mut self) {
        let [min, max] = match self.frame().summary {
            Some(summary) if self.frame().boids.count() > 0 => summary.bounds,
            _ => self.world(),
        };
        self.camera.fit(min, max, self.aspect);
        self.touch();
    }

    /// Moves the camera as the flock's centre has moved.
    pub(super) fn follow(&mut self, from: Option<[f32; 3]>, to: Option<[f32; 3]>) {
        if let (true, Some(from), Some(to)) = (self.follows, from, to) {
            self.camera.target += Vec3::from(to) - Vec3::from(from);
        }
    }
}

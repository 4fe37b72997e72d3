//! The session's camera: fitted to the world at first, to the flock on demand, and following it if asked to.

use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use super::bounds;
use super::camera::Camera;
use super::frame::Boids;
use super::scene::{Look, Scenery, first_pitch};
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

    /// Changes the look. A camera that has not moved yet turns to the side from which the look is seen best.
    pub fn choose_look(&mut self, scenery: Scenery) {
        if self.camera.pitch == first_pitch(self.look.scenery) {
            self.camera.pitch = first_pitch(scenery);
        }
        self.look.scenery = scenery;
        self.touch();
    }

    /// Shows the world from the usual side, with the size that suits the flock; look, colouring and fog stay.
    pub(super) fn look_at_world(&mut self) {
        let Look { scenery, colour, fog, trails, .. } = self.look;
        self.camera = Camera { pitch: first_pitch(scenery), ..Camera::new(self.parameters.flat()) };
        // In space the edges would hide a part of the flock.
        self.look =
            Look { scenery, colour, fog, trails, edges: self.camera.flat, ..Look::new(&self.parameters) };
        self.unseen = true;
        self.set_aspect(self.aspect);
    }

    /// Keeps the flock in view after its number has changed: the size of a boid suits it again, and where the world has
    /// another size the camera shows the whole of it from the side that it was on.
    pub(super) fn look_again(&mut self, before: &Parameters) {
        if self.look.size == Look::new(before).size {
            self.look.size = Look::new(&self.parameters).size;
        }
        let corners = |p: &Parameters| (p.world.min, p.world.max);
        if corners(before) != corners(&self.parameters) {
            // The centre has jumped with the world.
            self.forget_summary();
            self.unseen = true;
            self.set_aspect(self.aspect);
        }
    }

    /// Fits the camera to the flock: to nearly all of it where the positions are in memory.
    pub fn fit(&mut self) {
        let frame = self.frame();
        let held = match &frame.boids {
            Boids::Host { position, .. } => bounds::robust(
                position.len(),
                |index| [position[index][0], position[index][1], position[index][2]],
                self.look.size,
            ),
            Boids::Device(instances) => {
                frame.summary.filter(|_| instances.count > 0).map(|summary| summary.bounds)
            }
        };
        let [min, max] = held.unwrap_or_else(|| self.world());
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

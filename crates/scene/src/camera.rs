//! The camera: it orbits a point, flies freely, or shows a plane from above.
//!
//! In space z is up. A flat world is shown as on a screen: x to the right, y down. Pointer positions are in normalised
//! device coordinates: (−1, −1) is the picture's lower left corner, (1, 1) its upper right.

use glam::camera::rh::{proj, view};
use glam::{Mat4, Vec2, Vec3};

/// A camera that looks at a target from a distance. Flying moves both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Camera {
    /// True for a plane seen without perspective, false for space.
    pub flat: bool,
    /// The point in the middle of the picture, in units of length.
    pub target: Vec3,
    /// Direction of sight about the z axis, in radians; 0 looks along x. Not used when flat.
    pub yaw: f32,
    /// Direction of sight above the horizon, in radians, within ±[`Camera::STEEPEST`]. Not used when flat.
    pub pitch: f32,
    /// Distance from eye to target, in units of length. When flat it only sets the scale.
    pub distance: f32,
    /// Vertical field of view, in radians.
    pub field_of_view: f32,
}

/// Corner `k` of the 8 corners of a box; bit `axis` of `k` selects the minimum (0) or the maximum (1).
pub(super) fn corner([min, max]: [Vec3; 2], k: usize) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|axis| if k >> axis & 1 == 0 { min[axis] } else { max[axis] }))
}

/// A half-line in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The origin.
    pub origin: Vec3,
    /// Its direction, of length 1.
    pub direction: Vec3,
}

impl Camera {
    /// The steepest pitch, in radians: just short of the vertical, where "up" is not defined.
    pub const STEEPEST: f32 = 1.55;
    /// Range of the distance, in units of length.
    const NEAREST: f32 = 1e-4;
    const FARTHEST: f32 = 1e7;

    /// A camera at the default angles; [`Camera::fit`] moves it to the flock.
    pub fn new(flat: bool) -> Self {
        let yaw = 40_f32.to_radians();
        Camera { flat, target: Vec3::ZERO, yaw, pitch: 0.1, distance: 10.0, field_of_view: 0.8 }
    }

    /// Moves the camera so that a box fills the picture; the direction stays.
    ///
    /// `aspect` is the picture's width over its height.
    pub fn fit(&mut self, min: impl Into<Vec3>, max: impl Into<Vec3>, aspect: f32) {
        let (min, max) = (min.into(), max.into());
        self.target = 0.5 * (min + max);
        let half = (0.5 * (max - min)).max(Vec3::ZERO);
        let slope = self.slope();
        let distance = if self.flat {
            half.y.max(half.x / aspect) * 1.04 / slope
        } else {
            // The corner that requires the greatest distance decides: |across| ≤ slope · (distance + depth).
            let (right, up, forward) = (self.right(), self.up(), self.forward());
            let needs = (0..8).map(|k| {
                let corner = corner([-half, half], k);
                let across = (corner.dot(right) / aspect).abs().max(corner.dot(up).abs());
                across / slope - corner.dot(forward)
            });
            needs.fold(0.0, f32::max) * 1.06
        };
        *self = self.at(if distance > 0.0 { distance } else { 1.0 });
    }

    /// The same camera at another distance from its target, clamped to the allowed range.
    #[must_use]
    pub fn at(self, distance: f32) -> Self {
        Camera { distance: distance.clamp(Self::NEAREST, Self::FARTHEST), ..self }
    }

    /// Turns about the target by angles in radians.
    pub fn orbit(&mut self, yaw: f32, pitch: f32) {
        self.yaw = (self.yaw + yaw).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + pitch).clamp(-Self::STEEPEST, Self::STEEPEST);
    }

    /// Turns the eye by angles in radians: like [`Camera::orbit`], but the eye stays and the target moves.
    pub fn look(&mut self, yaw: f32, pitch: f32) {
        let eye = self.eye();
        self.orbit(yaw, pitch);
        self.target = eye + self.forward() * self.distance;
    }

    /// Moves eye and target to the right, upwards and forwards, in units of length.
    pub fn fly(&mut self, right: f32, up: f32, forward: f32) {
        self.target += self.right() * right + self.up() * up + self.forward() * forward;
    }

    /// Moves the camera so that points at the target's depth follow a pointer that moves by `by`.
    pub fn pan(&mut self, by: Vec2, aspect: f32) {
        let scale = self.distance * self.slope();
        self.target -= self.right() * (by.x * scale * aspect) + self.up() * (by.y * scale);
    }

    /// Moves nearer (factor below 1) or away; the point under the pointer stays where it is.
    pub fn zoom(&mut self, factor: f32, pointer: Vec2, aspect: f32) {
        let before = self.distance;
        *self = self.at(before * factor);
        let scale = (before - self.distance) * self.slope();
        self.target += self.right() * (pointer.x * scale * aspect) + self.up() * (pointer.y * scale);
    }

    /// The direction of sight, of length 1.
    pub fn forward(&self) -> Vec3 {
        if self.flat {
            return Vec3::Z;
        }
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.cos() * cos, self.yaw.sin() * cos, sin)
    }

    /// The direction to the picture's right, of length 1.
    pub fn right(&self) -> Vec3 {
        if self.flat { Vec3::X } else { Vec3::new(self.yaw.sin(), -self.yaw.cos(), 0.0) }
    }

    /// The direction to the picture's top, of length 1.
    pub fn up(&self) -> Vec3 {
        self.right().cross(self.forward())
    }

    /// Position of the eye.
    pub fn eye(&self) -> Vec3 {
        self.target - self.forward() * self.distance
    }

    /// Tangent of half the vertical field of view.
    pub fn slope(&self) -> f32 {
        (0.5 * self.field_of_view).tan()
    }

    /// Units of length that one pixel covers at a distance of 1 (in space) or everywhere (flat), in a picture of
    /// `height` pixels.
    pub fn pixel(&self, height: u32) -> f32 {
        let units = 2.0 * self.slope() / height.max(1) as f32;
        if self.flat { units * self.distance } else { units }
    }

    /// Transforms positions to clip coordinates. Depth is reversed, 1 at the near plane: f32 is finest near zero.
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let world_to_eye = view::look_to_mat4(self.eye(), self.forward(), self.up());
        let projection = if self.flat {
            let half = self.distance * self.slope();
            // Spheres extend out of the plane: this depth contains them.
            let depth = 4.0 * self.distance;
            proj::directx::orthographic(-half * aspect, half * aspect, -half, half, depth, -depth)
        } else {
            proj::directx::perspective_infinite_reverse(self.field_of_view, aspect, 1e-3 * self.distance)
        };
        projection * world_to_eye
    }

    /// The ray from the eye through the pointer.
    pub fn ray(&self, pointer: Vec2, aspect: f32) -> Ray {
        let slope = self.slope();
        let across = self.right() * (pointer.x * slope * aspect) + self.up() * (pointer.y * slope);
        if self.flat {
            Ray { origin: self.eye() + across * self.distance, direction: self.forward() }
        } else {
            Ray { origin: self.eye(), direction: (self.forward() + across).normalize() }
        }
    }

    /// The point under the pointer at the depth of `like`: the target of a dragged thing.
    pub fn point_at_depth(&self, pointer: Vec2, aspect: f32, like: Vec3) -> Vec3 {
        let ray = self.ray(pointer, aspect);
        let forward = self.forward();
        let along = (like - ray.origin).dot(forward) / ray.direction.dot(forward);
        ray.origin + ray.direction * along.max(0.0)
    }

    /// True if a ball is in the picture, at least in part.
    pub fn sees(&self, centre: Vec3, radius: f32, aspect: f32) -> bool {
        let from_eye = centre - self.eye();
        let depth = if self.flat { self.distance } else { from_eye.dot(self.forward()) };
        let side = |way: Vec3, slope: f32| {
            // The sides of the picture lean outwards, but on a plane.
            let reach = if self.flat { radius } else { radius * (1.0 + slope * slope).sqrt() };
            from_eye.dot(way).abs() <= slope * depth + reach
        };
        depth + radius > 0.0 && side(self.right(), self.slope() * aspect) && side(self.up(), self.slope())
    }

    /// Projects a point to pointer coordinates; `None` behind the eye.
    pub fn project(&self, point: Vec3, aspect: f32) -> Option<Vec2> {
        let clip = self.view_projection(aspect) * point.extend(1.0);
        (clip.w > 0.0).then(|| Vec2::new(clip.x, clip.y) / clip.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASPECT: f32 = 1.6;

    fn cameras() -> [Camera; 3] {
        let space = Camera { target: Vec3::new(3.0, -2.0, 5.0), ..Camera::new(false) };
        let steep = Camera { yaw: 4.0, pitch: 1.2, distance: 70.0, ..space };
        [space, steep, Camera { flat: true, ..space }]
    }

    fn near(a: Vec3, b: Vec3) -> bool {
        (a - b).length() < 1e-3 * (1.0 + b.length())
    }

    #[test]
    fn flat_pictures_have_x_to_the_right_and_y_down() {
        let camera = Camera::new(true);
        let seen = camera.project(Vec3::new(1.0, 2.0, 0.0), ASPECT).expect("always seen");
        assert!(seen.x > 0.0 && seen.y < 0.0);
        // In space z is up and what is nearer is larger.
        let camera = Camera::new(false);
        assert!(camera.project(Vec3::Z, ASPECT).expect("before the eye").y > 0.0);
        assert!(camera.project(camera.eye() - camera.forward(), ASPECT).is_none());
    }

    #[test]
    fn a_box_that_was_fitted_is_seen_whole_and_fills_the_picture() {
        let (min, max) = ([-3.0, 10.0, 2.0], [9.0, 11.0, 30.0]);
        for mut camera in cameras() {
            camera.fit(min, max, ASPECT);
            let mut widest = 0.0_f32;
            for k in 0..8 {
                let corner = corner([min, max].map(Vec3::from), k);
                let seen = camera.project(corner, ASPECT).expect("before the eye");
                widest = widest.max(seen.abs().max_element());
            }
            assert!((0.85..1.0).contains(&widest), "{widest}");
        }
        let mut camera = Camera::new(false);
        camera.fit([1.0; 3], [1.0; 3], ASPECT);
        assert!(camera.distance > 0.0 && camera.view_projection(ASPECT).is_finite());
    }

    #[test]
    fn a_ray_passes_through_what_its_pointer_shows() {
        for camera in cameras() {
            let point = camera.target + camera.right() * 0.7 - camera.up() * 0.4 + camera.forward() * 2.0;
            let pointer = camera.project(point, ASPECT).expect("before the eye");
            let ray = camera.ray(pointer, ASPECT);
            let along = (point - ray.origin).dot(ray.direction);
            assert!(near(ray.origin + ray.direction * along, point));
            assert!(near(camera.point_at_depth(pointer, ASPECT, point), point));
        }
    }

    #[test]
    fn panning_and_zooming_keep_what_is_held_under_the_pointer() {
        for camera in cameras() {
            let (from, to) = (Vec2::new(0.2, -0.3), Vec2::new(-0.4, 0.5));
            let held = camera.point_at_depth(from, ASPECT, camera.target);
            let mut panned = camera;
            panned.pan(to - from, ASPECT);
            assert!((panned.project(held, ASPECT).expect("before the eye") - to).length() < 1e-3);
            let mut zoomed = camera;
            zoomed.zoom(0.5, from, ASPECT);
            assert!((zoomed.project(held, ASPECT).expect("before the eye") - from).length() < 1e-3);
            assert!((zoomed.distance - 0.5 * camera.distance).abs() < 1e-4);
        }
    }

    #[test]
    fn looking_round_keeps_the_eye_and_orbiting_the_target() {
        for camera in &cameras()[..2] {
            let mut looked = *camera;
            looked.look(0.5, 0.1);
            assert!(near(looked.eye(), camera.eye()) && !near(looked.target, camera.target));
            let mut orbited = *camera;
            orbited.orbit(0.5, 9.0);
            assert!(near(orbited.target, camera.target) && orbited.pitch == Camera::STEEPEST);
            let mut flown = *camera;
            flown.fly(0.0, 0.0, 2.0);
            assert!(near(flown.eye(), camera.eye() + camera.forward() * 2.0));
        }
    }

    #[test]
    fn a_ball_is_seen_as_soon_as_a_part_of_it_is() {
        for camera in cameras() {
            let half = camera.distance * camera.slope();
            for (way, edge) in [(camera.right(), half * ASPECT), (-camera.up(), half)] {
                let at = |share: f32| camera.target + way * (share * edge);
                let sees = |share, radius| camera.sees(at(share), radius * edge, ASPECT);
                assert!(sees(0.99, 0.0) && !sees(1.01, 0.0) && sees(1.3, 0.4) && !sees(1.6, 0.4));
            }
            let behind = camera.eye() - camera.forward() * camera.distance;
            assert_eq!(camera.sees(behind, 0.5 * camera.distance, ASPECT), camera.flat);
        }
    }
}

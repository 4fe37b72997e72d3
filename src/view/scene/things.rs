//! The bodies and lines besides boids: predators, obstacles, the attractor, the flock's centre, the world's edges.

use bytemuck::{Pod, Zeroable};
use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use super::{Drawn, Look};
use crate::view::camera::Camera;

/// One body: a cone (centre, length) or a ball (centre, radius).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Thing {
    place: [f32; 4],
    heading: [f32; 4],
    colour: [f32; 4],
}

/// An end of a line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct LineEnd {
    place: [f32; 4],
    colour: [f32; 4],
}

/// Everything besides boids.
#[derive(Debug, Default)]
pub(super) struct Things {
    pub cones: Vec<Thing>,
    pub balls: Vec<Thing>,
    /// Cones that nothing hides.
    pub marks: Vec<Thing>,
    /// Two ends a line.
    pub lines: Vec<LineEnd>,
}

// Linear light; the fourth component is emission.
const RED: [f32; 4] = [0.78, 0.035, 0.03, 0.15];
const ORANGE: [f32; 4] = [0.95, 0.24, 0.02, 0.30];
const GREEN: [f32; 4] = [0.10, 0.38, 0.06, 0.20];
const STONE: [f32; 4] = [0.115, 0.115, 0.15, 0.0];
const WHITE: [f32; 4] = [0.95, 0.93, 0.85, 0.85];
const EDGE: [f32; 4] = [0.42, 0.45, 0.60, 0.22];

impl Things {
    pub fn new(drawn: &Drawn<'_>, camera: &Camera, look: &Look, height: u32) -> Self {
        let mut things = Things::default();
        let unit = |at: Vec3| body_unit(camera, look, height, at);
        for predator in drawn.predators {
            let at = Vec3::from(predator.position);
            let heading = Vec3::from(predator.velocity).try_normalize().unwrap_or(resting_heading(camera));
            things.cone(at, 2.4 * unit(at), heading, 0.42, RED);
        }
        let parameters = drawn.parameters;
        if parameters.attractor.weight != 0.0 {
            let at = point(parameters.attractor.position);
            things.carrot(at, 4.5 * unit(at), camera);
        }
        for sphere in parameters.obstacles.spheres.as_slice() {
            things.ball(point(sphere.position), sphere.radius as f32, STONE);
        }
        if let Some(centre) = drawn.centre {
            let at = Vec3::from(centre);
            things.mark(at, 1.6 * unit(at));
        }
        if look.edges && parameters.world.edges != Edges::Open {
            things.edges(parameters);
        }
        things
    }

    fn cone(&mut self, at: Vec3, length: f32, heading: Vec3, width: f32, colour: [f32; 4]) {
        self.cones.push(thing(at, length, heading, width, colour));
    }

    fn ball(&mut self, at: Vec3, radius: f32, colour: [f32; 4]) {
        self.balls.push(thing(at, radius, Vec3::X, 1.0, colour));
    }

    /// An orange root, tip down, with three green leaves.
    fn carrot(&mut self, at: Vec3, length: f32, camera: &Camera) {
        let up = resting_heading(camera);
        self.cone(at, length, -up, 0.38, ORANGE);
        let side = if camera.flat { Vec3::X } else { camera.right() };
        for lean in [-0.55_f32, 0.0, 0.55] {
            let leaf = (up + side * lean).normalize();
            let root = at + up * (0.40 * length);
            self.cone(root + leaf * (0.2 * length), 0.45 * length, leaf, 0.22, GREEN);
        }
    }

    /// A bright star of six rays, in front of everything.
    fn mark(&mut self, at: Vec3, size: f32) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for ray in [axis, -axis] {
                self.marks.push(thing(at + ray * (0.42 * size), size, ray, 0.16, WHITE));
            }
        }
    }

    fn edges(&mut self, parameters: &Parameters) {
        let (min, mut max) = (point(parameters.world.min), point(parameters.world.max));
        let mut low = min;
        if parameters.flat() {
            (low.z, max.z) = (0.0, 0.0);
        }
        let corner = |k: usize| {
            Vec3::from(std::array::from_fn(|axis| if k >> axis & 1 == 0 { low[axis] } else { max[axis] }))
        };
        for from in 0..8_usize {
            for axis in 0..3 {
                let to = from | 1 << axis;
                let flat = parameters.flat() && (axis == 2 || from & 4 != 0);
                if to != from && !flat {
                    self.line(corner(from), corner(to), EDGE);
                }
            }
        }
    }

    fn line(&mut self, from: Vec3, to: Vec3, colour: [f32; 4]) {
        let end = |at: Vec3| LineEnd { place: at.extend(1.0).to_array(), colour };
        self.lines.extend([end(from), end(to)]);
    }
}

fn thing(at: Vec3, size: f32, heading: Vec3, width: f32, colour: [f32; 4]) -> Thing {
    Thing { place: at.extend(size).to_array(), heading: heading.extend(width).to_array(), colour }
}

/// The direction of things that do not move: up.
fn resting_heading(camera: &Camera) -> Vec3 {
    if camera.flat { -Vec3::Y } else { Vec3::Z }
}

/// The length of a boid, but at least 4 pixels: other bodies are multiples of it.
fn body_unit(camera: &Camera, look: &Look, height: u32, at: Vec3) -> f32 {
    let depth = if camera.flat { 1.0 } else { (at - camera.eye()).dot(camera.forward()).max(0.0) };
    look.size.max(4.0 * depth * camera.pixel(height))
}

fn point(of: [f64; 3]) -> Vec3 {
    Vec3::from(of.map(|c| c as f32))
}

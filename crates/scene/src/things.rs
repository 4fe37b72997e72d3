//! The bodies and lines besides boids: predators, obstacles, the attractor, the flock's centre, the world's edges.

use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use super::camera::corner;
use super::explained::Shown;
use super::mesh::{LineEnd, Near, Thing, thing};
use super::{Camera, FrameInput, Scenery, drawn_scenery};

/// Everything besides boids.
#[derive(Debug, Default)]
pub(super) struct Things {
    pub cones: Vec<Thing>,
    /// Predators as birds; the fourth component of the position is the span.
    pub falcons: Vec<Near>,
    pub balls: Vec<Thing>,
    /// Cones that are drawn in front of everything.
    pub marks: Vec<Thing>,
    /// Two ends per line.
    pub lines: Vec<LineEnd>,
}

// Linear light; the fourth component is emission.
const RED: [f32; 4] = [0.78, 0.035, 0.03, 0.15];
const ORANGE: [f32; 4] = [0.95, 0.24, 0.02, 0.30];
const GREEN: [f32; 4] = [0.10, 0.38, 0.06, 0.20];
const STONE: [f32; 4] = [0.115, 0.115, 0.15, 0.0];
const WHITE: [f32; 4] = [0.95, 0.93, 0.85, 0.85];
const EDGE: [f32; 4] = [0.42, 0.45, 0.60, 0.22];
// On a light background.
const DARK: [f32; 4] = [0.03, 0.03, 0.05, 0.85];
const DARK_EDGE: [f32; 4] = [0.12, 0.13, 0.17, 0.55];
// The outer and the inner edge of the glass.
const GLASS: [f32; 4] = [0.62, 0.90, 0.88, 0.55];
const GLASS_INSIDE: [f32; 4] = [0.45, 0.75, 0.74, 0.22];

/// Width of the glass, as a share of the world's largest side.
const GLASS_WIDTH: f32 = 0.008;

/// Minimum unit of other bodies, as a share of the picture's height: their share is the same at any resolution.
const UNIT: f32 = 1.0 / 180.0;
/// Maximum unit of the mark of the centre, as a share of the picture's height.
const MARK: f32 = 0.02;

/// A falcon's span over the length of a predator.
const SPAN: f32 = 3.4;

impl Things {
    pub fn new<B>(drawn: &FrameInput<'_, B>, height: u32) -> Self {
        let FrameInput { parameters, camera, look, .. } = drawn;
        let mut things = Things::default();
        let pixel = |at: Vec3| {
            let depth = if camera.flat { 1.0 } else { (at - camera.eye()).dot(camera.forward()).max(0.0) };
            depth * camera.pixel(height)
        };
        // The size of a boid at a point, bounded below: the sizes of other bodies are multiples of it.
        let unit = |at| look.size.max(UNIT * height as f32 * pixel(at));
        for predator in drawn.predators {
            let at = Vec3::from(predator.position);
            let length = 2.4 * unit(at);
            if drawn.dusk() {
                let ([x, y, z], position) = (predator.velocity, at.extend(SPAN * length).to_array());
                let tag = [things.falcons.len() as u32, 0, 0, 0];
                things.falcons.push(Near { position, velocity: [x, y, z, 0.0], tag });
                continue;
            }
            let heading = Vec3::from(predator.velocity).try_normalize().unwrap_or(resting_heading(camera));
            things.cones.push(thing(at, length, heading, 0.42, RED));
        }
        let scenery = drawn_scenery(look.scenery, camera.flat);
        let ink = if scenery == Scenery::Paper { DARK } else { WHITE };
        if parameters.attractor.weight != 0.0 {
            let at = point(parameters.attractor.position);
            things.carrot(at, 4.5 * unit(at), camera);
        }
        for sphere in parameters.obstacles.spheres.as_slice() {
            things.balls.push(thing(point(sphere.position), sphere.radius as f32, Vec3::X, 1.0, STONE));
        }
        if let Some(centre) = drawn.centre {
            let at = Vec3::from(centre);
            // A small share of the picture, so that the mark does not hide a few large boids.
            things.mark(at, 1.6 * unit(at).min(MARK * height as f32 * pixel(at)), ink);
        }
        if let Some(explained) = &drawn.explained {
            let Shown { lines, arrows, .. } = Shown::new(explained, camera, unit, scenery, ink);
            things.lines.extend(lines);
            things.marks.extend(arrows);
        }
        match scenery {
            Scenery::Water => things.glass(parameters, camera),
            _ if !look.edges || parameters.world.edges == Edges::Open => {}
            Scenery::Paper => things.edges(parameters, DARK_EDGE),
            Scenery::Dusk | Scenery::Cones => things.edges(parameters, EDGE),
        }
        things
    }

    /// An orange root, tip down, with three green leaves.
    fn carrot(&mut self, at: Vec3, length: f32, camera: &Camera) {
        let up = resting_heading(camera);
        self.cones.push(thing(at, length, -up, 0.38, ORANGE));
        let side = if camera.flat { Vec3::X } else { camera.right() };
        for lean in [-0.55_f32, 0.0, 0.55] {
            let leaf = (up + side * lean).normalize();
            let root = at + up * (0.40 * length);
            self.cones.push(thing(root + leaf * (0.2 * length), 0.45 * length, leaf, 0.22, GREEN));
        }
    }

    /// A star of six rays in front of everything.
    fn mark(&mut self, at: Vec3, size: f32, colour: [f32; 4]) {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for ray in [axis, -axis] {
                self.marks.push(thing(at + ray * (0.42 * size), size, ray, 0.16, colour));
            }
        }
    }

    fn edges(&mut self, parameters: &Parameters, colour: [f32; 4]) {
        for [from, to] in edges_of(corners(parameters), parameters.flat()) {
            self.line(from, to, colour, 1.0);
        }
    }

    /// The edges of an aquarium, each as the outer and the inner edge of its glass. Fish are drawn in front of the
    /// edges that are seen through the aquarium.
    fn glass(&mut self, parameters: &Parameters, camera: &Camera) {
        let [min, max] = corners(parameters);
        let eye = camera.eye();
        for (share, colour) in [(0.0, GLASS), (GLASS_WIDTH, GLASS_INSIDE)] {
            let width = share * (max - min).max_element();
            let [low, high] = [min + width, max - width];
            for [from, to] in edges_of([low, high], false) {
                // The eye sees at least one of the two walls at an edge from outside, unless the edge is at the back.
                let middle = 0.5 * (from + to);
                let outside = |axis: usize| {
                    from[axis] == to[axis]
                        && if middle[axis] == low[axis] {
                            eye[axis] < low[axis]
                        } else {
                            eye[axis] > high[axis]
                        }
                };
                let [red, green, blue, part] = colour;
                if (0..3).any(outside) {
                    self.line(from, to, colour, 1.0);
                } else {
                    self.line(from, to, [red, green, blue, 0.5 * part], 0.0);
                }
            }
        }
    }

    fn line(&mut self, from: Vec3, to: Vec3, colour: [f32; 4], before: f32) {
        let end = |at: Vec3| LineEnd { place: at.extend(before).to_array(), colour };
        self.lines.extend([end(from), end(to)]);
    }
}

/// The world's corners, z flat in two dimensions.
pub fn corners(parameters: &Parameters) -> [Vec3; 2] {
    let [mut min, mut max] = [parameters.world.min, parameters.world.max].map(point);
    if parameters.flat() {
        (min.z, max.z) = (0.0, 0.0);
    }
    [min, max]
}

/// The edges of a box, or of a rectangle if flat.
fn edges_of(ends: [Vec3; 2], flat: bool) -> impl Iterator<Item = [Vec3; 2]> {
    let pairs = (0..8_usize).flat_map(|from| (0..3).map(move |axis| (from, axis)));
    let there = move |&(from, axis): &(usize, usize)| {
        from >> axis & 1 == 0 && !(flat && (axis == 2 || from & 4 != 0))
    };
    pairs.filter(there).map(move |(from, axis)| [from, from | 1 << axis].map(|k| corner(ends, k)))
}

/// Heading of things at rest: up.
fn resting_heading(camera: &Camera) -> Vec3 {
    if camera.flat { -Vec3::Y } else { Vec3::Z }
}

fn point(of: [f64; 3]) -> Vec3 {
    Vec3::from(of.map(|c| c as f32))
}

//! The bodies and lines besides boids: predators, obstacles, the attractor, the flock's centre, the world's edges.

use config::Outline;
use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use super::camera::corner;
use super::explained::Shown;
use super::mesh::{LineEnd, Near, Thing, point, thing};
use super::{Camera, FrameInput, Look, Scenery, drawn_scenery};

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

// Shapes of a preset.
const SHAPE: [f32; 4] = [0.85, 0.60, 0.30, 0.75];
const DARK_SHAPE: [f32; 4] = [0.16, 0.07, 0.02, 0.85];
/// Width of lines and discs, in pixels; the edges of a box in space have one.
const WIDE: u16 = 3;
/// Segments of a disc.
const DISC: u16 = 72;

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
        let shade = if matches!(scenery, Scenery::Paper | Scenery::Dusk) { DARK_SHAPE } else { SHAPE };
        let mut has_glass = false;
        for shape in look.shapes {
            // A shape whose parameter was removed with its term is not drawn.
            let Ok(outline) = shape.outline(parameters) else { continue };
            match outline {
                Outline::Box(corners) if scenery == Scenery::Water => {
                    things.glass(corners.map(point), camera);
                    has_glass = true;
                }
                outline => things.outline(&outline, camera, shade, &pixel),
            }
        }
        match scenery {
            Scenery::Water if has_glass => {}
            Scenery::Water => things.glass(corners(parameters), camera),
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
            self.lines.extend(LineEnd::pair(from, to, 1.0, colour));
        }
    }

    /// The edges of an aquarium, each as the outer and the inner edge of its glass. Fish are drawn in front of the
    /// edges that are seen through the aquarium.
    fn glass(&mut self, [min, max]: [Vec3; 2], camera: &Camera) {
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
                    self.lines.extend(LineEnd::pair(from, to, 1.0, colour));
                } else {
                    self.lines.extend(LineEnd::pair(from, to, 0.0, [red, green, blue, 0.5 * part]));
                }
            }
        }
    }

    /// A shape, in lines some pixels wide; `pixel` is the size of a pixel at a point.
    fn outline(&mut self, outline: &Outline, camera: &Camera, colour: [f32; 4], pixel: &dyn Fn(Vec3) -> f32) {
        let mut stroke = |from: Vec3, to: Vec3, pixels: u16| {
            let across = camera.forward().cross(to - from).normalize_or_zero();
            for k in 0..pixels {
                let aside =
                    |at: Vec3| at + across * ((f32::from(k) - 0.5 * f32::from(pixels - 1)) * pixel(at));
                self.lines.extend(LineEnd::pair(aside(from), aside(to), 1.0, colour));
            }
        };
        match *outline {
            Outline::Line([from, to]) => stroke(point(from), point(to), WIDE),
            Outline::Box([min, max]) => {
                for [from, to] in edges_of([point(min), point(max)], camera.flat) {
                    stroke(from, to, if camera.flat { WIDE } else { 1 });
                }
            }
            Outline::Disc(centre, radius) => {
                let at = |k: u16| {
                    let angle = std::f32::consts::TAU * f32::from(k) / f32::from(DISC);
                    point(centre) + radius as f32 * Vec3::new(angle.cos(), angle.sin(), 0.0)
                };
                for k in 0..DISC {
                    stroke(at(k), at(k + 1), WIDE);
                }
            }
        }
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

/// The place of a shape's word: the middle of a line or a box, the upper edge of a disc.
fn word_place(outline: &Outline, flat: bool) -> Vec3 {
    match *outline {
        Outline::Line([from, to]) | Outline::Box([from, to]) => 0.5 * (point(from) + point(to)),
        Outline::Disc(centre, radius) => {
            let up = if flat { -Vec3::Y } else { Vec3::Y };
            point(centre) + radius as f32 * up
        }
    }
}

/// The words of the shapes and their places.
pub fn words(look: &Look, parameters: &Parameters) -> Vec<(&'static str, Vec3)> {
    let mut words = Vec::new();
    for shape in look.shapes.iter().filter(|shape| !shape.word.is_empty()) {
        if let Ok(outline) = shape.outline(parameters) {
            words.push((shape.word.as_str(), word_place(&outline, parameters.flat())));
        }
    }
    words
}

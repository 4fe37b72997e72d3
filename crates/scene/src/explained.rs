//! The explanation of a boid in the picture: its radii and fields of view as lines, a ring in each colour around whom it
//! perceives, and an arrow for each request and for their sum.

use std::f32::consts::TAU;

use engine::{Explanation, Neighbour, Sense};
use glam::{Quat, Vec3};

use super::mesh::{LineEnd, TIP, Thing, point, thing};
use super::{Camera, Scenery};

/// An explained boid of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explained<'a> {
    pub explanation: &'a Explanation,
    /// The way that the boid has moved since then.
    pub moved: Vec3,
}

/// Distance of a camera that shows an explained boid, in the largest of its ranges; and the least one, in boids.
const NEAR: f32 = 4.5;
const LEAST: f32 = 30.0;

/// The distance from which a camera shows what a boid of this length perceives.
pub fn near_distance(senses: &[Sense], size: f32) -> f32 {
    (NEAR * largest_range(senses)).max(LEAST * size)
}

/// The largest range; 0 if there is none.
fn largest_range(senses: &[Sense]) -> f32 {
    senses.iter().map(|sense| sense.radius as f32).fold(0.0, f32::max)
}

/// The colours of the three rules and of the line of sight, in sRGB; and of all others in turn.
const RULES: [(&str, [u8; 3]); 4] = [
    ("separation", [255, 92, 70]),
    ("alignment", [62, 196, 104]),
    ("cohesion", [72, 150, 255]),
    ("line_of_sight", [240, 200, 60]),
];
const OTHERS: [[u8; 3]; 5] =
    [[190, 120, 255], [255, 150, 60], [90, 210, 210], [250, 130, 190], [170, 180, 90]];

/// The colour of a rule, a term or another part, in sRGB.
pub fn colour_of(explanation: &Explanation, name: &str) -> [u8; 3] {
    if let Some((_, colour)) = RULES.iter().find(|(rule, _)| *rule == name) {
        return *colour;
    }
    let others =
        explanation.changes.iter().filter(|change| RULES.iter().all(|(rule, _)| *rule != change.name));
    let place = others.into_iter().position(|change| change.name == name);
    OTHERS[place.unwrap_or(0) % OTHERS.len()]
}

/// Segments of a circle, and of a ring around a neighbour.
const CIRCLE: usize = 96;
const RING: usize = 20;
/// The most neighbours that have rings.
const MOST_RINGS: usize = 500;
/// Segments of a dash and its gap.
const DASH: usize = 6;
/// The longest arrow, in boids and in the largest range; the shorter one counts.
const ARROW: f32 = 8.0;
const ARROW_IN_RANGE: f32 = 0.8;
/// Length of an arrow's head and width of its shaft, in the longest arrow; width of the head over its length.
const HEAD: f32 = 0.16;
const SHAFT: f32 = 0.03;
const HEAD_WIDTH: f32 = 0.55;
/// The sum's arrow is so much wider than those of requests: one that is the only request is seen on it.
const SUM: f32 = 1.9;
/// Brightness of lines before a bright sky.
const SHADE: f32 = 0.4;
/// Radius of a ring, and the distance between two, in boids.
const RING_RADIUS: f32 = 0.62;
const RING_STEP: f32 = 0.17;
/// Opacity of the lines of a radius, and of its parts at the back.
const LINE: f32 = 0.85;
const FAINT: f32 = 0.35;

/// The bodies and lines of an explanation.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub lines: Vec<LineEnd>,
    /// Arrows in front of everything.
    pub arrows: Vec<Thing>,
    /// True while dashes are drawn.
    dashed: bool,
}

impl Shown {
    /// The explanation of a boid, for a camera. `unit` is the size of a boid at a point, `ink` the colour of the
    /// sum.
    pub fn new(
        explained: &Explained<'_>,
        camera: &Camera,
        unit: impl Fn(Vec3) -> f32,
        scenery: Scenery,
        ink: [f32; 4],
    ) -> Self {
        let Explained { explanation, moved } = explained;
        let at = point(explanation.position) + moved;
        let shade = if scenery == Scenery::Dusk || scenery == Scenery::Paper { SHADE } else { 1.0 };
        let line_colour = |name: &str| linear(colour_of(explanation, name)).map(|part| shade * part);
        let mut shown = Shown::default();
        for (k, sense) in explanation.senses.iter().enumerate() {
            let colour = line_colour(sense.name);
            // Over another one of the same range it is dashed, so that both are seen.
            let range = |sense: &Sense| (sense.radius, sense.angle);
            shown.dashed = explanation.senses[..k].iter().any(|other| range(other) == range(sense));
            shown.sense(sense, (at, point(explanation.velocity)), camera, colour);
        }
        shown.dashed = false;
        for neighbour in nearest(explanation) {
            let place = point(neighbour.position) + moved;
            for (k, by) in explanation.seen_by(&neighbour).enumerate() {
                let radius = unit(place) * (RING_RADIUS + RING_STEP * k as f32);
                let [red, green, blue] = line_colour(by);
                let [a, b] = facing(camera, place);
                shown.circle(place, [a * radius, b * radius], RING, [red, green, blue, LINE]);
            }
        }
        shown.arrows(explanation, at, unit(at), ink);
        shown
    }

    /// A wide arrow for the sum, and one for each request on top of it.
    fn arrows(&mut self, explanation: &Explanation, at: Vec3, unit: f32, ink: [f32; 4]) {
        let mut arrows = vec![(point(explanation.total().velocity), ink, SUM)];
        for change in &explanation.changes {
            let [red, green, blue] = linear(colour_of(explanation, change.name));
            arrows.push((point(change.velocity), [red, green, blue, 0.95], 1.0));
        }
        let largest = arrows.iter().map(|(way, ..)| way.length()).fold(0.0, f32::max);
        let range = largest_range(&explanation.senses);
        let in_range = if range > 0.0 { (ARROW_IN_RANGE * range).max(2.0 * unit) } else { f32::INFINITY };
        let longest = in_range.min(ARROW * unit);
        for (way, colour, wider) in arrows {
            let length = longest * way.length() / largest;
            if let Some(way) = way.try_normalize().filter(|_| length > 0.02 * longest) {
                // The shaft widens towards the head.
                let head = (HEAD * longest).min(0.6 * length);
                let shaft = length - 0.9 * head;
                let width = wider * SHAFT * longest / shaft;
                // The tip of a cone is beyond its middle.
                self.arrows.push(thing(at + way * (TIP * shaft), shaft, -way, width, colour));
                let middle = at + way * (length - TIP * head);
                self.arrows.push(thing(middle, head, way, wider * HEAD_WIDTH, colour));
            }
        }
    }

    /// The radius of a sense and its field of view, ahead of a boid.
    fn sense(
        &mut self,
        sense: &Sense,
        (at, velocity): (Vec3, Vec3),
        camera: &Camera,
        [red, green, blue]: [f32; 3],
    ) {
        let radius = sense.radius as f32;
        let (line, faint) = ([red, green, blue, LINE], [red, green, blue, FAINT]);
        let [a, b] = facing(camera, at).map(|axis| axis * radius);
        let inner = sense.inner_radius as f32 / sense.radius as f32;
        if inner > 0.0 {
            self.circle(at, [a * inner, b * inner], CIRCLE, faint);
        }
        let angle = sense.angle.to_radians() as f32;
        let Some(ahead) = velocity.try_normalize().filter(|_| sense.angle < 180.0) else {
            self.circle(at, [a, b], CIRCLE, line);
            if !camera.flat {
                // An equator shows that it is a ball.
                self.circle(at, [Vec3::X * radius, Vec3::Y * radius], CIRCLE, faint);
            }
            return;
        };
        let axes = if camera.flat { vec![Vec3::Z] } else { across(ahead).to_vec() };
        for axis in axes {
            let edge = |turn: f32| at + Quat::from_axis_angle(axis, turn) * (ahead * radius);
            let mut before = edge(-angle);
            self.lines.extend(LineEnd::pair(at, before, 1.0, line));
            for k in 1..=CIRCLE {
                let next = edge(angle * (2.0 * k as f32 / CIRCLE as f32 - 1.0));
                if !self.is_gap(k) {
                    let colour = if camera.flat { line } else { faint };
                    self.lines.extend(LineEnd::pair(before, next, 1.0, colour));
                }
                before = next;
            }
            self.lines.extend(LineEnd::pair(before, at, 1.0, line));
        }
        if !camera.flat {
            let rim = across(ahead).map(|axis| axis * (radius * angle.sin()));
            self.circle(at + ahead * (radius * angle.cos()), rim, CIRCLE, line);
        }
    }

    fn circle(&mut self, at: Vec3, [a, b]: [Vec3; 2], segments: usize, colour: [f32; 4]) {
        let on_circle = |k: usize| {
            let (sine, cosine) = (TAU * k as f32 / segments as f32).sin_cos();
            at + a * cosine + b * sine
        };
        for k in 0..segments {
            if !self.is_gap(k) {
                self.lines.extend(LineEnd::pair(on_circle(k), on_circle(k + 1), 1.0, colour));
            }
        }
    }

    /// True if a segment is a gap between two dashes.
    fn is_gap(&self, segment: usize) -> bool {
        self.dashed && segment % DASH >= DASH / 2
    }
}

/// The neighbours that have rings: the nearest, if they are very many.
fn nearest(explanation: &Explanation) -> Vec<Neighbour> {
    let mut neighbours = explanation.neighbours.clone();
    if neighbours.len() > MOST_RINGS {
        let at = point(explanation.position);
        let square = |neighbour: &Neighbour| point(neighbour.position).distance_squared(at);
        neighbours.select_nth_unstable_by(MOST_RINGS, |a, b| square(a).total_cmp(&square(b)));
        neighbours.truncate(MOST_RINGS);
    }
    neighbours
}

/// Two axes of a circle around a point that faces the camera.
fn facing(camera: &Camera, at: Vec3) -> [Vec3; 2] {
    if camera.flat {
        return [Vec3::X, Vec3::Y];
    }
    (at - camera.eye()).try_normalize().map_or([Vec3::X, Vec3::Y], across)
}

/// Two axes across a direction.
fn across(direction: Vec3) -> [Vec3; 2] {
    let (a, b) = direction.any_orthonormal_pair();
    [a, b]
}

/// A colour in linear light.
fn linear(colour: [u8; 3]) -> [f32; 3] {
    colour.map(|part| {
        let share = f32::from(part) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TAIL;
    use engine::{Numeric, State};
    use flock::{Boid, Parameters};

    /// The bodies of boid 0 among others at some distances, each perceived by three rules.
    fn shown(distances: impl Iterator<Item = f64>, flat: bool) -> Shown {
        let mut parameters = Parameters::default();
        (parameters.separation.radius, parameters.alignment.radius, parameters.cohesion.radius) =
            (9.0, 9.0, 9.0);
        parameters.separation.exclusive = false;
        let boid =
            |x: f64| Boid { position: [50.0 + x, 50.0, 0.0], velocity: [0.5, 0.0, 0.0], ..Boid::default() };
        let boids: Vec<_> = std::iter::once(0.0).chain(distances).map(boid).collect();
        let state = State { step: 0, boids, predators: Vec::new() };
        let explanation = Explanation::new(Numeric::F64, &parameters, &state, 0).expect("a boid");
        let explained = Explained { explanation: &explanation, moved: Vec3::ZERO };
        Shown::new(&explained, &Camera::new(flat), |_| 1.0, Scenery::Cones, [1.0; 4])
    }

    /// The tip and the tail of a cone.
    fn ends(cone: &Thing) -> [Vec3; 2] {
        let [x, y, z, size] = cone.place;
        [TIP, TAIL].map(|end| Vec3::new(x, y, z) + end * size * Vec3::from_slice(&cone.heading))
    }

    #[test]
    fn each_perceived_boid_has_a_ring_for_each_rule_and_very_many_do_not_fill_the_memory() {
        for flat in [true, false] {
            let none = shown(std::iter::empty(), flat);
            let three = shown([1.0, 2.0, 3.0].into_iter(), flat);
            let rings = (three.lines.len() - none.lines.len()) / 2;
            assert_eq!(rings, 3 * 3 * RING, "flat: {flat}");
            let many = shown((1..3000).map(|k| f64::from(k) / 400.0), flat);
            assert_eq!((many.lines.len() - none.lines.len()) / 2, MOST_RINGS * 3 * RING);
            // A head and a shaft for each request, and for the sum.
            assert!(none.arrows.is_empty() && three.arrows.len() >= 4 && three.arrows.len() % 2 == 0);
            // A shaft begins at the boid and ends within its head.
            for arrow in three.arrows.chunks(2) {
                let [[begin, end], [tip, base]] = [ends(&arrow[0]), ends(&arrow[1])];
                let far = |point: Vec3| point.distance(Vec3::new(50.0, 50.0, 0.0));
                let [start, foot, shaft, length] = [begin, base, end, tip].map(far);
                assert!(start < 1e-3 && foot < shaft && shaft < length, "{start} {foot} {shaft} {length}");
            }
        }
    }

    #[test]
    fn the_nearest_have_rings() {
        let many = shown((1..3000).map(|k| f64::from(k) / 400.0), true);
        // Rings are small, and the 500th boid is 1.25 away.
        let farthest =
            many.lines.iter().rev().take(2 * 500 * 3 * RING).map(|end| (end.place[0] - 50.0).abs());
        let farthest = farthest.fold(0.0, f32::max);
        assert!(farthest < 1.25 + 1.2, "{farthest}");
    }
}

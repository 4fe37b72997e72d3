//! Framing: the camera that holds nearly all of a flock in the picture, and its smooth motion to that goal.
//!
//! The direction of sight stays. For a side of the picture, each boid has a plane through itself that is parallel to
//! that side of the view's pyramid; the pyramid is moved until all but a few boids lie within all four sides. So a few
//! strays do not shrink the others, and near boids count as large as they are seen.

use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use super::camera::corner;
use super::{Camera, Look, Scenery, drawn_scenery};
use config::Outline;

/// Maximum number of boids whose positions are compared.
const SAMPLE: usize = 4096;
/// Share of the boids that may lie beyond each side.
const OUTLIERS: f32 = 0.005;
/// Ratio of the distance to the least one that holds the boids, in space and on a plane.
const MARGINS: [f32; 2] = [1.3, 1.08];
/// Minimum distance in lengths of a boid if no world is kept: it leaves room around a few boids close together.
const NEAREST: f32 = 25.0;
/// Minimum ratio of half the picture's height to the distance between the camera's target and the flock.
const AHEAD: f32 = 1.5;
/// The horizon bounds the picture if the slope down to it is at least this share of the slope to the lower edge.
const LOWEST: f32 = 0.3;
/// Share of the room that a picture too narrow for its height leaves by which a flock in the sky is lower than in the
/// middle: the lake then mirrors it.
const LOWERED: f32 = 0.38;
/// Scale of the part of a glass box kept in view as it turns: the corners nearest to the eye may leave the picture.
const BOX: f32 = 0.88;

/// Stride of the sampled ids in a flock of `count` boids.
pub fn stride(count: usize) -> usize {
    count.div_ceil(SAMPLE).max(1)
}

/// The finite positions of a flock, sampled if it is large.
pub fn sample(positions: impl ExactSizeIterator<Item = [f32; 3]>) -> Vec<Vec3> {
    let stride = stride(positions.len());
    positions.step_by(stride).map(Vec3::from).filter(|place| place.is_finite()).collect()
}

/// The content that the picture must hold.
#[derive(Clone, Debug)]
pub struct Framing {
    /// True if the camera follows the flock, false if it shows the whole world from any direction.
    pub follows: bool,
    /// Corners that stay in the picture with the flock.
    kept: Vec<Vec3>,
    /// True if the flock stays above the horizon.
    sky: bool,
}

impl Framing {
    /// The framing for a flock. A periodic world is shown whole. On a plane with edges, and in an aquarium, the world
    /// stays in the picture together with the boids outside it, or the box that the flock's shapes have instead. At dusk
    /// the flock is in the sky.
    pub fn new(parameters: &Parameters, look: &Look) -> Self {
        let (world, flat) = (&parameters.world, parameters.flat());
        let scenery = drawn_scenery(look.scenery, flat);
        let keeps_world = flat && world.edges == Edges::Turn || scenery == Scenery::Water;
        let mut ends = keeps_world.then_some([world.min, world.max]);
        for shape in look.shapes {
            if let Ok(Outline::Box(corners)) = shape.outline(parameters) {
                ends = Some(corners);
            }
        }
        let mut kept = Vec::new();
        if let Some(ends) = ends {
            let [min, max] = ends.map(|corner| Vec3::from(corner.map(|c| c as f32)));
            let (middle, half) = (0.5 * (min + max), 0.5 * (max - min) * if flat { 1.0 } else { BOX });
            kept = (0..8).map(|k| corner([middle - half, middle + half], k)).collect();
        }
        Framing { follows: world.edges != Edges::Wrap, kept, sky: scenery == Scenery::Dusk }
    }

    /// True if the whole world stays in the picture.
    pub fn keeps_world(&self) -> bool {
        !self.kept.is_empty() || !self.follows
    }

    /// The camera that holds boids at these positions; `size` is a boid's length, `aspect` the picture's width over its
    /// height. `None` without boids, or if the framing shows the whole world.
    pub fn goal(&self, camera: &Camera, boids: &[Vec3], size: f32, aspect: f32) -> Option<Camera> {
        if !self.follows || boids.is_empty() {
            return None;
        }
        let (right, up, forward) = (camera.right(), camera.up(), camera.forward());
        // Tangents of the angles from the direction of sight to the sides.
        let wide = camera.slope() * aspect;
        let horizon = camera.pitch.tan();
        let above_horizon = self.sky && horizon > LOWEST * camera.slope();
        let low = if above_horizon { horizon.min(camera.slope()) } else { camera.slope() };
        let (sides, ends) = ([wide; 2], [low, camera.slope()]);
        let origin = boids[0];
        let mut held = Vec::with_capacity(boids.len());
        let mut most = |left_out: f32, beyond: &dyn Fn(&Vec3) -> f32| {
            held.clear();
            held.extend(boids.iter().map(beyond));
            // In a small flock no boid is an outlier.
            let kept = if held.len() as f32 * left_out < 1.0 { 1.0 } else { 1.0 - left_out };
            let last = ((held.len() - 1) as f32 * kept) as usize;
            *held.select_nth_unstable_by(last, f32::total_cmp).1
        };
        // On a plane all boids are at the same distance.
        let narrows = if camera.flat { 0.0 } else { 1.0 };
        let mut side = |way: Vec3, slope: f32| {
            let beyond = |place: &Vec3| (*place - origin).dot(way - narrows * slope * forward);
            self.kept.iter().map(beyond).fold(most(OUTLIERS, &beyond) + size, f32::max)
        };
        let across = [side(-right, sides[0]), side(right, sides[1])];
        let upright = [side(-up, ends[0]), side(up, ends[1])];
        let needs = |reach: [f32; 2], slopes: [f32; 2]| (reach[0] + reach[1]) / (slopes[0] + slopes[1]);
        let high = needs(upright, ends);
        let distance = needs(across, sides).max(high);
        let spare = distance - high;
        // The target has the flock's median depth; `depth` is relative to the first boid.
        let depth = if camera.flat { 0.0 } else { most(0.5, &|place| (*place - origin).dot(forward)) };
        let margin = MARGINS[usize::from(camera.flat || !self.kept.is_empty())];
        let nearest = if self.kept.is_empty() { NEAREST * size } else { 0.0 };
        let distance = (margin * (distance + depth)).max(nearest) - depth;
        // The remaining margin is equal on both sides.
        let middle = |reach: [f32; 2], slopes: [f32; 2]| {
            0.5 * (reach[1] - reach[0] + (slopes[0] - slopes[1]) * distance)
        };
        // The share of the lower half that is lake.
        let lake = if above_horizon { 1.0 - low / camera.slope() } else { 0.0 };
        let lowered = LOWERED.min(1.2 * lake) * margin * spare;
        let rise = middle(upright, ends) + lowered * (ends[0] + ends[1]);
        let target = origin + middle(across, sides) * right + rise * up + depth * forward;
        Some(Camera { target, ..*camera }.at(distance + depth))
    }
}

/// Moves a goal farther away if its flock is ahead of a camera that follows, to keep fast boids in the picture. `zoom`
/// is the user's zoom factor.
#[must_use]
pub fn drawn_back(goal: &Camera, camera: &Camera, zoom: f32) -> Camera {
    let ahead = (goal.target - camera.target).length();
    goal.at(goal.distance.max(AHEAD * ahead / (goal.slope() * zoom)))
}

/// Critically damped springs on a camera's target and the logarithm of its distance. It retreats fast, to keep a
/// spreading flock in the picture, and approaches slowly, to keep the scale steady as a flock folds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spring {
    target: Vec3,
    distance: f32,
    /// Last position and velocity of the goal, fed forward: without that a spring lags behind.
    goal: Option<Vec3>,
    travel: Vec3,
}

impl Spring {
    /// True if both the camera and its goal are slower than `speed`.
    pub fn rests(&self, speed: f32) -> bool {
        self.target.length().max(self.travel.length()) < speed
    }

    /// Moves a camera towards its goal for `time`; the `rates` of following, of approaching and of the estimate of the
    /// goal's velocity are per unit of that time.
    pub fn approach(&mut self, camera: &mut Camera, goal: &Camera, time: f32, rates: [f32; 3]) {
        let [follow, near, heed] = rates;
        let farther = (goal.distance / camera.distance).ln();
        let zoom = if farther > 0.0 { follow } else { near };
        let by = self.goal.replace(goal.target).map_or(Vec3::ZERO, |before| goal.target - before);
        self.travel += heed * (by - time * self.travel);
        let ahead = follow * (goal.target - camera.target) + 2.0 * (self.travel - self.target);
        self.target += time * follow * ahead;
        self.distance += time * zoom * (zoom * farther - 2.0 * self.distance);
        camera.target += time * self.target;
        *camera = camera.at(camera.distance * (time * self.distance).exp());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASPECT: f32 = 1.6;

    /// 1,000 boids in a cube of side 10, two of them elsewhere.
    fn strays(k: usize) -> [f32; 3] {
        match k {
            3 => [1e6; 3],
            4 => [f32::NAN, 0.0, 0.0],
            _ => [k % 10, k / 10 % 10, k / 100].map(|c| c as f32),
        }
    }

    fn look(scenery: Scenery) -> Look {
        Look { scenery, ..Look::default() }
    }

    fn space() -> Parameters {
        let mut parameters = Parameters::default();
        parameters.world.edges = Edges::Open;
        parameters
    }

    #[test]
    fn nearly_all_boids_fill_the_picture_from_any_side() {
        let framing = Framing::new(&space(), &look(Scenery::Cones));
        let boids = sample((0..1000).map(strays));
        assert_eq!(boids.len(), 999);
        for (yaw, pitch, flat) in [(0.0, 0.0, false), (0.7, 0.1, false), (4.0, -1.2, false), (0.0, 0.0, true)]
        {
            let camera = Camera { yaw, pitch, ..Camera::new(flat) };
            let goal = framing.goal(&camera, &boids, 0.1, ASPECT).expect("boids");
            let seen =
                |place: &&Vec3| goal.project(**place, ASPECT).is_some_and(|at| at.abs().max_element() <= 1.0);
            let share = boids.iter().filter(seen).count() as f32 / boids.len() as f32;
            assert!(share > 0.96, "{yaw} {pitch} {flat}: {share}");
            // A nearer camera does not hold them, so the margin is small.
            let near = goal.at(0.6 * goal.distance);
            let beyond =
                |place: &&Vec3| near.project(**place, ASPECT).is_none_or(|at| at.abs().max_element() > 1.0);
            assert!(boids.iter().filter(beyond).count() > 50, "{yaw} {pitch} {flat}");
        }
        assert!(framing.goal(&Camera::new(false), &[], 0.1, ASPECT).is_none());
        // With few boids all are held, with room around each.
        let two = [Vec3::ZERO, 9.0 * Vec3::ONE];
        let goal = framing.goal(&Camera::new(false), &two, 0.1, ASPECT).expect("boids");
        assert!(
            two.iter()
                .all(|place| goal.project(*place, ASPECT).is_some_and(|at| at.abs().max_element() < 1.0))
        );
        let goal = framing.goal(&Camera::new(false), &two[..1], 0.1, ASPECT).expect("a boid");
        assert_eq!(goal.distance, NEAREST * 0.1);
    }

    #[test]
    fn a_box_of_the_shapes_stays_in_the_picture() {
        let text = "[view]\nshapes = [{ box = [[-50, -50, -50], [50, 50, 50]] }]";
        let shapes = config::parse(text, "shapes").expect("shapes").view.shapes;
        let boids = sample((0..1000).map(strays));
        let camera = Camera { yaw: 0.7, ..Camera::new(false) };
        let distance = |shapes| {
            let look = Look { shapes, ..look(Scenery::Cones) };
            let goal = Framing::new(&space(), &look).goal(&camera, &boids, 0.1, ASPECT).expect("boids");
            goal.distance
        };
        assert!(distance(shapes) > 4.0 * distance(&[]), "{} {}", distance(shapes), distance(&[]));
    }

    /// Rows from the lowest boid to the horizon and from the highest to the upper edge, in halves of the picture.
    fn room(scenery: Scenery, aspect: f32) -> [f32; 2] {
        let camera = Camera { pitch: 0.28, ..Camera::new(false) };
        let boids = sample((0..1000).map(|k| strays(10 * (k / 10) + 5)));
        let goal = Framing::new(&space(), &look(scenery)).goal(&camera, &boids, 0.1, aspect).expect("boids");
        let rows: Vec<f32> = boids.iter().filter_map(|place| Some(goal.project(*place, aspect)?.y)).collect();
        let lowest = rows.iter().copied().fold(f32::MAX, f32::min);
        let highest = rows.iter().copied().fold(f32::MIN, f32::max);
        [lowest + camera.pitch.tan() / camera.slope(), 1.0 - highest]
    }

    #[test]
    fn in_a_narrow_picture_a_flock_at_dusk_is_near_the_lake_that_mirrors_it() {
        let [below, above] = room(Scenery::Dusk, 0.5);
        assert!(below > 0.0 && below < 0.5 * above, "{below} {above}");
        // The controls: a wide picture leaves no room, and other looks have no lake.
        let [below, above] = room(Scenery::Dusk, 3.0);
        assert!((below / above - 1.0).abs() < 0.5, "{below} {above}");
        let [below, above] = room(Scenery::Cones, 0.5);
        assert!(below - (0.28_f32.tan() / Camera::new(false).slope() - 1.0) > 0.7 * above, "{below} {above}");
    }

    #[test]
    fn a_world_that_wraps_is_shown_as_a_whole() {
        let mut parameters = space();
        parameters.world.edges = Edges::Wrap;
        let framing = Framing::new(&parameters, &look(Scenery::Cones));
        assert!(!framing.follows && framing.keeps_world());
        assert!(framing.goal(&Camera::new(false), &[Vec3::ONE], 0.1, ASPECT).is_none());
    }

    #[test]
    fn a_spring_starts_gently_never_overshoots_and_arrives() {
        let mut camera = Camera::new(false);
        let goal = Camera { target: Vec3::X * 100.0, ..camera }.at(3.0 * camera.distance);
        let (mut spring, mut last) = (Spring::default(), 0.0);
        for k in 0..300 {
            spring.approach(&mut camera, &goal, 1.0, [0.1, 0.035, 0.4]);
            let by = camera.target.x - last;
            assert!((-1e-3..5.0).contains(&by) && (k > 0 || by < 2.0), "{by}");
            last = camera.target.x;
            assert!(camera.target.x < 100.1 && camera.distance < 1.001 * goal.distance);
        }
        assert!((last - 100.0).abs() < 0.1 && (camera.distance / goal.distance - 1.0).abs() < 1e-3);
    }
}

//! The camera's path through a film: around the flock and along with it.

use flock::Parameters;
use glam::Vec3;

use crate::cli::render::RenderOptions;
use config::{CameraPath, View};
use engine::{State, senses};
use flight::{Pose, pose_at};
use scene::framing::{self, Framing, Spring};
use scene::{Camera, Look, near_distance};

/// Steps from one reading of the whole flock to the next, at least.
const READ_EVERY: u64 = 4;
/// After this many steps the camera has reached its goal: a frame after more steps counts only these.
const ARRIVED: u64 = 64;
/// Default angular speed of the camera around the flock, in degrees per second of film.
const ORBIT: f64 = 3.0;
/// Distance from which a boid is followed, in its lengths.
const FOLLOWED: f32 = 60.0;
/// Fraction per step by which the camera follows the flock and moves back; smooth without predicting its motion.
const FOLLOW: f32 = 0.12;
/// Fraction per frame by which the camera moves nearer: a film of many steps per frame does not pulsate with the flock.
const NEAR: f32 = 0.035;

/// A camera that moves from frame to frame.
#[derive(Debug)]
pub(super) struct Path {
    camera: Camera,
    /// The goal of the camera; `None` before the flock was read.
    goal: Option<Camera>,
    spring: Spring,
    framing: Framing,
    frame: u64,
    /// The step of the last frame, and how many it is from the one before.
    step: Option<u64>,
    since: u64,
    /// Radians that the camera turns per frame.
    turn: f32,
    zoom: f32,
    /// True if a file sets the camera.
    placed: bool,
    /// The boid that it flies along with.
    bird: Option<usize>,
    /// A still shows what it shows from where its flock is, whatever was drawn before it.
    still: bool,
    /// The camera's own motion, in addition to following the flock.
    keys: CameraPath,
    /// The camera of whoever flew a recorded flight.
    flown: Vec<Pose>,
    fps: f64,
    aspect: f32,
    /// Length of a boid.
    size: f32,
}

impl Path {
    /// Takes the camera of a recorded flight.
    pub fn take_flown(&mut self, poses: Vec<Pose>) {
        self.flown = poses;
    }

    /// The camera of the recorded flight at the step of this frame.
    fn flown(&self) -> Option<Camera> {
        let pose = pose_at(&self.flown, self.step?)?;
        let target = Vec3::from(pose.target);
        let Pose { yaw, pitch, distance, field_of_view, .. } = pose;
        Some(Camera { target, yaw, pitch, distance, field_of_view, ..self.camera })
    }

    pub fn new(
        options: &RenderOptions,
        keys: CameraPath,
        parameters: &Parameters,
        (mut camera, view, look): (Camera, &View, &Look),
        aspect: f32,
    ) -> Self {
        let turn = (options.orbit.unwrap_or(ORBIT) / f64::from(options.fps)).to_radians() as f32;
        let angle = |said: Option<f64>, usual| said.map_or(usual, |degrees| (degrees as f32).to_radians());
        camera.yaw = angle(options.yaw, camera.yaw);
        camera.pitch = angle(options.pitch, camera.pitch);
        camera.field_of_view = angle(options.field_of_view, camera.field_of_view);
        let moves = options.moves();
        let zoom = options.zoom.or(view.zoom).unwrap_or(1.0) as f32;
        let world = [parameters.world.min, parameters.world.max].map(|corner| corner.map(|c| c as f32));
        let mut path = Path {
            camera,
            goal: None,
            spring: Spring::default(),
            framing: Framing::new(parameters, look),
            // A still is the last frame.
            frame: if moves || options.trajectory.is_some() { 0 } else { options.steps() / options.every },
            step: None,
            since: 1,
            turn,
            zoom,
            placed: view.target.is_some(),
            bird: view.bird.map(|id| id as usize),
            still: !moves,
            keys,
            flown: Vec::new(),
            fps: f64::from(options.fps),
            aspect,
            size: look.size,
        };
        path.turn_by_keys();
        path.camera.fit(world[0], world[1], aspect);
        path.camera.distance /= path.zoom;
        if let Some(target) = view.target {
            path.camera.target = Vec3::from(target.map(|c| c as f32));
        }
        if options.bird.is_some() || options.explain {
            let distance = match options.explain {
                true => near_distance(&senses(parameters), look.size),
                false => FOLLOWED * look.size,
            };
            path.camera = path.camera.at(distance / options.zoom.unwrap_or(1.0) as f32);
        }
        if let Some(distance) = view.distance {
            path.camera = path.camera.at(distance as f32 / options.zoom.unwrap_or(1.0) as f32);
        }
        path
    }

    /// True if the world's edges are in the picture as a whole.
    pub fn shows_edges(&self) -> bool {
        self.framing.keeps_world()
    }

    /// The next frame is of this step; where that is not said, one step on.
    pub fn reach(&mut self, step: u64) {
        self.since = self.step.replace(step).map_or(1, |before| step.saturating_sub(before).max(1));
    }

    /// True if the next frame needs the state of the flock.
    pub fn needs_state(&self) -> bool {
        let due = self.still || self.frame.is_multiple_of((READ_EVERY / self.since).max(1));
        let follows = self.framing.follows && !self.placed && due;
        self.flown.is_empty() && (follows || self.bird.is_some())
    }

    /// Takes the bounds of the flock as the new goal; returns its centre where there is one.
    pub fn observe(&mut self, state: &State) -> Option<[f32; 3]> {
        match self.bird.and_then(|bird| state.boids.get(bird)) {
            Some(bird) => self.camera.target = Vec3::from(bird.position.map(|c| c as f32)),
            None => {
                self.follow(&framing::sample(state.boids.iter().map(|boid| boid.position.map(|c| c as f32))));
            }
        }
        let mut centre = Centre::default();
        state.boids.iter().for_each(|boid| centre.add(boid.position));
        centre.mean()
    }

    /// The same from some of the boids, if no file sets the camera.
    pub fn follow(&mut self, boids: &[Vec3]) {
        let goal = (!self.placed).then(|| self.framing.goal(&self.camera, boids, self.size, self.aspect));
        if let Some(goal) = goal.flatten() {
            let goal = goal.at(goal.distance / self.zoom);
            if self.goal.is_none() || self.still {
                self.camera = goal;
            }
            self.goal = Some(goal);
        }
    }

    /// The camera of this frame.
    pub fn next(&mut self) -> Camera {
        if let Some(camera) = self.flown() {
            self.camera = camera;
            self.frame += 1;
            return camera;
        }
        if self.still {
            return self.camera;
        }
        if self.frame > 0 {
            self.camera.orbit(self.turn, 0.0);
            if let Some(goal) = &self.goal {
                let steps = self.since.min(ARRIVED);
                for _ in 0..steps {
                    let goal = framing::drawn_back(goal, &self.camera, self.zoom);
                    self.spring.approach(&mut self.camera, &goal, 1.0, [FOLLOW, NEAR / steps as f32, 0.0]);
                }
            }
        }
        self.turn_by_keys();
        self.frame += 1;
        self.camera
    }

    /// Turns the camera, and moves it nearer or farther, as its keys say for this frame.
    fn turn_by_keys(&mut self) {
        let seconds = self.frame as f64 / self.fps;
        let CameraPath { yaw, pitch, zoom, field_of_view } = &self.keys;
        let angle = |key: Option<f64>, now| key.map_or(now, |degrees| degrees.to_radians() as f32);
        let (before, slope) = (self.zoom, self.camera.slope());
        self.zoom = zoom.at(seconds).map_or(before, |zoom| zoom as f32);
        self.camera.yaw = angle(yaw.at(seconds), self.camera.yaw);
        self.camera.pitch = angle(pitch.at(seconds), self.camera.pitch);
        self.camera.field_of_view = angle(field_of_view.at(seconds), self.camera.field_of_view);
        // Whatever the field of view, the flock stays as large as it is.
        let nearer = self.zoom / before * (self.camera.slope() / slope);
        self.camera.distance /= nearer;
        if let Some(goal) = &mut self.goal {
            goal.distance /= nearer;
        }
    }
}

/// The mean of the finite positions, from sums of integers, so that it does not depend on their order: the number of
/// positions, and for each axis the low and the high halves of coordinates in 2⁻²⁴.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Centre(pub [u64; 7]);

/// Units of a length of 1.
const CENTRE_UNITS: f64 = 16_777_216.0;

impl Centre {
    pub fn add(&mut self, position: [f64; 3]) {
        if position.iter().all(|c| c.is_finite()) {
            let halves = position.map(|c| (CENTRE_UNITS * c).round() as i64);
            let halves = halves.into_iter().flat_map(|c| [c & 0xffff_ffff, c >> 32]);
            let sums = self.0.iter_mut().zip([1].into_iter().chain(halves));
            sums.for_each(|(sum, number)| *sum = sum.wrapping_add(number as u64));
        }
    }

    pub fn mean(&self) -> Option<[f32; 3]> {
        let [count, halves @ ..] = self.0;
        if count == 0 {
            return None;
        }
        Some([0, 1, 2].map(|k| {
            let sum = (i128::from(halves[2 * k + 1] as i64) << 32) + i128::from(halves[2 * k]);
            (sum as f64 / CENTRE_UNITS / count as f64) as f32
        }))
    }
}

#[cfg(test)]
mod tests {
    mod framing;
    mod scene;

    use flock::Boid;
    use flock::parameters::Edges;
    use glam::Vec2;

    use super::*;
    use crate::cli::{self, Call};

    /// A path with these options of the camera, 30 frames a second.
    fn path_of(parameters: &Parameters, aspect: f32) -> Path {
        let line = "murmuration render a.mp4 --yaw 30 --pitch 10 --zoom 1 --orbit 60";
        match cli::parse(line.split(' ').map(Into::into)) {
            Ok(Call::Render(request)) => {
                let look = Look { size: 0.1, ..Look::new(parameters) };
                let (camera, view) = (Camera::new(parameters.flat()), View::default());
                Path::new(&request.options, CameraPath::default(), parameters, (camera, &view, &look), aspect)
            }
            other => panic!("{other:?}"),
        }
    }

    /// 1,000 boids in a cube of side 10 about a point.
    fn flock_at(x: f64) -> State {
        let boid = |k: u32| Boid {
            position: [x + f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)],
            ..Boid::default()
        };
        State { boids: (0..1000).map(boid).collect(), ..State::default() }
    }

    #[test]
    fn camera_turns_at_the_rate_asked_for_and_follows_without_a_jerk() {
        let mut path = path_of(&Parameters::default(), 1.5);
        assert!(path.needs_state());
        let middle = path.observe(&flock_at(0.0)).expect("a flock has a centre");
        assert_eq!(middle, [4.5; 3]);
        let first = path.next();
        // In perspective the target is not the middle of the cube: that of its corners in the picture is the picture's.
        let corners = (0..8).map(|k| 9.0 * Vec3::from([1, 2, 4].map(|bit| (k & bit).min(1) as f32)));
        let seen: Vec<Vec2> = corners.filter_map(|corner| first.project(corner, 1.5)).collect();
        let [low, high] = [Vec2::min, Vec2::max].map(|f| seen.iter().copied().reduce(f).expect("corners"));
        assert!(seen.len() == 8 && (0.5 * (low + high)).abs().max_element() < 0.1, "{low} {high}");
        assert!((first.yaw.to_degrees() - 30.0).abs() < 1e-3);
        path.observe(&flock_at(100.0));
        let second = path.next();
        assert!((second.yaw.to_degrees() - 32.0).abs() < 1e-3, "60 degrees a second at 30 frames");
        // It starts gently, never overshoots, and arrives.
        let mut last = second.target.x;
        assert!((0.1..2.0).contains(&(last - first.target.x)), "{last}");
        for _ in 0..200 {
            let x = path.next().target.x;
            assert!((last - 1e-3..104.6).contains(&x) && x - last < 6.0, "{last} to {x}");
            last = x;
        }
        assert!((last - 104.5).abs() < 0.5);
    }

    /// Also of positions far from each other, below zero, and not finite.
    #[test]
    fn a_centre_does_not_depend_on_the_order() {
        let at = |k: u32| [f64::from(k) * 1e6 - 3e7, -0.125 * f64::from(k), 1.0 / f64::from(k + 1)];
        let mean = |order: &mut dyn Iterator<Item = u32>| {
            let mut centre = Centre::default();
            order.for_each(|k| centre.add(if k == 50 { [f64::NAN, 1.0, 2.0] } else { at(k) }));
            centre.mean().expect("a mean")
        };
        let (up, down) = (mean(&mut (0..=50)), mean(&mut (0..=50).rev()));
        assert_eq!(up, down);
        let exact = [0, 1, 2].map(|axis| (0..50).map(|k| at(k)[axis]).sum::<f64>() / 50.0);
        assert!(up.iter().zip(exact).all(|(c, exact)| (f64::from(*c) - exact).abs() < 1e-6 * exact.abs()));
    }

    #[test]
    fn a_flock_of_none_has_no_place() {
        assert!(path_of(&Parameters::default(), 1.5).observe(&State::default()).is_none());
        assert_eq!(Centre::default().mean(), None);
    }

    #[test]
    fn a_world_that_wraps_is_shown_as_a_whole() {
        let mut parameters = Parameters::default();
        parameters.world.edges = Edges::Wrap;
        let mut path = path_of(&parameters, 1.5);
        assert!(!path.needs_state());
        path.observe(&flock_at(70.0));
        assert!((path.next().target - Vec3::splat(50.0)).length() < 1e-3);
    }

    #[test]
    fn a_plane_with_edges_stays_in_the_picture_with_those_beyond_them() {
        let mut parameters = Parameters::default();
        (parameters.world.edges, parameters.flock.dimensions) = (Edges::Turn, 2);
        let mut path = path_of(&parameters, 1.0);
        let alone = path.camera.distance;
        path.observe(&flock_at(40.0));
        assert!((1.0..1.05).contains(&(path.camera.distance / alone)), "all within, and a little room");
        let mut path = path_of(&parameters, 1.0);
        path.observe(&flock_at(140.0));
        assert!(path.camera.distance > 1.4 * alone && path.camera.target.x < 80.0);
    }
}

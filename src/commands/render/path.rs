//! The camera's path through a film: around the flock and along with it.

use flock::Parameters;
use flock::parameters::Edges;
use glam::{DVec3, Vec3};

use crate::cli::render::RenderOptions;
use crate::view::bounds;
use crate::view::camera::Camera;
use crate::view::scene::{Look, Scenery, drawn_scenery, first_pitch};
use config::CameraPath;
use cpu::State;
use report::Format;

/// Frames from one reading of the whole flock to the next.
const READ_EVERY: u64 = 4;
/// How fast the camera follows the flock's place and its size: the rates of critically damped springs, a frame. It draws
/// back as fast, lest a flock that spreads leaves the picture, and comes near slowly, so that the picture does not pump as
/// the flock folds.
const FOLLOW: f32 = 0.10;
const APPROACH: f32 = 0.035;

/// Distance at which a ball fills the picture, over the same for the cube around it: flocks are round.
const ROUND: f32 = 0.80;
/// The same for a box of glass that turns.
const BOX: f32 = 0.9;

/// A camera that moves from frame to frame.
#[derive(Debug)]
pub(super) struct Path {
    camera: Camera,
    /// Where the camera should be; none before the flock was read.
    goal: Option<Camera>,
    /// What the target and the logarithm of the distance change by in a frame.
    drift: (Vec3, f32),
    /// True if the camera follows the flock; else it shows the world.
    follows: bool,
    /// A box that stays in the picture while the camera follows the flock.
    kept: Option<[[f32; 3]; 2]>,
    frame: u64,
    /// Radians that the camera turns in a frame.
    turn: f32,
    zoom: f32,
    /// A still shows what it shows from where its flock is, whatever was drawn before it.
    still: bool,
    /// What moves the camera besides the flock.
    keys: CameraPath,
    fps: f64,
    aspect: f32,
    /// Length of a boid.
    size: f32,
}

impl Path {
    pub fn new(
        options: &RenderOptions,
        keys: CameraPath,
        parameters: &Parameters,
        look: &Look,
        aspect: f32,
    ) -> Self {
        let flat = parameters.flat();
        let turn = (options.orbit / f64::from(options.fps)).to_radians() as f32;
        let mut camera = Camera::new(flat);
        let pitch = options.pitch.map_or(first_pitch(look.scenery), |degrees| (degrees as f32).to_radians());
        (camera.yaw, camera.pitch) = ((options.yaw as f32).to_radians(), pitch);
        if let Some(degrees) = options.field_of_view {
            camera.field_of_view = (degrees as f32).to_radians();
        }
        let world = [parameters.world.min, parameters.world.max].map(|corner| corner.map(|c| c as f32));
        let aquarium = drawn_scenery(look.scenery, flat) == Scenery::Water;
        let mut path = Path {
            camera,
            goal: None,
            drift: (Vec3::ZERO, 0.0),
            follows: parameters.world.edges != Edges::Wrap,
            // Boids overshoot the edges at which they turn, and fish the walls.
            kept: (flat && parameters.world.edges == Edges::Turn || aquarium).then_some(world),
            frame: 0,
            turn,
            zoom: options.zoom as f32,
            still: Format::of(&options.file).is_ok_and(|format| !format.is_film()),
            keys,
            fps: f64::from(options.fps),
            aspect,
            size: look.size,
        };
        path.turn_by_keys();
        path.camera = path.fitted(world);
        path
    }

    /// True if the world's edges are in the picture as a whole.
    pub fn shows_edges(&self) -> bool {
        self.kept.is_some() || !self.follows
    }

    /// True if the next frame needs the state of the flock.
    pub fn needs_state(&self) -> bool {
        self.follows && self.frame.is_multiple_of(READ_EVERY)
    }

    /// Takes the bounds of the flock as the new goal; returns its centre where there is one.
    pub fn observe(&mut self, state: &State) -> Option<[f32; 3]> {
        if self.follows
            && let Some(bounds) = bounds(state, self.size)
        {
            let goal = self.fitted_to_flock(bounds);
            if self.goal.is_none() || self.still {
                self.camera = goal;
            }
            self.goal = Some(goal);
        }
        centre(state)
    }

    /// The camera of this frame.
    pub fn next(&mut self) -> Camera {
        if self.still {
            return self.camera;
        }
        if self.frame > 0 {
            self.camera.orbit(self.turn, 0.0);
            if let Some(goal) = &self.goal {
                let (drift, growth) = &mut self.drift;
                let farther = (goal.distance / self.camera.distance).ln();
                *drift += FOLLOW * (FOLLOW * (goal.target - self.camera.target) - 2.0 * *drift);
                let zoom = if farther > 0.0 { FOLLOW } else { APPROACH };
                *growth += zoom * (zoom * farther - 2.0 * *growth);
                self.camera.target += *drift;
                self.camera.distance *= growth.exp();
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

    /// Fitted to what fills the middle of a box in space, and the whole of one on a plane.
    fn fitted_to_flock(&self, bounds: [[f32; 3]; 2]) -> Camera {
        let [mut min, mut max] = bounds.map(Vec3::from);
        if let Some([low, high]) = self.kept.map(|corners| corners.map(Vec3::from)) {
            (min, max) = (min.min(low), max.max(high));
        }
        let mut camera = self.fitted([min.to_array(), max.to_array()]);
        if !camera.flat {
            camera.distance *= if self.kept.is_some() { BOX } else { ROUND };
        }
        camera
    }

    fn fitted(&self, [min, max]: [[f32; 3]; 2]) -> Camera {
        let mut camera = self.camera;
        camera.fit(min, max, self.aspect);
        camera.distance /= self.zoom;
        camera
    }
}

/// The mean of the finite positions.
fn centre(state: &State) -> Option<[f32; 3]> {
    let positions = state.boids.iter().map(|boid| DVec3::from(boid.position)).filter(|p| p.is_finite());
    let count = positions.clone().count();
    (count > 0).then(|| (positions.sum::<DVec3>() / count as f64).as_vec3().to_array())
}

/// A box that holds nearly all boids, and a margin.
fn bounds(state: &State, size: f32) -> Option<[[f32; 3]; 2]> {
    bounds::robust(state.boids.len(), |index| state.boids[index].position.map(|c| c as f32), size)
}

#[cfg(test)]
mod tests {
    mod framing;

    use flock::Boid;

    use super::*;
    use crate::cli::{self, Call};

    /// A path with these options of the camera, 30 frames a second.
    fn path_of(parameters: &Parameters, aspect: f32) -> Path {
        let line = "murmuration render a.mp4 --yaw 30 --pitch 10 --zoom 1 --orbit 60";
        match cli::parse(line.split(' ').map(Into::into)) {
            Ok(Call::Render(request)) => {
                let look = Look { size: 0.1, ..Look::new(parameters) };
                Path::new(&request.options, CameraPath::default(), parameters, &look, aspect)
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
        assert!(
            (first.target - Vec3::splat(4.5)).length() < 0.1 && (first.yaw.to_degrees() - 30.0).abs() < 1e-3
        );
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

    #[test]
    fn a_flock_of_none_has_no_place() {
        assert_eq!(bounds(&State::default(), 0.1), None);
        assert_eq!(centre(&State::default()), None);
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

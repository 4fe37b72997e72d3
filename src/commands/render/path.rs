//! The camera's way through a film: round the flock and along with it.

use flock::Parameters;
use flock::parameters::Edges;
use glam::Vec3;

use crate::cli::render::Sight;
use crate::state::State;
use crate::view::camera::Camera;

/// Frames from one look at the whole flock to the next.
const LOOK_UP_EVERY: u64 = 4;
/// Share of the way to where it should be that the camera goes in a frame.
const HASTE: f32 = 0.06;
/// Boids looked at.
const SAMPLE: usize = 8192;
/// Share of the boids on either side that may leave the picture.
const STRAYS: f64 = 0.02;

/// Distance to a ball over the distance to the cube around it.
const ROUND: f32 = 0.75;

/// A camera that moves from frame to frame.
#[derive(Debug)]
pub(super) struct Path {
    camera: Camera,
    /// Where the camera should be; none before the first look.
    goal: Option<Camera>,
    /// Whether the flock is followed; else the world is looked at.
    follows: bool,
    /// What stays in the picture when the flock is followed.
    kept: Option<[[f32; 3]; 2]>,
    frame: u64,
    /// Turn a frame, in radians.
    turn: f32,
    zoom: f32,
    aspect: f32,
    /// Length of a boid.
    size: f32,
}

impl Path {
    pub fn new(sight: &Sight, fps: u32, parameters: &Parameters, size: f32, aspect: f32) -> Self {
        let flat = parameters.flat();
        let mut camera = Camera::new(flat);
        (camera.yaw, camera.pitch) = (sight.yaw.to_radians(), sight.pitch.to_radians());
        let world = [parameters.world.min, parameters.world.max].map(|corner| corner.map(|c| c as f32));
        let mut path = Path {
            camera,
            goal: None,
            follows: parameters.world.edges != Edges::Wrap,
            // Boids overshoot the edges they turn at.
            kept: (flat && parameters.world.edges == Edges::Turn).then_some(world),
            frame: 0,
            turn: (sight.orbit / fps as f32).to_radians(),
            zoom: sight.zoom,
            aspect,
            size,
        };
        path.camera = path.fitted(world);
        path
    }

    /// Whether the world's edges are in the picture as a whole.
    pub fn shows_edges(&self) -> bool {
        self.kept.is_some() || !self.follows
    }

    /// Whether the next frame wants a look at the flock.
    pub fn looks_up(&self) -> bool {
        self.follows && self.frame.is_multiple_of(LOOK_UP_EVERY)
    }

    /// Looks at the flock; returns its centre where there is one.
    pub fn see(&mut self, state: &State) -> Option<[f32; 3]> {
        if self.follows
            && let Some(bounds) = bounds(state, self.size)
        {
            let goal = self.fitted_to_flock(bounds);
            if self.goal.is_none() {
                self.camera = goal;
            }
            self.goal = Some(goal);
        }
        centre(state)
    }

    /// The camera of this frame.
    pub fn next(&mut self) -> Camera {
        if self.frame > 0 {
            self.camera.orbit(self.turn, 0.0);
            if let Some(goal) = &self.goal {
                self.camera.target += (goal.target - self.camera.target) * HASTE;
                self.camera.distance *= (goal.distance / self.camera.distance).powf(HASTE);
            }
        }
        self.frame += 1;
        self.camera
    }

    fn fitted_to_flock(&self, [min, max]: [[f32; 3]; 2]) -> Camera {
        if let Some([low, high]) = self.kept {
            let both =
                |a: [f32; 3], b: [f32; 3], of: fn(Vec3, Vec3) -> Vec3| of(a.into(), b.into()).to_array();
            return self.fitted([both(min, low, Vec3::min), both(max, high, Vec3::max)]);
        }
        let mut camera = self.fitted([min, max]);
        if !camera.flat {
            // Flocks are round: the corners of their box are empty.
            camera.distance *= ROUND;
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

/// The mean position, without those that have none.
fn centre(state: &State) -> Option<[f32; 3]> {
    let positions = state.boids.iter().map(|boid| boid.position);
    let mut count = 0.0;
    let sum = positions.filter(|p| p.iter().all(|c| c.is_finite())).fold([0.0; 3], |sum: [f64; 3], p| {
        count += 1.0;
        std::array::from_fn(|k| sum[k] + p[k])
    });
    (count > 0.0).then(|| sum.map(|c| (c / count) as f32))
}

/// A box that holds nearly all boids, with some room around.
fn bounds(state: &State, size: f32) -> Option<[[f32; 3]; 2]> {
    let stride = state.boids.len().div_ceil(SAMPLE).max(1);
    let sides: Option<Vec<[f32; 2]>> = (0..3)
        .map(|axis| {
            let all = state.boids.iter().step_by(stride).map(|boid| boid.position[axis]);
            let mut sample: Vec<f64> = all.filter(|c| c.is_finite()).collect();
            sample.sort_unstable_by(f64::total_cmp);
            let strays = (sample.len() as f64 * STRAYS) as usize;
            let least = *sample.get(strays)? as f32;
            let most = *sample.get(sample.len() - 1 - strays)? as f32;
            let room = 0.08 * (most - least) + 2.0 * size;
            Some([least - room, most + room])
        })
        .collect();
    let sides = sides?;
    let corner = |which: usize| Vec3::new(sides[0][which], sides[1][which], sides[2][which]).to_array();
    Some([corner(0), corner(1)])
}

#[cfg(test)]
mod tests {
    use flock::Boid;

    use super::*;

    const SIGHT: Sight = Sight { yaw: 30.0, pitch: 10.0, zoom: 1.0, orbit: 60.0 };

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
        let mut path = Path::new(&SIGHT, 30, &Parameters::default(), 0.1, 1.5);
        assert!(path.looks_up());
        let middle = path.see(&flock_at(0.0)).expect("a flock has a centre");
        assert_eq!(middle, [4.5; 3]);
        let first = path.next();
        assert!(
            (first.target - Vec3::splat(4.5)).length() < 0.1 && (first.yaw.to_degrees() - 30.0).abs() < 1e-3
        );
        path.see(&flock_at(100.0));
        let second = path.next();
        assert!((second.yaw.to_degrees() - 32.0).abs() < 1e-3, "60 degrees a second at 30 frames");
        let moved = second.target.x - first.target.x;
        assert!((1.0..20.0).contains(&moved), "{moved}");
        for _ in 0..200 {
            path.next();
        }
        assert!((path.camera.target.x - 104.5).abs() < 0.5);
    }

    #[test]
    fn a_few_strays_and_nonsense_do_not_widen_the_view() {
        let mut state = flock_at(0.0);
        let plain = bounds(&state, 0.1).expect("a flock has bounds");
        state.boids[3].position = [1e6; 3];
        state.boids[4].position = [f64::NAN, 0.0, 0.0];
        let [min, max] = bounds(&state, 0.1).expect("a flock has bounds");
        assert!((0..3).all(|k| (min[k] - plain[0][k]).abs() < 2.0 && (max[k] - plain[1][k]).abs() < 2.0));
        assert_eq!(bounds(&State::default(), 0.1), None);
        assert_eq!(centre(&State::default()), None);
    }

    #[test]
    fn a_world_that_wraps_is_looked_at_as_a_whole() {
        let mut parameters = Parameters::default();
        parameters.world.edges = Edges::Wrap;
        let mut path = Path::new(&SIGHT, 30, &parameters, 0.1, 1.5);
        assert!(!path.looks_up());
        path.see(&flock_at(70.0));
        assert!((path.next().target - Vec3::splat(50.0)).length() < 1e-3);
    }

    #[test]
    fn a_plane_with_edges_stays_in_the_picture_with_those_beyond_them() {
        let mut parameters = Parameters::default();
        (parameters.world.edges, parameters.flock.dimensions) = (Edges::Turn, 2);
        let mut path = Path::new(&SIGHT, 30, &parameters, 0.1, 1.0);
        let alone = path.camera.distance;
        path.see(&flock_at(40.0));
        assert!((1.0..1.05).contains(&(path.camera.distance / alone)), "all within, and a little room");
        let mut path = Path::new(&SIGHT, 30, &parameters, 0.1, 1.0);
        path.see(&flock_at(140.0));
        assert!(path.camera.distance > 1.4 * alone && path.camera.target.x < 80.0);
    }
}

//! Films keep the flock in the picture.

use super::super::*;
use crate::cli::{self, Call};
use config::presets::PRESETS;
use glam::Vec3;

const ASPECT: f32 = 16.0 / 9.0;
const BOIDS: u32 = 1000;
const STEPS: u32 = 3000;
/// Frames from one sample to the next.
const INTERVAL: u32 = 50;

/// The least share of a preset's flock in the picture, over a film of `every` steps a frame. A camera that does not
/// follow keeps its first goal.
fn least_share(name: &str, boids: u32, every: u32, follows: bool) -> f32 {
    let preset = config::presets::find(name).expect("a preset");
    let mut p = preset.parameters().expect("it holds");
    p.set_boids(p.flock.boids.min(boids));
    let Ok(Call::Render(request)) =
        cli::parse(["murmuration", "render", "a.mp4"].into_iter().map(Into::into))
    else {
        panic!("a name is enough");
    };
    let seen = (Camera::new(p.flat()), &View::default(), &Look::new(&p));
    let mut path = Path::new(&request.options, CameraPath::default(), &p, seen, ASPECT);
    let mut engine = cpu::open_as::<f32>(&p, &State::start(&p), Some(1)).expect("a thread");
    let mut least = 1.0_f32;
    for step in (0..STEPS).step_by(every as usize) {
        path.reach(u64::from(step));
        if path.needs_state() && (follows || step == 0) {
            path.observe(&engine.state().expect("a state"));
        }
        let camera = path.next();
        if step.is_multiple_of(INTERVAL) || every > 1 {
            least = least.min(share(&camera, &engine.state().expect("a state")));
        }
        engine.advance(every).expect("a step");
    }
    least
}

/// The share of the boids in the picture.
fn share(camera: &Camera, state: &State) -> f32 {
    let seen = |boid: &&flock::Boid<f64>| {
        let place = Vec3::from(boid.position.map(|c| c as f32));
        camera.project(place, ASPECT).is_some_and(|at| at.abs().max_element() <= 1.0)
    };
    state.boids.iter().filter(seen).count() as f32 / state.boids.len() as f32
}

/// A frame that is several steps on is as far as those take the flock. A few fly apart as fast as the camera draws back:
/// one of them may leave it for a moment.
#[test]
fn no_flock_leaves_the_picture() {
    let presets = PRESETS.iter().map(|preset| (preset.name, BOIDS, 1, 0.95));
    let more = [(300, 2, 0.95), (3000, 4, 0.95), (1, 1, 0.5), (2, 1, 0.5), (3, 1, 0.5)];
    let more = more.into_iter().map(|(boids, every, least)| ("murmuration", boids, every, least));
    for (name, boids, every, least) in presets.chain(more) {
        let share = least_share(name, boids, every, true);
        assert!(share >= least, "{name}, {boids}, {every}: {share} of the flock is in the picture");
    }
    let share = least_share("murmuration", BOIDS, 1, false);
    assert!(share < 0.8, "a camera that does not follow loses the flock: {share}");
}

//! Nobody is lost, nothing becomes no number: two hundred steps of flocks of every size, and of hostile states.

use config::presets::PRESETS;
use engine::{Engine, State};
use flock::Parameters;
use flock::parameters::{Edges, Start};

use crate::flocks::quantised;
use crate::random_flock;
use crate::scope;
use crate::special::preset;
use crate::subjects::Subject;

const STEPS: u32 = 200;

/// The start, each boid marked: a boid that is no scout keeps its bias, which then tells who it is.
fn marked(parameters: &Parameters) -> State {
    let mut state = State::start(parameters);
    for (id, boid) in state.boids.iter_mut().enumerate() {
        (boid.group, boid.bias) = (0, mark(id));
    }
    state
}

fn mark(id: usize) -> f64 {
    id as f64 / f64::from(1 << 24)
}

/// # Panics
/// When a boid is lost, doubled, out of its world or too fast, or a number is none.
fn endures(subject: &Subject, what: &str, parameters: &Parameters, state: &State, steps: u32) {
    let mut engine = subject.engine(parameters, state);
    let advanced = engine.advance(steps).and_then(|()| engine.state());
    let after = advanced.unwrap_or_else(|error| panic!("{}: {what}: {error}", subject.name));
    let what = format!("{}: {what}, {} boids after {steps} steps", subject.name, state.boids.len());
    println!("{what}");
    assert_eq!(engine.boids() as usize, state.boids.len(), "{what}");
    assert_eq!(
        (engine.step_number(), after.step),
        (state.step + u64::from(steps), engine.step_number()),
        "{what}"
    );
    assert_eq!(after.boids.len(), state.boids.len(), "{what}");
    assert_eq!(after.predators.len(), state.predators.len(), "{what}");
    let fastest = parameters.motion.max_speed * 1.00001;
    for (id, boid) in after.boids.iter().enumerate() {
        assert_eq!(boid.bias, mark(id), "{what}: boid {id} is another or was lost: {boid:?}");
        assert!(boid.position.iter().chain(&boid.velocity).all(|c| c.is_finite()), "{what}: {id}: {boid:?}");
        let speed = boid.velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!(speed <= fastest, "{what}: {id} flies at {speed}");
        assert!(parameters.flock.dimensions == 3 || boid.position[2] == 0.0, "{what}: {id}: {boid:?}");
        let world = &parameters.world;
        for k in 0..parameters.flock.dimensions as usize {
            let inside = (world.min[k]..world.max[k]).contains(&boid.position[k]);
            assert!(inside || world.edges != Edges::Wrap, "{what}: {id} left the world: {boid:?}");
        }
    }
    for predator in &after.predators {
        assert!(
            predator.position.iter().chain(&predator.velocity).all(|c| c.is_finite()),
            "{what}: {predator:?}"
        );
    }
}

/// Every preset with 0, 1, 2 and 300 boids; with all that is tested 1,000. An engine that compiles for each flock has one of
/// the three small numbers, by turns, and a slow one of those 300.
pub fn small_flocks(subject: &Subject) {
    for (k, name) in (0..).zip(PRESETS.iter().map(|preset| preset.name)) {
        let most = if subject.is_slow() { 300 } else { scope::choose(300, 1000) };
        for boids in if subject.compiles() { vec![k % 3, most] } else { vec![0, 1, 2, most] } {
            let parameters = quantised(&preset(name, if name == "cornell" { 2 } else { 3 }, boids));
            endures(subject, name, &parameters, &marked(&parameters), STEPS);
        }
    }
}

/// Flocks whose parameters lie at the ends of their ranges, stepped by one engine: a state that is not finite is refused. An
/// engine that compiles for each of them has six.
pub fn flocks_at_limits(subject: &Subject) {
    let mut engine: Option<Box<dyn Engine>> = None;
    for number in 0..if subject.compiles() { 6 } else { 16 } {
        let parameters = quantised(&random_flock::at_limits(number, 40));
        let state = State::start(&parameters);
        let what = format!("{}: flock {number}", subject.name);
        let engine = engine.get_or_insert_with(|| subject.engine(&parameters, &state));
        let stepped = engine
            .set_parameters(&parameters)
            .and_then(|()| engine.set_state(&state))
            .and_then(|()| engine.advance(STEPS))
            .and_then(|()| engine.state());
        let after = stepped.unwrap_or_else(|error| panic!("{what}: {error}: {parameters:?}"));
        assert_eq!((after.step, after.boids.len()), (u64::from(STEPS), state.boids.len()), "{what}");
    }
}

/// 20,000 boids of the default preset; with all that is tested 100,000 for fewer steps, on what is not slow.
pub fn large_flock(subject: &Subject) {
    let few = (20_000, if subject.is_slow() { STEPS / 4 } else { STEPS });
    let (boids, steps) = if subject.is_slow() { few } else { scope::choose(few, (100_000, STEPS / 4)) };
    let parameters = quantised(&preset("murmuration", 3, boids));
    endures(subject, "murmuration", &parameters, &marked(&parameters), steps);
}

/// States that nobody would ask for. On one point everybody perceives everybody.
pub fn hostile_states(subject: &Subject) {
    for (edges, name) in [(Edges::Open, "think"), (Edges::Turn, "cornell"), (Edges::Wrap, "holoviews")] {
        let boids = if subject.is_slow() { 500 } else { scope::choose(500, 1000) };
        let mut parameters = preset(name, 3, boids);
        parameters.world.edges = edges;
        let parameters = quantised(&parameters);
        let mut state = marked(&parameters);
        for (k, boid) in state.boids.iter_mut().enumerate().filter(|(k, _)| k % 5 == 0) {
            let far = f64::from([1e5_f32, -1e9, 1e15, 1e-40][k / 5 % 4]);
            (boid.position, boid.velocity) = ([far, -far, far], [-far, far, far]);
        }
        endures(subject, &format!("{name}, far out and fast"), &parameters, &state, STEPS);

        // A lattice whose spacing is a third of the reach, in numbers that are all rounded.
        let third = parameters.cohesion.radius / 3.0;
        for (id, boid) in state.boids.iter_mut().enumerate() {
            let place = [id % 10, id / 10 % 10, id / 100];
            boid.position = std::array::from_fn(|k| f64::from((place[k] as f64 * third) as f32));
            boid.velocity = [0.0; 3];
        }
        endures(subject, &format!("{name}, on a lattice"), &parameters, &state, STEPS);

        let mut point = parameters;
        point.flock.start = Start::Point;
        endures(subject, &format!("{name}, on one point"), &point, &marked(&point), STEPS);
    }
}

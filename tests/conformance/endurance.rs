//! Nobody is lost, nothing becomes no number, over some dozen steps of flocks of every size and of hostile states; and the
//! same start gives the same bits: again, in pieces, through the state, and in an engine that was used before.

use config::presets::PRESETS;
use conform::flocks::quantised;
use engine::{Engine, State};
use flock::Parameters;
use flock::parameters::{Edges, Sphere, Start};

use crate::engines::Subject;
use crate::random_flock;
use crate::special::preset;

const STEPS: u32 = 60;

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

/// Every preset with 300 boids, and with 0, 1 or 2 by turns.
pub fn small_flocks(subject: &Subject) {
    for (k, name) in (0..).zip(PRESETS.iter().map(|preset| preset.name)) {
        for boids in [k % 3, 300] {
            let parameters = quantised(&preset(name, if name == "cornell" { 2 } else { 3 }, boids));
            endures(subject, name, &parameters, &marked(&parameters), STEPS);
        }
    }
}

/// Flocks whose parameters lie at the ends of their ranges, stepped by one engine: a state that is not finite is refused. An
/// engine that compiles for each of them has six.
pub fn flocks_at_limits(subject: &Subject) {
    let mut engine: Option<Box<dyn Engine>> = None;
    for number in 0..if subject.compiles() { 6 } else { 60 } {
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

/// 20,000 boids of the default preset.
pub fn large_flock(subject: &Subject) {
    let parameters = quantised(&preset("murmuration", 3, 20_000));
    endures(subject, "murmuration", &parameters, &marked(&parameters), 20);
}

/// States that nobody would ask for. On one point everybody perceives everybody.
pub fn hostile_states(subject: &Subject) {
    for (edges, name) in [(Edges::Open, "think"), (Edges::Turn, "cornell"), (Edges::Wrap, "holoviews")] {
        let mut parameters = preset(name, 3, 500);
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

/// A state in words, which tell all its bits apart.
fn bits(state: &State) -> String {
    format!("{state:?}")
}

/// Flocks in which everything there is takes part.
fn flocks() -> Vec<(&'static str, Parameters)> {
    let mut busy = preset("murmuration", 3, 3000);
    busy.world.edges = Edges::Wrap;
    (busy.predators.count, busy.predators.chase_weight, busy.predators.attack_weight) = (3, 0.1, 0.2);
    (busy.noise.weight, busy.scouts.right, busy.scouts.left, busy.scouts.dynamic) = (0.01, 0.1, 0.1, true);
    (busy.perching.height, busy.perching.steps, busy.alignment.angle) = (3.0, 6, 120.0);
    busy.obstacles.spheres.push(Sphere { position: [1.0, 2.0, 3.0], radius: 4.0 }).expect("room for one");
    let mut dense = preset("cornell", 2, 4000);
    (dense.noise.weight, dense.world.max) = (0.02, [200.0, 150.0, 100.0]);
    let mut nearest = preset("murmuration", 3, 1500);
    nearest.neighbours.nearest = 7;
    vec![("busy", busy), ("dense", dense), ("the seven nearest", nearest)]
}

/// # Panics
/// When any two ways to the same step differ in a bit.
pub fn same_bits(subject: &Subject) {
    let taken = if subject.is_slow() { 2 } else { 3 };
    for (what, parameters) in flocks().into_iter().take(taken) {
        let parameters = quantised(&parameters);
        let start = State::start(&parameters);
        let ten = subject.advance(&parameters, &start, 10);
        let twenty = bits(&subject.advance(&parameters, &start, 20));
        let moved = ten.boids != start.boids;
        assert!(moved, "{what}: nothing happened");
        let what = format!("{}: {what}", subject.name);

        assert!(bits(&subject.advance(&parameters, &start, 20)) == twenty, "{what}: again");
        assert!(
            bits(&subject.advance(&parameters, &ten, 10)) == twenty,
            "{what}: 10 + 10 steps through the state"
        );

        let other = quantised(&preset("think", 3, 700));
        let mut engine = subject.engine(&other, &State::start(&other));
        let run = || {
            engine.advance(3)?;
            engine.set_parameters(&parameters)?;
            engine.set_state(&start)?;
            (0..20).try_for_each(|_| engine.advance(1))?;
            engine.state()
        };
        let used: Result<State, engine::EngineError> = { run }();
        let used = used.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(bits(&used) == twenty, "{what}: step by step in an engine used before");
    }
}

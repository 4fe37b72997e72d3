//! The same start gives the same bits: again, in pieces, through the state, and in an engine that was used before.

use engine::State;
use flock::Parameters;
use flock::parameters::{Edges, Sphere};

use crate::flocks::quantised;
use crate::scope;
use crate::special::preset;
use crate::subjects::Subject;

/// Every bit of a state.
fn bits(state: &State) -> (u64, Vec<[u64; 9]>, Vec<[u64; 6]>) {
    let six = |p: [f64; 3], v: [f64; 3]| [p[0], p[1], p[2], v[0], v[1], v[2]].map(f64::to_bits);
    let boid = |b: &flock::Boid<f64>| {
        let [a, b1, c, d, e, f] = six(b.position, b.velocity);
        [a, b1, c, d, e, f, b.bias.to_bits(), u64::from(b.group), b.rest as u64]
    };
    let boids = state.boids.iter().map(boid).collect();
    (state.step, boids, state.predators.iter().map(|p| six(p.position, p.velocity)).collect())
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
    vec![
        ("busy", busy),
        ("dense", dense),
        ("the seven nearest", nearest),
        ("flock-wide", preset("yabi", 3, 3000)),
        ("wrapping", preset("holoviews", 2, 3000)),
    ]
}

/// # Panics
/// When any two ways to the same step differ in a bit.
pub fn same_bits(subject: &Subject) {
    let taken = if subject.is_slow() { 2 } else { scope::choose(3, 5) };
    for (what, parameters) in flocks().into_iter().take(taken) {
        let parameters = quantised(&parameters);
        let start = State::start(&parameters);
        let ten = subject.advance(&parameters, &start, 10);
        let twenty = bits(&subject.advance(&parameters, &start, 20));
        let moved = bits(&ten).1 != bits(&start).1;
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

//! The gallery in `examples/formulas/`: each flock does what it is known for, in f32 and in integers.

use std::path::Path;

use cpu::engine::Engine as _;
use cpu::measures::measure;
use cpu::state::State;
use cpu::{CpuEngine, Real};
use flock::{Fixed, Parameters};

fn load(name: &str) -> Parameters {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/formulas");
    config::load(&folder.join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}")).parameters
}

fn after<T: Real>(parameters: &Parameters, steps: u32) -> State {
    let mut engine = CpuEngine::<T>::new(parameters, &State::start(parameters), Some(1)).expect("an engine");
    engine.advance(steps).expect("steps");
    engine.state().expect("a state")
}

/// The share of a boid's neighbours within a radius that are of its group.
fn alike(state: &State, radius: f64) -> f64 {
    let (mut same, mut all) = (0_u32, 0_u32);
    for (k, a) in state.boids.iter().enumerate() {
        for b in state.boids.iter().skip(k + 1) {
            let square: f64 = (0..3).map(|axis| (a.position[axis] - b.position[axis]).powi(2)).sum();
            if square < radius * radius {
                all += 1;
                same += u32::from(a.group == b.group);
            }
        }
    }
    f64::from(same) / f64::from(all.max(1))
}

/// What a flock is known for: the steps, the number, and what it must be.
type Known = (&'static str, u32, fn(&Parameters, &State) -> f64, std::ops::Range<f64>);

const KNOWN: [Known; 4] = [
    ("vortex", 500, |p, state| measure(p, state).milling, 0.95..1.01),
    ("mill", 1500, |p, state| measure(p, state).milling, 0.7..1.01),
    ("consensus", 600, |p, state| measure(p, state).polarization, 0.99..1.01),
    ("sorting", 2500, |_, state| alike(state, 1.2), 0.75..1.01),
];

#[test]
fn each_flock_of_the_gallery_does_what_it_is_known_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/formulas");
    let files = std::fs::read_dir(folder).expect("the gallery").count();
    assert_eq!(files, KNOWN.len(), "a flock of the gallery that is known for nothing");
    for (name, steps, found, allowed) in KNOWN {
        let mut p = load(name);
        p.set_boids(p.flock.boids.min(2000));
        for (numeric, state) in [("f32", after::<f32>(&p, steps)), ("fixed", after::<Fixed>(&p, steps))] {
            let found = found(&p, &state);
            assert!(allowed.contains(&found), "{name} in {numeric}: {found}, not within {allowed:?}");
        }
        // A negative control: without its terms a flock is known for nothing.
        let plain = Parameters { terms: Default::default(), ..p };
        let without = found(&plain, &after::<f32>(&plain, steps));
        assert!(!allowed.contains(&without), "{name} without its terms: {without}");
    }
}

//! The gallery in `presets/formulas/`: each flock does what it is known for, in f32. Its bits in integers
//! are recorded.

use std::path::Path;

use engine::State;
use engine::measures::measure;
use flock::{Boid, Parameters};

fn load(name: &str) -> Parameters {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets/formulas");
    config::load(&folder.join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}")).parameters
}

fn after(parameters: &Parameters, steps: u32) -> State {
    let mut engine = cpu::open_as::<f32>(parameters, &State::start(parameters), Some(1)).expect("an engine");
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

/// The mean of a number of those boids that it is asked of.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A unit vector along the velocity, or zero.
fn heading(boid: &Boid<f64>) -> [f64; 3] {
    let speed = length(boid.velocity).max(1e-9);
    boid.velocity.map(|c| c / speed)
}

/// The mean distance from a predator (any group but 0) to the nearest prey.
fn gap(state: &State) -> f64 {
    let (prey, predators): (Vec<_>, Vec<_>) = state.boids.iter().partition(|boid| boid.group == 0);
    let apart = |a: &Boid<f64>, b: &Boid<f64>| {
        length(std::array::from_fn(|axis| a.position[axis] - b.position[axis]))
    };
    mean(predators.iter().map(|one| prey.iter().map(|other| apart(one, other)).fold(f64::MAX, f64::min)))
}

/// The mean cosine of the angle between the headings of boids within a radius of each other; edges do not wrap.
fn local_order(state: &State, radius: f64) -> f64 {
    let pairs = state.boids.iter().enumerate().flat_map(|(k, a)| {
        state.boids.iter().skip(k + 1).filter_map(move |b| {
            let apart = length(std::array::from_fn(|axis| a.position[axis] - b.position[axis]));
            let (u, v) = (heading(a), heading(b));
            (apart < radius).then(|| (0..3).map(|axis| u[axis] * v[axis]).sum())
        })
    });
    mean(pairs)
}

/// A known property of a flock: name, boids, steps, measure, and range of its value.
type KnownProperty = (&'static str, u32, u32, fn(&Parameters, &State) -> f64, std::ops::Range<f64>);

const KNOWN: [KnownProperty; 14] = [
    ("vortex", 2000, 500, |p, state| measure(p, state).milling, 0.95..1.01),
    ("mill", 200, 600, |p, state| measure(p, state).milling, 0.7..1.01),
    ("consensus", 150, 600, |p, state| measure(p, state).polarization, 0.99..1.01),
    ("sorting", 400, 1000, |_, state| alike(state, 1.2), 0.75..1.01),
    // The mean of the headings along the direction that leaders prefer.
    ("leaders", 100, 600, |_, state| mean(state.boids.iter().map(|boid| heading(boid)[0])), 0.5..1.01),
    ("predators", 200, 200, |_, state| gap(state), 0.15..0.9),
    ("zones", 100, 800, |p, state| measure(p, state).milling, 0.4..1.01),
    ("vision", 1000, 300, |_, state| local_order(state, 1.0), 0.25..1.01),
    // Friction stops whoever nothing drives.
    ("life", 400, 300, |p, state| measure(p, state).mean_speed, 0.3..1.5),
    // The mean distance of sheep from the fold; it begins at 50.
    (
        "shepherd",
        60,
        250,
        |_, state| {
            mean(state.boids.iter().filter(|boid| boid.group == 0).map(|sheep| length(sheep.position)))
        },
        0.0..15.0,
    ),
    // The share behind the gate.
    (
        "gate",
        100,
        600,
        |_, state| mean(state.boids.iter().map(|boid| f64::from(boid.position[0] > 0.0))),
        0.99..1.01,
    ),
    ("tissue", 150, 1000, |p, state| measure(p, state).polarization, 0.8..1.01),
    ("agents", 200, 300, |_, state| local_order(state, 5.0), 0.6..1.01),
    ("netlogo", 300, 500, |_, state| local_order(state, 5.0), 0.9..1.01),
];

#[test]
fn each_flock_of_the_gallery_does_what_it_is_known_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets/formulas");
    let files = std::fs::read_dir(folder).expect("the gallery").count();
    assert_eq!(files, KNOWN.len(), "a flock of the gallery that is known for nothing");
    std::thread::scope(|scope| {
        for known in KNOWN {
            scope.spawn(|| check(known));
        }
    });
}

fn check((name, boids, steps, found, allowed): KnownProperty) {
    let mut p = load(name);
    p.set_boids(boids);
    let with = found(&p, &after(&p, steps));
    assert!(allowed.contains(&with), "{name}: {with}, not within {allowed:?}");
    // A negative control: without its terms a flock is known for nothing.
    let plain = Parameters { terms: Default::default(), ..p };
    let without = found(&plain, &after(&plain, steps));
    assert!(!allowed.contains(&without), "{name} without its terms: {without}");
}

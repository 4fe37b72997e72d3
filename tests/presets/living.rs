//! The default flock lives: long after its start it neither mills, nor freezes into one heading, nor falls apart.

use config::presets;
use engine::State;
use engine::measures::{Measures, measure};

const BOIDS: u32 = 3000;
/// Steps before the first sample, between samples, and in all.
const SETTLED: u32 = 5000;
const INTERVAL: u32 = 250;
const LAST: u32 = 20_000;

/// The measures of a settled flock, and its thickness (along gravity) over its length, both as standard deviations.
fn samples(seed: u32, change: impl FnOnce(&mut flock::Parameters)) -> Vec<(Measures, f64)> {
    let preset = presets::find(presets::DEFAULT).expect("there is one");
    let mut p = preset.parameters().expect("it holds");
    p.set_boids(BOIDS);
    p.flock.seed = seed;
    change(&mut p);
    let mut engine = cpu::open_as::<f32>(&p, &State::start(&p), Some(1)).expect("a thread");
    engine.advance(SETTLED).expect("steps");
    let mut samples = Vec::new();
    for _ in (SETTLED..LAST).step_by(INTERVAL as usize) {
        engine.advance(INTERVAL).expect("steps");
        let state = engine.state().expect("a state");
        samples.push((measure(&p, &state), flatness(&state)));
    }
    samples
}

/// Standard deviation along z over that along the longest level axis.
fn flatness(state: &State) -> f64 {
    let places: Vec<[f64; 3]> = state.boids.iter().map(|boid| boid.position).collect();
    let mean = |of: &dyn Fn(&[f64; 3]) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
    let centre = [0, 1, 2].map(|axis| mean(&|p| p[axis]));
    let product = |a: usize, b: usize| mean(&|p| (p[a] - centre[a]) * (p[b] - centre[b]));
    // The larger eigenvalue of the level covariance.
    let (x, y, both) = (product(0, 0), product(1, 1), product(0, 1));
    let longest = 0.5 * (x + y) + (0.25 * (x - y) * (x - y) + both * both).sqrt();
    (product(2, 2) / longest).sqrt()
}

/// The faults of a flock; empty for a murmuration.
fn faults(samples: &[(Measures, f64)]) -> Vec<String> {
    let mean =
        |of: &dyn Fn(&(Measures, f64)) -> f64| samples.iter().map(of).sum::<f64>() / samples.len() as f64;
    let polarization = samples.iter().map(|(measures, _)| measures.polarization);
    let swing = polarization.clone().fold(0.0, f64::max) - polarization.fold(1.0, f64::min);
    let figures = [
        ("milling", mean(&|(m, _)| m.milling), 0.0..0.6),
        ("swing of the polarization", swing, 0.3..1.0),
        ("largest group", mean(&|(m, _)| m.largest_group) / f64::from(BOIDS), 0.8..1.01),
        ("neighbours", mean(&|(m, _)| m.neighbours_mean), 5.0..25.0),
        ("thickness over length", mean(&|(_, flatness)| *flatness), 0.12..0.4),
    ];
    let wrong = figures.into_iter().filter(|(_, found, allowed)| !allowed.contains(found));
    wrong.map(|(what, found, allowed)| format!("{what} {found:.2}, not within {allowed:?}")).collect()
}

#[test]
fn the_default_flock_lives() {
    std::thread::scope(|scope| {
        for seed in 1..=3 {
            scope.spawn(move || {
                assert_eq!(faults(&samples(seed, |_| ())), Vec::<String>::new(), "seed {seed}");
            });
        }
    });
}

/// The control: as this preset once was, the flock keeps its order.
#[test]
fn a_flock_of_steady_order_is_no_living_flock() {
    let faults = faults(&samples(1, |p| {
        (p.world.min, p.world.max) = ([-50.0, -50.0, -25.0], [50.0, 50.0, 25.0]);
        (p.world.margin, p.world.turn) = (30.0, 0.015);
        (p.separation.radius, p.separation.weight) = (2.0, 0.05);
        (p.alignment.weight, p.cohesion.weight) = (0.08, 0.01);
        (p.motion.min_speed, p.motion.max_speed) = (0.5, 1.0);
        (p.home.weight, p.home.half_extent, p.noise.weight) = (0.000_08, 22.0, 0.015);
    }));
    assert!(faults.iter().any(|fault| fault.starts_with("swing of the polarization")), "{faults:?}");
}

/// A flock that does nothing wrong but to mill.
#[test]
fn milling_alone_is_a_fault() {
    let p = flock::Parameters::default();
    let measures = measure(&p, &State::start(&p));
    let sample = |polarization, milling| {
        let (largest_group, neighbours_mean) = (f64::from(BOIDS), 10.0);
        (Measures { polarization, milling, largest_group, neighbours_mean, ..measures }, 0.2)
    };
    assert_eq!(faults(&[0.4, 0.9].map(|polarization| sample(polarization, 0.3))), Vec::<String>::new());
    let faults = faults(&[0.4, 0.9].map(|polarization| sample(polarization, 0.7)));
    assert_eq!(faults, ["milling 0.70, not within 0.0..0.6"]);
}

//! Long runs have the same statistics in all number types.
//!
//! Flocks are chaotic: runs in two number types diverge after some hundred steps, but the distributions of their measures
//! must agree. The runs of each number type start from seeds of their own, so the samples are independent.

use config::presets::{self, PRESETS};
use conform::brute::{Brute, Mutation};
use conform::flocks::{self, Model, quantised};
use cpu::Real;
use engine::measures::{Measures, measure};
use engine::{Engine, State};
use flock::{Fixed, Parameters};

use crate::scope;

const BOIDS: u32 = 80;
/// Steps of a run. Measures are averaged over the second half: one number per run.
const STEPS: u32 = 800;
/// Steps between two measurements.
const INTERVAL: u32 = 40;
/// Runs of a sample.
const RUNS: u32 = 20;

const MEASURES: [&str; 7] =
    ["polarization", "milling", "mean_speed", "gyration", "nearest_mean", "neighbours_mean", "largest_group"];

/// Two samples of [`RUNS`] numbers from one distribution are this far apart with a probability of 9.5·10⁻⁶, which is below
/// 1 % over all comparisons (7 measures, 9 presets, 2 dimensions, 2 number types: Bonferroni). The distance is the statistic
/// D of the two-sample Kolmogorov–Smirnov test, times [`RUNS`]. For samples of n numbers the probability of nD ≥ k is
/// 2 · (C(2n, n − k) − C(2n, n − 2k) + …) / C(2n, n) (Gnedenko and Korolyuk 1951); ties only decrease it.
const TOO_FAR: usize = 15;

/// The measures of each run.
type Sample = Vec<[f64; MEASURES.len()]>;

/// Runs a flock from [`RUNS`] seeds from `first` on.
fn sample(parameters: &Parameters, first: u32, open: impl Fn(&Parameters) -> Box<dyn Engine>) -> Sample {
    let mut runs = Vec::new();
    for seed in first..first + RUNS {
        let mut parameters = *parameters;
        parameters.flock.seed = seed;
        let mut engine = open(&parameters);
        engine.advance(STEPS / 2).expect("it steps");
        let mut means = [0.0; MEASURES.len()];
        let samples = STEPS / 2 / INTERVAL;
        for _ in 0..samples {
            engine.advance(INTERVAL).expect("it steps");
            let measures = measure(&parameters, &engine.state().expect("a state"));
            for (mean, name) in means.iter_mut().zip(MEASURES) {
                let mut values = Measures::NAMES.iter().zip(measures.values());
                let (_, value) = values.find(|(other, _)| **other == name).expect("a measure");
                *mean += value / f64::from(samples);
            }
        }
        runs.push(means.map(rounded));
    }
    runs
}

/// The CPU engine in one number type.
fn engine<T: Real>(parameters: &Parameters) -> Box<dyn Engine> {
    cpu::open_as::<T>(parameters, &State::start(parameters), Some(1)).expect("an engine")
}

/// Rounds to four significant digits, so that rounding errors do not separate equal measures: a speed of 1 ± 10⁻⁸ is 1.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a number")
}

/// The largest difference between the numbers of runs of the two samples up to some value. NaN counts as larger than all
/// numbers.
fn distance(a: &[f64], b: &[f64]) -> usize {
    let up_to = |sample: &[f64], value: f64| sample.iter().filter(|x| x.total_cmp(&value).is_le()).count();
    a.iter().chain(b).map(|value| up_to(a, *value).abs_diff(up_to(b, *value))).max().unwrap_or(0)
}

/// The measure by which the samples are furthest apart, and its distance.
fn furthest(a: &Sample, b: &Sample) -> (usize, &'static str) {
    let mut furthest = (0, MEASURES[0]);
    for (k, name) in MEASURES.into_iter().enumerate() {
        let [a, b] = [a, b].map(|sample| sample.iter().map(|run| run[k]).collect::<Vec<f64>>());
        furthest = furthest.max((distance(&a, &b), name));
    }
    furthest
}

fn flock(name: &str, dimensions: u32) -> Parameters {
    let model = Model::preset(presets::find(name).expect("a preset")).expect("presets hold");
    quantised(&flocks::flock(&model, dimensions, BOIDS, true))
}

#[test]
fn statistics_are_equal_in_all_number_types() {
    let mut wrong = Vec::new();
    for preset in PRESETS {
        let published = preset.parameters().expect("presets hold").flock.dimensions;
        for dimensions in scope::choose(vec![published], vec![2, 3]) {
            let parameters = flock(preset.name, dimensions);
            let expected = sample(&parameters, 1, engine::<f64>);
            let in_f32 = furthest(&sample(&parameters, 10_001, engine::<f32>), &expected);
            let in_integers = furthest(&sample(&parameters, 20_001, engine::<Fixed>), &expected);
            println!("{} {dimensions}-D: {in_f32:?} in f32, {in_integers:?} in integers", preset.name);
            if in_f32.0.max(in_integers.0) >= TOO_FAR {
                wrong.push(format!("{} {dimensions}-D", preset.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Negative control: steps counted in 8 bits, so that predators repeat 256 steps for ever. A single step near the start does
/// not show it.
#[test]
fn predators_that_repeat_themselves_are_seen() {
    let parameters = flock("yabi", 3);
    let repeating = |parameters: &Parameters| -> Box<dyn Engine> {
        let mutation = Mutation { count: |step| step % 256, ..Mutation::none() };
        Box::new(Brute::<f32>::new(parameters, &State::start(parameters), mutation))
    };
    let expected = sample(&parameters, 1, engine::<f64>);
    let found = furthest(&sample(&parameters, 10_001, repeating), &expected);
    assert!(found.0 >= TOO_FAR, "{found:?}");
}

//! Long runs have the same statistics in all number types.

use flock::Parameters;
use rayon::prelude::*;
use serde::Serialize;

use super::divergence::Divergence;
use super::flocks;
use super::kolmogorov_smirnov::{p_value, statistic};
use super::subject::Subject;
use config::ConfigError;
use config::presets::Preset;
use cpu::engine::EngineError;
use cpu::measures::{Measures, measure};
use cpu::state::State;

/// The significance level of all comparisons together.
pub const LEVEL: f64 = 0.01;

const BOIDS: u32 = 80;
/// Steps of a run. Measures are averaged over the second half: one number per run.
const STEPS: u32 = 800;
/// Steps between two measurements.
const INTERVAL: u32 = 40;

/// The measures compared.
pub const COMPARED: [&str; 7] =
    ["polarization", "milling", "mean_speed", "gyration", "nearest_mean", "neighbours_mean", "largest_group"];

/// The measures [`COMPARED`] of each run.
pub type Sample = Vec<[f64; COMPARED.len()]>;

/// The flock of a preset in 2 or 3 dimensions.
///
/// # Errors
/// When the preset's file is not valid.
pub fn flock(preset: &Preset, dimensions: u32) -> Result<Parameters, ConfigError> {
    Ok(flocks::quantised(&flocks::preset(preset, dimensions, BOIDS, true)?))
}

/// Runs a flock once from each of the seeds `first` to `first + seeds − 1`. Samples from disjoint seeds are independent.
///
/// # Errors
/// When an engine fails.
pub fn sample(
    subject: &Subject,
    parameters: &Parameters,
    first: u32,
    seeds: u32,
) -> Result<Sample, EngineError> {
    (first..first + seeds)
        .into_par_iter()
        .map(|seed| {
            let mut parameters = *parameters;
            parameters.flock.seed = seed;
            one_run(subject, &parameters)
        })
        .collect()
}

fn one_run(subject: &Subject, parameters: &Parameters) -> Result<[f64; COMPARED.len()], EngineError> {
    let mut session = subject.session();
    let engine = session.load(parameters, &State::start(parameters))?;
    engine.advance(STEPS / 2)?;
    let mut sums = [0.0; COMPARED.len()];
    for _ in 0..STEPS / 2 / INTERVAL {
        engine.advance(INTERVAL)?;
        let measures = measure(parameters, &engine.state()?);
        let value = |name: &str| Measures::NAMES.iter().zip(measures.values()).find(|(n, _)| **n == name);
        for (sum, name) in sums.iter_mut().zip(COMPARED) {
            *sum += value(name).map_or(f64::NAN, |(_, value)| value);
        }
    }
    Ok(sums.map(|sum| rounded(sum / f64::from(STEPS / 2 / INTERVAL))))
}

/// Rounds to four significant digits, so that rounding errors do not separate equal measures.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digit = f64::powi(10.0, value.abs().log10().floor() as i32 - 3);
    (value / digit).round() * digit
}

/// The measure with the smallest p-value of two samples.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    #[serde(rename = "p")]
    pub p_value: f64,
    pub measure: &'static str,
    #[serde(skip)]
    pub divergence: Option<Divergence>,
}

/// Compares two samples of equal size, at a significance level for each measure.
pub fn compare(found: &Sample, expected: &Sample, level: f64) -> Compared {
    let mut least = Compared { p_value: 1.0, measure: COMPARED[0], divergence: None };
    for (k, measure) in COMPARED.into_iter().enumerate() {
        let [a, b] = [found, expected].map(|sample| sample.iter().map(|run| run[k]).collect::<Vec<f64>>());
        let p_value = p_value(a.len(), statistic(&a, &b));
        if p_value >= least.p_value {
            continue;
        }
        let shown = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            format!("mean {mean:.6}")
        };
        let quantity = format!("{measure} over {} runs (p = {p_value:.1e})", a.len());
        let divergence = Divergence::new(STEPS.into(), &quantity, shown(&a), shown(&b));
        least = Compared { p_value, measure, divergence: (p_value < level).then_some(divergence) };
    }
    least
}

//! Long runs have the same statistics in all number types.

use std::ops::Range;

use flock::Parameters;
use rayon::prelude::*;
use serde::Serialize;

use super::flocks::Model;
use super::{Divergence, Subject, flocks};
use engine::measures::{Measures, measure};
use engine::{Result, State};

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

/// The flock of a model in 2 or 3 dimensions.
pub fn flock(model: &Model, dimensions: u32) -> Parameters {
    flocks::quantised(&flocks::flock(model, dimensions, BOIDS, true))
}

/// Runs a flock once from each of these seeds. Samples from disjoint seeds are independent.
///
/// # Errors
/// When an engine fails.
pub fn sample(subject: &Subject, parameters: &Parameters, seeds: Range<u32>) -> Result<Sample> {
    let run = |seed| {
        let mut parameters = *parameters;
        parameters.flock.seed = seed;
        let mut session = subject.session();
        let engine = session.load(&parameters, &State::start(&parameters))?;
        engine.advance(STEPS / 2)?;
        let mut sums = [0.0; COMPARED.len()];
        for _ in 0..STEPS / 2 / INTERVAL {
            engine.advance(INTERVAL)?;
            let measures = measure(&parameters, &engine.state()?);
            let value = |name: &str| Measures::NAMES.iter().zip(measures.values()).find(|(n, _)| **n == name);
            for (sum, name) in sums.iter_mut().zip(COMPARED) {
                *sum += value(name).map_or(f64::NAN, |(_, value)| value);
            }
        }
        Ok(sums.map(|sum| rounded(sum / f64::from(STEPS / 2 / INTERVAL))))
    };
    seeds.into_par_iter().map(run).collect()
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
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [found, expected] = [mean(&a), mean(&b)].map(|mean| format!("mean {mean:.6}"));
        let quantity = format!("{measure} over {} runs (p = {p_value:.1e})", a.len());
        let divergence = Divergence::new(STEPS.into(), &quantity, found, expected);
        least = Compared { p_value, measure, divergence: (p_value < level).then_some(divergence) };
    }
    least
}

/// The statistic of the two-sample Kolmogorov–Smirnov test for samples of equal size (Smirnov, Ann. Math. Stat. 19,
/// 1948): the largest distance between the empirical distributions of two samples of n numbers each, in units of 1/n.
/// NaN counts as larger than all numbers.
fn statistic(a: &[f64], b: &[f64]) -> usize {
    let [a, b] = [a, b].map(|sample| {
        let mut sample = sample.to_vec();
        sample.sort_by(f64::total_cmp);
        sample
    });
    let up_to = |sample: &[f64], value: &f64| sample.partition_point(|x| x.total_cmp(value).is_le());
    a.iter().chain(&b).map(|value| up_to(&a, value).abs_diff(up_to(&b, value))).max().unwrap_or(0)
}

/// The probability that two samples of n numbers from one continuous distribution have at least this statistic. It is
/// exact: the orders of 2n numbers are counted. With ties it is an upper bound. For n up to 500.
fn p_value(n: usize, statistic: usize) -> f64 {
    // Lattice paths from (0, 0) to (n, n): all of them, and those that keep |i − j| < statistic.
    let paths = |allowed: &dyn Fn(usize, usize) -> bool| {
        let mut row = vec![0.0_f64; n + 1];
        for i in 0..=n {
            for j in 0..=n {
                let from_left = if j > 0 { row[j - 1] } else { 0.0 };
                let from_above = if i > 0 { row[j] } else { 0.0 };
                let begin = f64::from(u8::from(i == 0 && j == 0));
                row[j] = if allowed(i, j) { from_left + from_above + begin } else { 0.0 };
            }
        }
        row[n]
    };
    let inside = paths(&|i, j| i.abs_diff(j) < statistic);
    (1.0 - inside / paths(&|_, _| true)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_those_of_counting() {
        assert_eq!(p_value(4, 0), 1.0);
        assert_eq!(p_value(4, 1), 1.0);
        // Two of the 6 orders of two and two numbers keep the samples apart.
        assert!((p_value(2, 2) - 2.0 / 6.0).abs() < 1e-15);
        // The closed form for complete separation: 2 / C(2n, n).
        assert!((p_value(10, 10) - 2.0 / 184_756.0).abs() < 1e-15);
        // Published critical value: n = 30 at the level 0.05 rejects from 11/30 on.
        assert!(p_value(30, 11) < 0.05 && p_value(30, 10) > 0.05);
        assert!(p_value(500, 60) > 0.0 && p_value(500, 60) < 1.0);
    }

    #[test]
    fn statistics_are_distances_of_the_distributions() {
        assert_eq!(statistic(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 0);
        assert_eq!(statistic(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 3);
        assert_eq!(statistic(&[1.0, 1.0, 1.0], &[1.0, 2.0, 2.0]), 2);
        assert_eq!(statistic(&[f64::NAN, 1.0], &[1.0, 2.0]), 1);
    }
}

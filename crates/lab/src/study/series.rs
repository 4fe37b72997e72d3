//! What is kept of a measure over time: its mean with a standard error, least, most and last value.
//!
//! The samples of a run are correlated, so their standard error is √(2 τ s² / n): s² is their variance (n − 1 in the
//! denominator), and τ = ½ + Σ ρ(t), t = 1 … M, is the integrated autocorrelation time in samples, with ρ(t) the
//! autocorrelation (sums over n − t products, divided by n) and the window M the least with M ≥ 5 τ(M) (Sokal, "Monte
//! Carlo methods in statistical mechanics: foundations and new algorithms", 1997, section 3; Madras and Sokal, J. Stat.
//! Phys. 50, 1988). 2 τ is taken as 1 where it comes out smaller. Where no window up to n / 2 fits, the run is too short to
//! tell, and there is no error. More than 8,192 samples are first averaged in pairs, which changes neither the mean nor
//! what the window finds (Flyvbjerg and Petersen, J. Chem. Phys. 91, 1989).

/// The window in autocorrelation times.
const WINDOW: f64 = 5.0;

/// The most samples that are correlated with each other.
const MOST: usize = 8192;

/// The mean, its standard error, the least and the most of samples that are numbers; NaN where there is no value.
pub(super) fn course(samples: &[f64]) -> [f64; 4] {
    let of = |pick: fn(f64, f64) -> f64| samples.iter().copied().fold(f64::NAN, pick);
    [mean(samples), standard_error(samples), of(f64::min), of(f64::max)]
}

/// NaN of none.
pub(super) fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

/// The sum of the squares of what the samples differ from their mean by.
pub(super) fn squares(samples: &[f64]) -> f64 {
    let mean = mean(samples);
    samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum()
}

fn standard_error(samples: &[f64]) -> f64 {
    let mut samples = samples.to_vec();
    while samples.len() > MOST {
        samples = samples.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    }
    let n = samples.len() as f64;
    if samples.len() > 1 && samples.iter().all(|sample| *sample == samples[0]) {
        return 0.0;
    }
    let variance = squares(&samples) / (n - 1.0);
    (autocorrelation_time(&samples).map_or(f64::NAN, |time| (2.0 * time).max(1.0)) * variance / n).sqrt()
}

/// In samples; none where no window fits.
fn autocorrelation_time(samples: &[f64]) -> Option<f64> {
    let mean = mean(samples);
    let apart: Vec<f64> = samples.iter().map(|sample| sample - mean).collect();
    let product = |t: usize| apart.iter().zip(&apart[t..]).map(|(a, b)| a * b).sum::<f64>();
    let square = product(0);
    let mut time = 0.5;
    for window in 1..=samples.len() / 2 {
        time += product(window) / square;
        if window as f64 >= WINDOW * time {
            return Some(time);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::random::draw;

    /// x' = a x + a normal number: its autocorrelation time is ½ (1 + a) / (1 − a).
    fn autoregressive(a: f64, length: usize, seed: u32) -> Vec<f64> {
        let mut x = 0.0;
        let next = |k: u32| {
            // Irwin and Hall: nearly normal.
            let sum: f64 = [0, 1, 2]
                .iter()
                .flat_map(|n| draw(seed, k, *n, 99))
                .map(|w| f64::from(w) / 2_f64.powi(32))
                .sum();
            x = a * x + sum - 6.0;
            x
        };
        (0..length as u32 + 200).map(next).skip(200).collect()
    }

    /// The error that is estimated is the scatter of the means of many such series; that of independent samples is not.
    #[test]
    fn the_error_is_the_scatter_of_the_means() {
        for (a, length) in [(0.0, 1000), (0.5, 2000), (0.9, 8000), (0.9, 30_000)] {
            let runs: Vec<Vec<f64>> = (1..=100).map(|seed| autoregressive(a, length, seed)).collect();
            let means: Vec<f64> = runs.iter().map(|run| mean(run)).collect();
            let scatter = (squares(&means) / 99.0).sqrt();
            let estimates: Vec<f64> = runs.iter().map(|run| standard_error(run)).collect();
            let ratio = mean(&estimates) / scatter;
            // A hundred means tell their scatter to 7 %.
            assert!((0.8..1.25).contains(&ratio), "{a}, {length}: {ratio}");
            let naive = (squares(&runs[0]) / (length as f64 - 1.0) / length as f64).sqrt() / scatter;
            assert_eq!((0.8..1.25).contains(&naive), a == 0.0, "{a}: {naive}");
        }
    }

    #[test]
    fn short_and_constant_series() {
        let [middle, _, least, most] = course(&[3.0, 1.0]);
        assert_eq!((middle, least, most), (2.0, 1.0, 3.0));
        assert_eq!(course(&[0.1; 50])[1], 0.0);
        assert!(course(&[])[0].is_nan() && course(&[])[2].is_nan() && course(&[1.0])[1].is_nan());
        // A drift is no equilibrium: nothing is claimed.
        assert!(course(&(0..500).map(f64::from).collect::<Vec<_>>())[1].is_nan());
    }
}

//! Means: over the samples of a run with a standard error, over runs with a 95 % confidence interval.
//!
//! - Student's t for up to seven runs, cut to the range of the measure: the true mean lies in it, so nothing is lost.
//! - A bootstrap for eight runs or more: runs are drawn with replacement, and the quantiles of the means are corrected
//!   for bias and skewness (BCa: Efron, J. Am. Stat. Assoc. 82, 1987) and for few runs, by √(n / (n − 1)) t in place of
//!   the normal quantile (Hesterberg, Am. Stat. 69, 2015). It lies within the values of the runs.
//! - Wilson's interval for a fraction of runs (J. Am. Stat. Assoc. 22, 1927).

use flock::random::draw;

/// With fewer runs a bootstrap has too few values to draw from.
const FEWEST: usize = 8;

const RESAMPLES: usize = 2000;

/// The purpose of draws, beyond those of a design.
const RESAMPLE: u32 = 66;

/// A mean and the ends of its interval; NaN where there are too few values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    pub method: Method,
}

/// The method that computed an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    Student,
    Bootstrap,
    Wilson,
}

impl Method {
    /// The names in tables and in sentences, in the order of the variants.
    const NAMES: [(&str, &str); 3] =
        [("student", "Student's t"), ("bootstrap", "bootstrap"), ("wilson", "Wilson")];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// Its name in sentences.
    pub fn words(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// The interval of independent values, with an optional range; NaN if there are too few values.
pub(super) fn within(range: Option<[f64; 2]>, values: &[f64]) -> Interval {
    let (n, mean) = (values.len() as f64, mean(values));
    if range.is_some() && values.len() >= FEWEST {
        let [low, high] = bootstrap(values);
        return Interval { mean, low, high, method: Method::Bootstrap };
    }
    let half = student_quantile(values.len().saturating_sub(1)) * (squares(values) / (n - 1.0) / n).sqrt();
    let (low, high) = (mean - half, mean + half);
    let [least, most] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    // NaN stays NaN.
    let (low, high) = (if low < least { least } else { low }, if high > most { most } else { high });
    Interval { mean, low, high, method: Method::Student }
}

/// Wilson's interval for the fraction of ones among values that are 0 or 1.
pub(super) fn wilson(values: &[f64]) -> Interval {
    let (n, share) = (values.len() as f64, mean(values));
    let square = NORMAL * NORMAL / n;
    let centre = (share + 0.5 * square) / (1.0 + square);
    let half = (share * (1.0 - share) * square + 0.25 * square * square).sqrt() / (1.0 + square);
    // Rounding may leave the ends of the range.
    let [low, high] = [centre - half, centre + half].map(|end| end.clamp(0.0, 1.0));
    Interval { mean: share, low, high, method: Method::Wilson }
}

/// The ends of the interval of the mean; a function of the values alone.
fn bootstrap(values: &[f64]) -> [f64; 2] {
    let (n, mean) = (values.len(), mean(values));
    if values.iter().all(|value| *value == values[0]) {
        return [values[0]; 2];
    }
    let apart: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let deviation = squares(values).sqrt();
    let resample = |number: usize| {
        let words = (0..n.div_ceil(4)).flat_map(|four| draw(0, number as u32, four as u32, RESAMPLE));
        let chosen = words.take(n).map(|word| apart[((u64::from(word) * n as u64) >> 32) as usize]);
        chosen.sum::<f64>() / n as f64
    };
    let mut shifts: Vec<f64> = (0..RESAMPLES).map(resample).collect();
    shifts.sort_by(f64::total_cmp);
    // A shift of rounding alone is none: half of those count as below.
    let none = 1e-12 * deviation;
    let [below, up_to] = [-none, none].map(|limit| shifts.partition_point(|shift| *shift < limit) as f64);
    let all = RESAMPLES as f64;
    let bias = normal_quantile((0.5 * (below + up_to) / all).clamp(1.0 / all, 1.0 - 1.0 / all));
    let skewness = apart.iter().map(|d| d * d * d).sum::<f64>() / (6.0 * deviation.powi(3));
    let reach = (n as f64 / (n as f64 - 1.0)).sqrt() * student_quantile(n - 1);
    [-reach, reach].map(|reach| {
        let shifted = bias + reach;
        let scale = 1.0 - skewness * shifted;
        let share =
            if scale > 0.0 { normal(bias + shifted / scale) } else { f64::from(u8::from(reach > 0.0)) };
        mean + shifts[((share * all) as usize).min(RESAMPLES - 1)]
    })
}

/// Two-sided 95 % quantiles of Student's distribution for 1 to 10 degrees of freedom.
const FEW: [f64; 10] = [
    12.706_204_736,
    4.302_652_730,
    3.182_446_305,
    2.776_445_105,
    2.570_581_836,
    2.446_911_851,
    2.364_624_252,
    2.306_004_135,
    2.262_157_163,
    2.228_138_852,
];

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Student's 97.5 % quantile: a table, then an expansion in the inverse degrees of freedom (Abramowitz and Stegun,
/// 26.7.5), which has five correct digits from 10 on.
fn student_quantile(freedom: usize) -> f64 {
    let Some(more) = freedom.checked_sub(1) else { return f64::NAN };
    if let Some(known) = FEW.get(more) {
        return *known;
    }
    let (x, v) = (NORMAL, freedom as f64);
    let square = x * x;
    let terms = [
        x * (square + 1.0) / 4.0,
        x * ((5.0 * square + 16.0) * square + 3.0) / 96.0,
        x * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0,
        x * ((((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square - 945.0) / 92_160.0,
    ];
    x + (((terms[3] / v + terms[2]) / v + terms[1]) / v + terms[0]) / v
}

/// The normal distribution up to a value, to 1e-7 (Press et al., Numerical Recipes, 2nd ed., erfcc).
fn normal(x: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * z);
    let polynomial = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let tail = 0.5 * t * (polynomial - z * z).exp();
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// Its inverse, by halving.
fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The window of [`standard_error`] in autocorrelation times.
const WINDOW: f64 = 5.0;

/// The most samples that are correlated with each other.
const MAX: usize = 8192;

/// The mean, its standard error, the minimum and the maximum of samples that are numbers; NaN if there are none.
pub(super) fn course(samples: &[f64]) -> [f64; 4] {
    let of = |pick: fn(f64, f64) -> f64| samples.iter().copied().fold(f64::NAN, pick);
    [mean(samples), standard_error(samples), of(f64::min), of(f64::max)]
}

/// The mean; NaN without samples.
pub(super) fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

/// The sum of squared deviations from the mean.
pub(super) fn squares(samples: &[f64]) -> f64 {
    let mean = mean(samples);
    samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum()
}

/// The samples of a run are correlated, so their standard error is √(2 τ s² / n): s² is their variance (n − 1 in the
/// denominator), and τ = ½ + Σ ρ(t), t = 1 … M, is the integrated autocorrelation time in samples, with ρ(t) the
/// autocorrelation (sums over n − t products, divided by n) and the window M the least with M ≥ 5 τ(M) (Sokal, "Monte
/// Carlo methods in statistical mechanics: foundations and new algorithms", 1997, section 3; Madras and Sokal, J. Stat.
/// Phys. 50, 1988). 2 τ is taken as 1 where it comes out smaller. Where no window up to n / 2 fits, the run is too
/// short to tell, and there is no error. More than 8,192 samples are first averaged in pairs, which changes neither the
/// mean nor what the window finds (Flyvbjerg and Petersen, J. Chem. Phys. 91, 1989).
fn standard_error(samples: &[f64]) -> f64 {
    let mut samples = samples.to_vec();
    while samples.len() > MAX {
        samples = samples.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    }
    let n = samples.len() as f64;
    if samples.len() > 1 && samples.iter().all(|sample| *sample == samples[0]) {
        return 0.0;
    }
    let variance = squares(&samples) / (n - 1.0);
    (autocorrelation_time(&samples).map_or(f64::NAN, |time| (2.0 * time).max(1.0)) * variance / n).sqrt()
}

/// The autocorrelation time in samples; `None` if no window fits.
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

    /// The mean, and the ends of Student's interval without a range.
    fn student(values: &[f64]) -> [f64; 3] {
        let Interval { mean, low, high, .. } = within(None, values);
        [mean, low, high]
    }
    use flock::random::draw;

    /// A number from 0 to 1.
    fn uniform(seed: u32, k: u32) -> f64 {
        f64::from(draw(seed, k, 0, 99)[0]) / 2_f64.powi(32)
    }

    /// The fraction of independent experiments whose interval holds the true mean; checks that all lie within 0…1.
    fn coverage(runs: u32, mean: f64, value: impl Fn(f64, f64) -> f64) -> f64 {
        let experiments = 400;
        let holds = (0..experiments).filter(|experiment| {
            let at = |k: u32| value(uniform(2 * experiment + 1, k), uniform(2 * experiment + 2, k));
            let values: Vec<f64> = (0..runs).map(at).collect();
            let Interval { low, high, .. } = within(Some([0.0, 1.0]), &values);
            assert!(0.0 <= low && low <= high && high <= 1.0, "{values:?}: {low} to {high}");
            (low..=high).contains(&mean)
        });
        holds.count() as f64 / f64::from(experiments)
    }

    /// Intervals hold the true mean as often as they claim and stay in the range, unlike plain Student's t.
    #[test]
    fn intervals_of_bounded_and_of_bimodal_values_stay_in_their_range() {
        let uneven = |u: f64, v: f64| if u < 0.3 { 0.9 + 0.1 * v } else { 0.1 * v };
        let (even, skewed) = (|u: f64, _: f64| u, |u: f64, _: f64| u * u * u);
        for runs in [8, 20] {
            let found = [
                coverage(runs, 0.5, even),
                coverage(runs, 0.25, skewed),
                // With eight runs both modes are seen in most experiments, not in all.
                if runs == 20 { coverage(runs, 0.32, uneven) } else { 0.95 },
            ];
            // Four hundred experiments tell a share to 1 %.
            assert!(found.iter().all(|share| (0.89..=0.995).contains(share)), "{runs}: {found:?}");
        }
        let bimodal = [0.02, 0.04, 0.03, 0.02, 0.05, 0.03, 0.97];
        assert!(student(&bimodal)[1] < 0.0);
        let cut = within(Some([0.0, 1.0]), &bimodal);
        assert_eq!((cut.low, cut.method), (0.0, Method::Student));
        assert_eq!(cut.high, student(&bimodal)[2]);
        let more = [&bimodal[..], &[0.01, 0.98]].concat();
        let Interval { low, high, method, .. } = within(Some([0.0, 1.0]), &more);
        assert!(method == Method::Bootstrap && low > 0.01 && high < 0.98, "{low} to {high}");
        assert_eq!(within(Some([0.0, 1.0]), &more), within(Some([0.0, 1.0]), &more));
        assert_eq!(within(None, &more).method, Method::Student);
        assert_eq!(within(Some([0.0, 1.0]), &[0.3; 9]).high, 0.3);
        assert!(within(Some([0.0, 1.0]), &[0.3]).low.is_nan());
    }

    #[test]
    fn a_fraction_has_the_interval_of_wilson() {
        let of = |ones: usize, all: usize| wilson(&[vec![1.0; ones], vec![0.0; all - ones]].concat());
        for (ones, all, low, high) in [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (3, 3, 0.4385, 1.0)] {
            let found = of(ones, all);
            assert!((found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4, "{found:?}");
        }
        assert!(wilson(&[]).low.is_nan());
        for (x, share) in [(0.0, 0.5), (1.959_964, 0.975), (-1.0, 0.158_655_25)] {
            assert!((normal(x) - share).abs() < 2e-7 && (normal_quantile(share) - x).abs() < 1e-5);
        }
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, known) in
            [(1, 12.7062), (9, 2.26216), (11, 2.20099), (19, 2.09302), (30, 2.04227), (120, 1.97993)]
        {
            assert!(
                (student_quantile(freedom) - known).abs() < 1e-5 * known,
                "{freedom}: {}",
                student_quantile(freedom)
            );
        }
        assert!(student_quantile(0).is_nan());
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

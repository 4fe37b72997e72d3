//! Confidence intervals of means by Student's t.

use super::series::{mean, squares};

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
pub(super) const NORMAL: f64 = 1.959_963_984_540_054;

/// The mean of independent values and the ends of its 95 % confidence interval; NaN where there are too few values.
pub(super) fn interval(values: &[f64]) -> [f64; 3] {
    let n = values.len() as f64;
    let mean = mean(values);
    let half = quantile(values.len().saturating_sub(1)) * (squares(values) / (n - 1.0) / n).sqrt();
    [mean, mean - half, mean + half]
}

/// By a table, then by an expansion in the inverse degrees of freedom (Abramowitz and Stegun, 26.7.5), which is right to
/// five digits from 10 on.
pub(super) fn quantile(freedom: usize) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, known) in
            [(1, 12.7062), (9, 2.26216), (11, 2.20099), (19, 2.09302), (30, 2.04227), (120, 1.97993)]
        {
            assert!((quantile(freedom) - known).abs() < 1e-5 * known, "{freedom}: {}", quantile(freedom));
        }
        assert!(quantile(0).is_nan());
    }

    #[test]
    fn an_interval_is_about_the_mean() {
        let [mean, low, high] = interval(&[1.0, 2.0, 3.0, 4.0]);
        // t for 3 degrees of freedom, times √(5/3 / 4).
        assert!((mean - 2.5).abs() < 1e-12 && (high - 2.5 - 2.054_260).abs() < 1e-5, "{high}");
        assert!((low + high - 5.0).abs() < 1e-12);
        assert!(interval(&[1.0])[1].is_nan() && interval(&[])[0].is_nan());
    }
}

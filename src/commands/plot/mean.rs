//! Means and their confidence.

use std::f64::consts::PI;

/// A mean and the ends of its interval of 95 % confidence, NaN where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    pub mean: f64,
    pub least: f64,
    pub most: f64,
}

/// The mean of values, with the interval by Student's t: mean ± t s/√n.
pub(super) fn of(values: &[f64]) -> Mean {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return Mean { mean, least: f64::NAN, most: f64::NAN };
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = student(values.len() - 1) * (variance / n).sqrt();
    Mean { mean, least: mean - half, most: mean + half }
}

/// The 97.5 % quantile of Student's t: exact for one and two degrees of freedom, beyond by the expansion about the
/// normal quantile (Abramowitz and Stegun 26.7.5), within 0.2 %.
fn student(freedom: usize) -> f64 {
    let v = freedom as f64;
    match freedom {
        1 => (0.475 * PI).tan(),
        2 => 0.95 * (2.0_f64 / (1.0 - 0.95 * 0.95)).sqrt(),
        _ => {
            let z: f64 = 1.959_963_984_540_054;
            let power = |k: i32| z.powi(k);
            z + (power(3) + z) / (4.0 * v)
                + (5.0 * power(5) + 16.0 * power(3) + 3.0 * z) / (96.0 * v.powi(2))
                + (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * z) / (384.0 * v.powi(3))
                + (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * z)
                    / (92_160.0 * v.powi(4))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        let table = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (9, 2.262),
            (19, 2.093),
            (200, 1.972),
        ];
        for (freedom, expected) in table {
            let found = student(freedom);
            assert!((found - expected).abs() < 0.002 * expected, "{freedom}: {found}");
        }
    }

    #[test]
    fn an_interval_needs_two_values() {
        let mean = of(&[1.0, 2.0, 3.0]);
        let half = 4.302_65 / 3.0_f64.sqrt();
        assert!((mean.mean - 2.0).abs() < 1e-12 && (mean.most - 2.0 - half).abs() < 1e-4, "{mean:?}");
        assert!((mean.mean - mean.least - half).abs() < 1e-4);
        assert!(of(&[7.0]).mean == 7.0 && of(&[7.0]).least.is_nan());
    }
}

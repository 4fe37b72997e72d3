//! The two-sample Kolmogorov–Smirnov test for two samples of one size.

/// The largest distance between the empirical distributions of two samples of n numbers each, in units of 1/n. Numbers
/// that are none count as larger than all others.
#[must_use]
pub fn distance(a: &[f64], b: &[f64]) -> usize {
    let sorted = |sample: &[f64]| {
        let mut sample = sample.to_vec();
        sample.sort_by(f64::total_cmp);
        sample
    };
    let (a, b) = (sorted(a), sorted(b));
    let up_to = |sample: &[f64], value: &f64| sample.partition_point(|x| x.total_cmp(value).is_le());
    a.iter().chain(&b).map(|value| up_to(&a, value).abs_diff(up_to(&b, value))).max().unwrap_or(0)
}

/// The chance that two samples of n numbers from one continuous distribution lie at least so far apart: exactly, by
/// counting the orders in which 2n numbers can come. With ties it is an upper bound. For n up to 500.
#[must_use]
pub fn chance(n: usize, distance: usize) -> f64 {
    // Paths from (0, 0) to (n, n): all of them, and those that keep |i − j| < distance.
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
    let inside = paths(&|i, j| i.abs_diff(j) < distance);
    (1.0 - inside / paths(&|_, _| true)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_counting() {
        assert_eq!(chance(4, 0), 1.0);
        assert_eq!(chance(4, 1), 1.0);
        // Of the 6 orders of two and two numbers, 2 keep the samples apart.
        assert!((chance(2, 2) - 2.0 / 6.0).abs() < 1e-15);
        // The closed form for complete separation: 2 / C(2n, n).
        assert!((chance(10, 10) - 2.0 / 184_756.0).abs() < 1e-15);
        // Published critical value: n = 30 at the level 0.05 rejects from 11/30 on.
        assert!(chance(30, 11) < 0.05 && chance(30, 10) > 0.05);
        assert!(chance(500, 60) > 0.0 && chance(500, 60) < 1.0);
    }

    #[test]
    fn distances_are_between_the_steps_of_the_distributions() {
        assert_eq!(distance(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 0);
        assert_eq!(distance(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 3);
        assert_eq!(distance(&[1.0, 1.0, 1.0], &[1.0, 2.0, 2.0]), 2);
        assert_eq!(distance(&[f64::NAN, 1.0], &[1.0, 2.0]), 1);
    }
}

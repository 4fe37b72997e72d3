//! The two-sample Kolmogorov–Smirnov test for samples of equal size (Smirnov, Ann. Math. Stat. 19, 1948).

/// The test statistic: the largest distance between the empirical distributions of two samples of n numbers each, in
/// units of 1/n. NaN counts as larger than all numbers.
pub fn statistic(a: &[f64], b: &[f64]) -> usize {
    let sorted = |sample: &[f64]| {
        let mut sample = sample.to_vec();
        sample.sort_by(f64::total_cmp);
        sample
    };
    let (a, b) = (sorted(a), sorted(b));
    let up_to = |sample: &[f64], value: &f64| sample.partition_point(|x| x.total_cmp(value).is_le());
    a.iter().chain(&b).map(|value| up_to(&a, value).abs_diff(up_to(&b, value))).max().unwrap_or(0)
}

/// The probability that two samples of n numbers from one continuous distribution have at least this statistic. It is
/// exact: the orders of 2n numbers are counted. With ties it is an upper bound. For n up to 500.
pub fn p_value(n: usize, statistic: usize) -> f64 {
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

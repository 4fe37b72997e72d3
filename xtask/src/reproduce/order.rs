//! Orders of two means: a one-sided permutation test over seeds, and Holm's correction over the rows of a page.

/// The probability of an error of the first kind over all rows.
pub const LEVEL: f64 = 0.05;

/// Permutations drawn for a test. Their number bounds its probability from below.
const DRAWS: u32 = 99_999;

/// The probability under exchangeable seeds that the mean of `low` lies below that of `high` at least as far as it does, in
/// units of Welch's standard error. The studentised statistic keeps the level where the variances differ (Janssen, Statistics
/// and Probability Letters 36, 1997).
pub fn chance(low: &[f64], high: &[f64]) -> f64 {
    let mut all = [low, high].concat();
    let observed = statistic(&all, low.len());
    let mut state = 1;
    let reached = (0..DRAWS).filter(|_| {
        // Fisher and Yates.
        for k in (1..all.len()).rev() {
            let place = (u128::from(next(&mut state)) * (k as u128 + 1)) >> 64;
            all.swap(k, place as usize);
        }
        statistic(&all, low.len()) >= observed
    });
    (1 + reached.count()) as f64 / f64::from(1 + DRAWS)
}

/// Welch's statistic of the values from `split` on less those before it.
fn statistic(values: &[f64], split: usize) -> f64 {
    let (low, high) = values.split_at(split);
    let [(low, low_error), (high, high_error)] = [low, high].map(|part| {
        let n = part.len() as f64;
        let mean = part.iter().sum::<f64>() / n;
        let squares = part.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (mean, squares / (n - 1.0) / n)
    });
    let difference = high - low;
    // Equal values on each side have no error: only the sign of the difference counts.
    if difference == 0.0 { 0.0 } else { difference / (low_error + high_error).sqrt() }
}

/// Splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The probabilities as Holm adjusts them (Scandinavian Journal of Statistics 6, 1979): the least by their number, the next by
/// one less, and so on, each at least the one before and at most 1.
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut adjusted = vec![0.0; chances.len()];
    let mut greatest: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        greatest = greatest.max(chances[place] * (chances.len() - rank) as f64).min(1.0);
        adjusted[place] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_no_permutation_reaches_is_as_improbable_as_the_draws_tell() {
        let [low, high]: [Vec<f64>; 2] =
            [0.0, 100.0].map(|from| (0..20).map(|k| from + f64::from(k)).collect());
        assert!((chance(&low, &high) - 1e-5).abs() < 1e-12);
        assert!(chance(&high, &low) > 0.9999);
        // 4 against 4 have 70 splits.
        assert!((chance(&low[..4], &high[..4]) - 1.0 / 70.0).abs() < 0.002);
        // As many splits lie on either side where the values interleave.
        let (even, odd): (Vec<f64>, Vec<f64>) = ((0..20).map(|k| f64::from(2 * (k / 2))).collect(), low);
        assert!((0.3..0.7).contains(&chance(&even, &odd)));
        assert_eq!(chance(&[1.0; 20], &[1.0; 20]), 1.0);
    }

    /// Of samples of one distribution about a twentieth is below the level, also where one side varies ten times as much.
    #[test]
    fn the_test_keeps_its_level() {
        let mut state = 7;
        let mut normal = |deviation: f64| {
            let sum: f64 = (0..12).map(|_| next(&mut state) as f64 / 2_f64.powi(64)).sum();
            (sum - 6.0) * deviation
        };
        let below = (0..40).filter(|_| {
            let low: Vec<f64> = (0..20).map(|_| normal(1.0)).collect();
            let high: Vec<f64> = (0..20).map(|_| normal(10.0)).collect();
            chance(&low, &high) <= LEVEL
        });
        assert!(below.count() <= 6);
    }

    #[test]
    fn holm_multiplies_by_the_rows_that_are_left() {
        let close = |found: Vec<f64>, expected: &[f64]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
        };
        assert!(close(holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]));
        assert!(close(holm(&[0.6, 0.4]), &[0.8, 0.8]));
        assert!(holm(&[]).is_empty());
    }
}

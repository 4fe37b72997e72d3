//! The top of a chart, which is stable while values fluctuate, and its marks.

use egui_plot::GridMark;

/// Share of the times below their chart's top: a single outlier does not flatten the rest.
pub const OF_TIMES: f64 = 0.95;
/// Share of the measures below their chart's top: their peaks are real.
pub const ALL: f64 = 1.0;

/// The top of an axis, kept from frame to frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale(f64);

impl Scale {
    /// The top for these values: a round number above this share of them ([`OF_TIMES`], [`ALL`]). It rises at once, and
    /// falls only when less than half of it is in use.
    pub fn fit(&mut self, values: impl Iterator<Item = f64>, share: f64) -> f64 {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let high =
            values.get((values.len() as f64 * share) as usize).or(values.last()).copied().unwrap_or(0.0);
        let needed = (1.1 * high).max(1e-3);
        if needed > self.0 || needed < 0.45 * self.0 {
            self.0 = round(needed);
        }
        self.0
    }
}

/// The least distance between marks, in points: a line of text.
const APART: f64 = 31.0;

/// Marks at round numbers from 0 to `top`, on an axis of this height in points.
pub fn marks(top: f64, height: f32) -> Vec<GridMark> {
    let step_size = round_step(top * APART / f64::from(height));
    let count = (top / step_size * (1.0 + 1e-9)) as u32;
    (0..=count).map(|k| GridMark { value: f64::from(k) * step_size, step_size }).collect()
}

/// Three or four marks at round numbers between two steps.
pub fn marks_between([first, last]: [f64; 2]) -> Vec<GridMark> {
    let step_size = round_step((last - first) / 4.0).max(1.0);
    let begin = (first.max(0.0) / step_size).ceil() as u64;
    let end = (last.max(0.0) / step_size).floor() as u64;
    (begin..=end).map(|k| GridMark { value: k as f64 * step_size, step_size }).collect()
}

/// A mark's number, with as many decimals as distinguish the marks.
pub fn number(mark: GridMark) -> String {
    let decimals = (-mark.step_size.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{:.decimals$}", mark.value)
}

/// The least number of the form 1, 2 or 5 times a power of ten that is not below `least`.
pub fn round_step(least: f64) -> f64 {
    next(&[1.0, 2.0, 5.0], least)
}

/// The next round number that is not below `least`.
fn round(least: f64) -> f64 {
    next(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], least)
}

/// The least of these factors times a power of ten that is not below `least`.
fn next(factors: &[f64], least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = factors.iter().copied().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_is_round_and_stays() {
        let mut scale = Scale::default();
        let mut fit = |value: f64| scale.fit([value; 40].into_iter(), OF_TIMES);
        assert_eq!(fit(2.6), 3.0);
        for value in [2.5, 2.7, 2.2, 1.6, 1.3] {
            assert_eq!(fit(value), 3.0);
        }
        assert_eq!((fit(2.8), fit(1.2), fit(140.0)), (4.0, 1.5, 200.0));
    }

    #[test]
    fn marks_are_round_and_not_crowded() {
        let shown = |top, height| marks(top, height).iter().map(|mark| mark.value).collect::<Vec<_>>();
        assert_eq!(shown(1.0, 84.0), [0.0, 0.5, 1.0]);
        assert_eq!(shown(4.0, 132.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(shown(300.0, 84.0), [0.0, 200.0]);
        assert_eq!(shown(1.5, 132.0), [0.0, 0.5, 1.0, 1.5]);
        let numbers = |top, height| marks(top, height).into_iter().map(number).collect::<Vec<_>>();
        assert_eq!(numbers(1.0, 84.0), ["0.0", "0.5", "1.0"]);
        assert_eq!(numbers(300.0, 84.0), ["0", "200"]);
        assert_eq!(numbers(0.1, 132.0), ["0.00", "0.05", "0.10"]);
    }

    #[test]
    fn a_single_outlier_does_not_flatten_times_and_a_peak_of_the_flock_is_shown() {
        let values = [1.0; 39].into_iter().chain([900.0]);
        assert_eq!(Scale::default().fit(values.clone(), OF_TIMES), 1.5);
        assert_eq!(Scale::default().fit(values, ALL), 1000.0);
        assert!(Scale::default().fit(std::iter::empty(), ALL) > 0.0);
    }
}

//! The largest flock in real time, interpolated between the measured sizes.

use super::result::{Condition, Largest, Point, Rate};

/// Frame rates to report.
const FRAMES: [u32; 2] = [60, 30];

/// The largest flock of each frame rate, condition and kind of frame that was measured.
pub(super) fn rates(points: &[Point]) -> Vec<Rate> {
    let mut rates = Vec::new();
    for drawn in [false, true] {
        for condition in [Condition::Start, Condition::Settled] {
            let mut known: Vec<(f64, f64)> = points
                .iter()
                .filter(|point| point.condition == condition)
                .filter_map(|point| {
                    let time = if drawn { point.frame_ns? } else { point.step };
                    Some((f64::from(point.boids), time.median))
                })
                .collect();
            known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            for frames in FRAMES {
                if let Some(largest) = largest(&known, 1e9 / f64::from(frames)) {
                    rates.push(Rate { frames, condition, drawn, largest });
                }
            }
        }
    }
    rates
}

/// The largest size whose time is within the limit. Pairs of size and time are in ascending order of size.
fn largest(known: &[(f64, f64)], limit: f64) -> Option<Largest> {
    // The last size that is fast enough: one disturbed measurement of a smaller size has no effect.
    let Some(last) = known.iter().rposition(|(_, time)| *time <= limit) else {
        return known.first().map(|(boids, _)| Largest::FewerThan(*boids as u32));
    };
    let (boids, time) = known[last];
    let Some((more, slower)) = known.get(last + 1) else {
        return Some(Largest::MoreThan(boids as u32));
    };
    let part = (limit / time).ln() / (slower / time).ln();
    Some(Largest::About((boids * (more / boids).powf(part)).round() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_sizes_time_is_a_power_of_size() {
        let line = [(1000.0, 1.0e6), (10_000.0, 10.0e6), (100_000.0, 100.0e6)];
        assert_eq!(largest(&line, 1e9 / 50.0), Some(Largest::About(20_000)));
        let square = [(1000.0, 1.0e6), (10_000.0, 100.0e6)];
        assert_eq!(largest(&square, 25.0e6), Some(Largest::About(5000)));
    }

    #[test]
    fn beyond_what_was_measured_only_a_bound_is_known() {
        let line = [(1000.0, 1.0e6), (10_000.0, 10.0e6)];
        assert_eq!(largest(&line, 20.0e6), Some(Largest::MoreThan(10_000)));
        assert_eq!(largest(&line, 0.5e6), Some(Largest::FewerThan(1000)));
        assert_eq!(largest(&[], 1.0), None);
    }

    #[test]
    fn a_small_flock_that_was_disturbed_does_not_decide() {
        let line = [(1000.0, 50.0e6), (10_000.0, 10.0e6), (100_000.0, 100.0e6)];
        assert_eq!(largest(&line, 10.0e6), Some(Largest::About(10_000)));
    }
}

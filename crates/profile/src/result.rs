//! The results of a measurement. Times are in nanoseconds, sizes in bytes, rates per second; all are of one step.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Census, Cost, Limits};
use engine::{Numeric, PassEvent};
use gpu::{Settings, timing};

/// All results.
#[derive(Clone, Debug)]
pub struct Profile {
    pub subject: Subject,
    pub method: Method,
    /// None where the device's limits were not measured.
    pub limits: Option<Limits>,
    /// In the order of measurement: by size, the start before the settled flock.
    pub points: Vec<Point>,
    pub rates: Vec<Rate>,
    /// The reason why the measurement ended early: a flock did not fit, or Ctrl-C.
    pub stopped: Option<String>,
}

/// The engine and the flock.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Engine, device and number type in a line.
    pub engine: String,
    /// The adapter's driver; empty for the CPU.
    pub driver: String,
    pub numeric: Numeric,
    /// Settings of the GPU engine; none for other engines.
    pub tuning: Option<Settings>,
    pub clock: Clock,
    /// The name of the preset or file.
    pub flock: String,
    pub dimensions: u32,
    /// The device that draws frames; none where no frames are timed.
    pub drawn: Option<String>,
}

flock::named! {
    /// The clock that passes are timed by, in a few words.
    #[derive(Default)]
    Clock {
        /// GPU timestamps at the beginning and the end of each pass.
        Timestamps = "GPU timestamps",
        /// The CPU clock, around each phase of a step.
        #[default]
        Wall = "wall clock",
        /// The CPU clock, around whole steps.
        WholeSteps = "wall clock, whole steps only: the adapter has no timestamps",
        /// The same.
        Implausible = "wall clock, whole steps only: the adapter's timestamps are not plausible",
    }
}

/// The numbers of timed steps and repeats. Each repeat loads the same state, warms up, then times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Steps that are timed as a whole, at least 1; as many again are timed pass by pass.
    pub steps: u32,
    /// At least 1.
    pub repeats: u32,
    pub warm_up: u32,
    /// Maximum number of steps for a flock to settle; 0 measures only the start.
    pub settle: u32,
}

/// The median, minimum and maximum of repeated measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// The spread of these values; none for no values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => return None,
            even if even.is_multiple_of(2) => 0.5 * (sorted[middle - 1] + sorted[middle]),
            _ => sorted[middle],
        };
        Some(Spread { median, least: *sorted.first()?, most: *sorted.last()? })
    }

    /// The range of the repeats as a share of the median.
    pub fn width(&self) -> f64 {
        if self.median > 0.0 { (self.most - self.least) / self.median } else { 0.0 }
    }

    /// True if the repeats differ by more than half of the median, which is then not reliable.
    pub fn unsteady(&self) -> bool {
        self.width() > 0.5
    }
}

/// A percentile of some values, by the nearest rank; none of no values.
pub(super) fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get((sorted.len() * percent).div_ceil(100).checked_sub(1)?).copied()
}

flock::named! {
    /// The age of a measured flock, as in tables and files.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    Condition {
        /// Step 0.
        Start = "start",
        /// After its measures became steady, or after the maximum number of steps.
        Settled = "settled",
    }
}

/// The measurement of a flock of one size in one condition.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub boids: u32,
    #[serde(rename = "state")]
    pub condition: Condition,
    /// The step number at the beginning of each repeat.
    pub at_step: u64,
    /// True if the measures were steady; `None` for a start.
    pub steady: Option<bool>,
    /// A step, by the wall clock, with steps submitted as in normal use.
    #[serde(rename = "step_ns")]
    pub step: Spread,
    /// The 95th and 99th percentile of single steps, timed pass by pass in all repeats; `None` without pass times.
    pub step_p95_ns: Option<f64>,
    pub step_p99_ns: Option<f64>,
    /// A step and its picture, by the wall clock; none where nothing was drawn.
    pub frame_ns: Option<Spread>,
    /// Only a picture, by the wall clock; none if nothing was drawn.
    pub picture_ns: Option<Spread>,
    /// A step, per boid.
    pub boid_ns: f64,
    /// Picoseconds per candidate of the pass that tests them, or of the whole step where passes are not timed. None
    /// without candidates.
    pub candidate_ps: Option<f64>,
    /// The census half-way through a repeat.
    #[serde(flatten)]
    pub census: Census,
    /// In the order of execution; empty where passes cannot be timed.
    pub passes: Vec<Pass>,
    /// Steps without pass times, in all repeats: a step or a batch of steps with more than [`timing::MAX`] dispatches.
    pub untimed_steps: u32,
    /// The passes of the last repeat.
    #[serde(serialize_with = "events")]
    pub events: Vec<PassEvent>,
}

fn events<S: Serializer>(events: &[PassEvent], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(events.iter().map(|event| {
        json!({ "pass": event.pass, "step": event.step, "begin_ns": event.begin, "end_ns": event.end })
    }))
}

/// The cost of one pass of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pass {
    pub name: &'static str,
    #[serde(rename = "ns")]
    pub time: Spread,
    #[serde(flatten)]
    pub cost: Cost,
    pub bytes_per_s: f64,
    pub operations_per_s: f64,
    /// The share of the device's copy bandwidth that the pass reaches.
    pub share_of_copy: Option<f64>,
    pub share_of_arithmetic: Option<f64>,
}

/// The largest flock at a frame rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Frames per second.
    #[serde(rename = "frames_per_s")]
    pub frames: u32,
    #[serde(rename = "state")]
    pub condition: Condition,
    /// True if each step is drawn.
    pub drawn: bool,
    /// The relation of `boids` to the largest flock: `ABOUT`, or a bound.
    pub bound: &'static str,
    pub boids: u32,
}

/// Interpolated between two measured sizes, with time as a power of size.
pub(super) const ABOUT: &str = "about";
/// More than the largest measured size.
pub(super) const MORE: &str = "more than";
/// Fewer than the smallest measured size.
pub(super) const FEWER: &str = "fewer than";

impl Pass {
    pub(super) fn new(name: &'static str, time: Spread, cost: Cost, limits: Option<&Limits>) -> Pass {
        let [bytes_per_s, operations_per_s] =
            [cost.bytes, cost.operations].map(|count| count as f64 / time.median.max(1.0) * 1e9);
        let share_of_copy = limits.map(|limits| bytes_per_s / limits.copy_bytes_per_s);
        let share_of_arithmetic = limits.map(|limits| operations_per_s / limits.arithmetic_per_s);
        Pass { name, time, cost, bytes_per_s, operations_per_s, share_of_copy, share_of_arithmetic }
    }
}

/// A note on how many steps have no pass times, on a device with timestamps.
pub(super) fn without_passes(whose: &str, untimed: u32, clock: Clock) -> Option<String> {
    (untimed > 0 && clock == Clock::Timestamps).then(|| {
        let most = timing::MAX;
        format!("{whose}: no pass times for {untimed} steps: more than {most} dispatches at once")
    })
}

impl Point {
    /// True if the pass times of a software adapter are plausible: their sum is at least an eighth of the step. An
    /// adapter that takes all timestamps after the work is done reports far less. On hardware the sum may be smaller: a
    /// step may be mostly submission.
    pub fn plausible(&self) -> bool {
        let sum: f64 = self.passes.iter().map(|pass| pass.time.median).sum();
        self.passes.is_empty() || sum >= self.step.median / 8.0
    }
}

/// The version of the format; it changes when old readers would fail.
const FORMAT: u64 = 1;

impl Profile {
    /// The profile as JSON.
    pub fn json(&self) -> Value {
        let Profile { subject, method, limits, points, rates, stopped } = self;
        json!({
            "format": FORMAT,
            "program": concat!("murmuration ", env!("CARGO_PKG_VERSION")),
            "engine": subject.engine,
            "driver": subject.driver,
            "numeric": subject.numeric.name(),
            "kernel": subject.tuning.map(|tuning| tuning.kernel.name()),
            "kernel_reason": subject.tuning.map(|tuning| tuning.reason.name()),
            "checks": subject.tuning.map(|tuning| tuning.checked),
            "timed_by": subject.clock.name(),
            "flock": subject.flock,
            "dimensions": subject.dimensions,
            "drawn_by": subject.drawn,
            "steps": method.steps,
            "repeats": method.repeats,
            "warm_up": method.warm_up,
            "settle": method.settle,
            "limits": limits,
            "points": points,
            "rates": rates,
            "stopped": stopped,
        })
    }
}

/// Frame rates to report.
const FRAMES: [u32; 2] = [60, 30];

/// The largest flock of each frame rate, condition and kind of frame that was measured.
pub(super) fn rates(points: &[Point]) -> Vec<Rate> {
    let mut rates = Vec::new();
    for drawn in [false, true] {
        for condition in [Condition::Start, Condition::Settled] {
            let measured = points.iter().filter(|point| point.condition == condition);
            let known = measured.filter_map(|point| {
                let time = if drawn { point.frame_ns? } else { point.step };
                Some((f64::from(point.boids), time.median))
            });
            let mut known: Vec<(f64, f64)> = known.collect();
            known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            rates.extend(FRAMES.into_iter().filter_map(|frames| {
                let (bound, boids) = largest(&known, 1e9 / f64::from(frames))?;
                Some(Rate { frames, condition, drawn, bound, boids })
            }));
        }
    }
    rates
}

/// The largest size whose time is within the limit. Pairs of size and time are in ascending order of size.
fn largest(known: &[(f64, f64)], limit: f64) -> Option<(&'static str, u32)> {
    // The last size that is fast enough: one disturbed measurement of a smaller size has no effect.
    let Some(last) = known.iter().rposition(|(_, time)| *time <= limit) else {
        return known.first().map(|(boids, _)| (FEWER, *boids as u32));
    };
    let (boids, time) = known[last];
    let Some((more, slower)) = known.get(last + 1) else {
        return Some((MORE, boids as u32));
    };
    let part = (limit / time).ln() / (slower / time).ln();
    Some((ABOUT, (boids * (more / boids).powf(part)).round() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_a_median_and_ends() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        let even = Spread::of(&[4.0, 1.0, 2.0, 3.0]).expect("values");
        assert_eq!((even.median, even.width(), even.unsteady()), (2.5, 1.2, true));
        assert!(!Spread::of(&[2.0, 2.5]).expect("values").unsteady());
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        for (percent, of_all) in [(95, 190.0), (99, 198.0)] {
            let found = [&values[..], &[3.0], &[]].map(|values| percentile(values, percent));
            assert_eq!(found, [Some(of_all), Some(3.0), None]);
        }
    }

    #[test]
    fn passes_that_take_a_tiny_share_of_a_step_are_implausible() {
        let mut point = crate::tests::profile().points.remove(0);
        assert!(point.plausible());
        point.passes.iter_mut().for_each(|pass| pass.time.median *= 0.1);
        assert!(!point.plausible());
        point.passes.clear();
        assert!(point.plausible());
    }

    #[test]
    fn untimed_steps_are_reported_where_there_are_timestamps() {
        let line = without_passes("5 boids, start", 20, Clock::Timestamps).expect("some");
        assert!(
            line.starts_with("5 boids, start: no pass times for 20 steps") && line.contains("1024"),
            "{line}"
        );
        assert_eq!(without_passes("5 boids, start", 0, Clock::Timestamps), None);
        assert_eq!(without_passes("5 boids, start", 20, Clock::WholeSteps), None);
    }

    #[test]
    fn shares_are_of_the_limits() {
        let time = Spread::of(&[1000.0]).expect("a value");
        let limits = Limits {
            copy_bytes_per_s: 10e9,
            copied_bytes: 0,
            copied_by: "shader",
            arithmetic_per_s: 40e9,
            arithmetic_of: "f32",
        };
        let cost = Cost { bytes: 5000, cached_bytes: 0, operations: 20_000 };
        let pass = Pass::new("step", time, cost, Some(&limits));
        assert_eq!(pass.bytes_per_s, 5e9);
        assert_eq!((pass.share_of_copy, pass.share_of_arithmetic), (Some(0.5), Some(0.5)));
    }

    /// Between two sizes time is a power of the size; beyond what was measured only a bound is known; a small flock that
    /// was disturbed does not decide.
    #[test]
    fn the_largest_flock_in_a_time_lies_between_the_sizes_measured() {
        let line = [(1000.0, 1.0e6), (10_000.0, 10.0e6), (100_000.0, 100.0e6)];
        let square = [(1000.0, 1.0e6), (10_000.0, 100.0e6)];
        let disturbed = [(1000.0, 50.0e6), (10_000.0, 10.0e6), (100_000.0, 100.0e6)];
        for (sizes, time, expected) in [
            (&line[..], 20.0e6, Some((ABOUT, 20_000))),
            (&square, 25.0e6, Some((ABOUT, 5000))),
            (&line, 200.0e6, Some((MORE, 100_000))),
            (&line, 0.5e6, Some((FEWER, 1000))),
            (&disturbed, 10.0e6, Some((ABOUT, 10_000))),
            (&[], 1.0, None),
        ] {
            assert_eq!(largest(sizes, time), expected, "{sizes:?} in {time} ns");
        }
    }
}

//! What was measured. Times are nanoseconds, sizes bytes, rates a second, all of one step.

use super::census::Census;
use super::cost::LOOKS;
use super::rates::Rate;
use crate::engine::PassEvent;
use crate::gpu::{Tuning, timing};
use crate::state::Numeric;

/// All of it.
#[derive(Clone, Debug)]
pub struct Profile {
    pub subject: Subject,
    pub method: Method,
    /// What the device can do; none where it was not measured.
    pub limits: Option<Limits>,
    /// In the order they were measured: by size, the start before the settled flock.
    pub points: Vec<Point>,
    pub rates: Vec<Rate>,
    /// Why there is not more: what did not fit, or that somebody pressed Ctrl-C.
    pub stopped: Option<String>,
}

/// What was timed.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Engine, device and number type in a line.
    pub engine: String,
    /// The adapter's driver; empty for the CPU.
    pub driver: String,
    pub numeric: Numeric,
    /// The ways of a GPU's engine; none for others.
    pub tuning: Option<Tuning>,
    pub clock: Clock,
    /// Which flock, for people.
    pub flock: String,
    pub dimensions: u32,
    /// What draws the pictures that are timed; none where none are.
    pub drawn: Option<String>,
}

/// What passes are timed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The GPU's own, at the beginning and the end of each pass.
    Timestamps,
    /// The CPU's, around each phase of a step.
    Wall,
    /// The CPU's, around whole steps: the adapter has no timestamps.
    WholeSteps,
    /// The CPU's, around whole steps: the adapter's timestamps lie far from them.
    Untrue,
}

impl Clock {
    /// In a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Clock::Timestamps => "GPU timestamps",
            Clock::Wall => "wall clock",
            Clock::WholeSteps => "wall clock, whole steps only: the adapter has no timestamps",
            Clock::Untrue => "wall clock, whole steps only: the adapter's timestamps are not true",
        }
    }
}

/// How often steps are timed. A repeat puts the same flock in, steps it to warm up, then times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Steps that are timed as one, at least 1; as many again for the single passes.
    pub steps: u32,
    /// At least 1.
    pub repeats: u32,
    pub warm_up: u32,
    /// Steps that a flock is given to settle; 0 measures the start alone.
    pub settle: u32,
}

/// What the device can do, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Bytes read and written a second by a copy of `copied` bytes, far more than the caches hold.
    pub copy: f64,
    pub copied: u64,
    /// How the best copy was made.
    pub copy_by: &'static str,
    /// Additions and multiplications a second in numbers of the subject's kind.
    pub arithmetic: f64,
    /// What was multiplied and added.
    pub arithmetic_of: &'static str,
}

/// Repeated measurements: their median, and the least and the most of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// Of these values; none where there are none.
    #[must_use]
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

    /// How far the repeats lie apart, as a share of the median.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.median > 0.0 { (self.most - self.least) / self.median } else { 0.0 }
    }
}

/// When a flock was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Just begun.
    Start,
    /// After so many steps that its measures are steady.
    Settled,
}

impl Condition {
    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Condition::Start => "start",
            Condition::Settled => "settled",
        }
    }
}

/// A flock of one size in one condition.
#[derive(Clone, Debug)]
pub struct Point {
    pub boids: u32,
    pub condition: Condition,
    /// Steps that the flock had taken before the first repeat.
    pub age: u64,
    /// Whether its measures were steady by then; a start is not asked.
    pub steady: Option<bool>,
    /// A step, by the wall clock, steps submitted as they come.
    pub step: Spread,
    /// A step and a picture of it, by the wall clock; none where nothing was drawn.
    pub frame: Option<Spread>,
    /// In the order they run; empty where they cannot be timed.
    pub passes: Vec<Pass>,
    /// Of the flock half-way through a repeat.
    pub census: Census,
    /// Steps whose passes were to be timed and were not, in all repeats: a step that is cut into more than
    /// [`timing::MOST`] dispatches, or a batch of steps that has more together.
    pub untimed: u32,
    /// When the passes of the last repeat ran.
    pub events: Vec<PassEvent>,
}

/// A pass of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    pub name: &'static str,
    pub time: Spread,
    /// What it cannot help but move between memory and processor: each array that it reads or writes, once.
    pub bytes: u64,
    /// What its candidates and neighbours are read as, again and again, from the caches if all is well.
    pub cached: u64,
    /// Additions, multiplications and comparisons of numbers.
    pub operations: u64,
}

impl Pass {
    /// Bytes a second.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        self.bytes as f64 / self.time.median.max(1.0) * 1e9
    }

    /// Operations a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.operations as f64 / self.time.median.max(1.0) * 1e9
    }

    /// The shares of the device's copy bandwidth and of its arithmetic that it reaches.
    #[must_use]
    pub fn shares(&self, limits: &Limits) -> [f64; 2] {
        [self.bandwidth() / limits.copy, self.rate() / limits.arithmetic]
    }
}

/// Which steps have no pass times and why, where a device that takes timestamps took none of some.
#[must_use]
pub fn without_passes(whose: &str, untimed: u32, clock: Clock) -> Option<String> {
    (untimed > 0 && clock == Clock::Timestamps).then(|| {
        let most = timing::MOST;
        format!("{whose}: {untimed} steps without pass times: more than {most} dispatches at once")
    })
}

impl Point {
    /// Whether what the timestamps told of the passes can be: a program on the CPU that takes them when all is done tells
    /// of next to nothing. Passes of hardware may be short beside a step that is mostly submission.
    #[must_use]
    pub fn plausible(&self) -> bool {
        let sum: f64 = self.passes.iter().map(|pass| pass.time.median).sum();
        self.passes.is_empty() || sum >= self.step.median / 8.0
    }

    /// Nanoseconds of a step that fall to one boid.
    #[must_use]
    pub fn ns_a_boid(&self) -> f64 {
        self.step.median / f64::from(self.boids.max(1))
    }

    /// Picoseconds of the pass that looks at candidates which fall to one of them; of the whole step where passes are
    /// not timed. None where nobody looks.
    #[must_use]
    pub fn ps_a_candidate(&self) -> Option<f64> {
        let looks = self.passes.iter().find(|pass| pass.name == LOOKS);
        let time = looks.map_or(self.step.median, |pass| pass.time.median);
        let candidates = self.census.candidates * f64::from(self.boids);
        (candidates > 0.0).then(|| time * 1e3 / candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_a_median_and_ends() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        let even = Spread::of(&[4.0, 1.0, 2.0, 3.0]).expect("values");
        assert_eq!((even.median, even.width()), (2.5, 1.2));
    }

    #[test]
    fn passes_that_take_next_to_nothing_of_a_step_are_not_believed() {
        let mut point = crate::profile::testing::profile().points.remove(0);
        assert!(point.plausible());
        point.passes.iter_mut().for_each(|pass| pass.time.median *= 0.1);
        assert!(!point.plausible());
        point.passes.clear();
        assert!(point.plausible());
    }

    #[test]
    fn steps_that_were_not_timed_are_told_of_where_they_could_have_been() {
        let told = without_passes("5 boids, start", 20, Clock::Timestamps).expect("some");
        assert!(told.starts_with("5 boids, start: 20 steps without") && told.contains("1024"), "{told}");
        assert_eq!(without_passes("5 boids, start", 0, Clock::Timestamps), None);
        assert_eq!(without_passes("5 boids, start", 20, Clock::WholeSteps), None);
    }

    #[test]
    fn shares_are_of_the_limits() {
        let time = Spread::of(&[1000.0]).expect("a value");
        let pass = Pass { name: "step", time, bytes: 5000, cached: 0, operations: 20_000 };
        let limits =
            Limits { copy: 10e9, copied: 0, copy_by: "shader", arithmetic: 40e9, arithmetic_of: "f32" };
        assert_eq!(pass.bandwidth(), 5e9);
        assert_eq!(pass.shares(&limits), [0.5, 0.5]);
    }
}

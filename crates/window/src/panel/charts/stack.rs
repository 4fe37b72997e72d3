//! The passes of a step stacked over the newest samples: the data of the chart of passes.

use std::ops::Range;

use egui::Color32;

use super::age;
use crate::history::{History, Sample};
use gpu::passes;

/// Name of the layer for all passes that are too small for their own.
pub const OTHER: &str = "other";
const OTHERS: Color32 = Color32::from_rgb(104, 112, 130);

/// Number of samples in the mean beside a name.
const NEWEST: usize = 30;
/// Number of samples in the median at each point of an area: it removes single passes that waited.
const SMOOTHED: usize = 9;

/// The passes with a layer of their own.
#[derive(Clone, Debug, Default)]
pub struct Named(Vec<&'static str>);

impl Named {
    /// Minimum share of the step at which a pass gets a layer.
    const ENTERS: f64 = 0.01;
    /// Share below which it loses the layer; lower, so that a pass at the threshold does not flicker.
    const LEAVES: f64 = 0.006;

    fn holds(&mut self, name: &'static str, share: f64) -> bool {
        let least = if self.0.contains(&name) { Self::LEAVES } else { Self::ENTERS };
        self.0.retain(|other| *other != name);
        self.0.extend((share >= least).then_some(name));
        share >= least
    }
}

/// One pass, or all the small ones.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: &'static str,
    pub colour: Color32,
    /// Milliseconds at each sample: the median of it and the samples before it.
    pub times: Vec<f64>,
    /// Mean milliseconds over the newest samples, and its share of the whole step.
    pub now: f64,
    pub share: f64,
}

/// The stacked passes.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// The layers from the bottom up.
    pub layers: Vec<Layer>,
    /// The step of each timed sample, oldest first, and its x coordinate.
    pub steps: Vec<u64>,
    pub ages: Vec<f64>,
    /// Milliseconds of all passes at each sample.
    pub totals: Vec<f64>,
    /// Milliseconds of all passes over the newest samples.
    pub now: f64,
}

impl Stack {
    /// The stack of these samples. If passes are not timed, the whole step is the only layer.
    pub fn new(history: &History, timed: bool, named: &mut Named) -> Self {
        let count = history.iter().count();
        let (mut steps, mut ages, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        for (index, sample) in history.iter().enumerate() {
            let parts = parts(sample, timed);
            // A sample that was not timed is a gap.
            if !parts.is_empty() {
                steps.push(sample.step);
                ages.push(age(index, count));
                samples.push(parts);
            }
        }
        let mut totals = vec![0.0; samples.len()];
        let found: Vec<(&'static str, Color32, Vec<f64>)> = names(&samples)
            .into_iter()
            .map(|(name, colour)| (name, colour, median(samples.iter().map(|parts| time(parts, name)))))
            .inspect(|(_, _, times)| add(&mut totals, times))
            .collect();
        let (whole, now) = (totals.iter().sum(), recent(&totals));
        let mut small = vec![0.0; samples.len()];
        let mut stack = Stack { steps, ages, layers: Vec::new(), totals, now };
        for (name, colour, times) in found {
            // A pass that has just appeared or disappeared is still shown.
            let share = ratio(recent(&times), now).max(ratio(times.iter().sum(), whole));
            if named.holds(name, share) {
                stack.push(name, colour, times);
            } else {
                add(&mut small, &times);
            }
        }
        if small.iter().any(|time| *time > 0.0) {
            stack.push(OTHER, OTHERS, small);
        }
        stack
    }

    fn push(&mut self, name: &'static str, colour: Color32, times: Vec<f64>) {
        let now = recent(&times);
        self.layers.push(Layer { name, colour, share: ratio(now, self.now), now, times });
    }

    /// The samples between gaps.
    pub fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let mut begin = 0;
        self.ages.chunk_by(|before, after| after - before < 1.5).map(move |piece| {
            let piece = begin..begin + piece.len();
            begin = piece.end;
            piece
        })
    }

    /// The layer of a sample at a height in milliseconds.
    pub fn at(&self, sample: usize, height: f64) -> Option<&Layer> {
        let mut top = 0.0;
        let reaches = |layer: &&Layer| {
            top += layer.times.get(sample).copied().unwrap_or(0.0);
            height <= top
        };
        (height >= 0.0).then(|| self.layers.iter().find(reaches)).flatten()
    }
}

/// The passes of a sample; empty before the first times arrive.
fn parts(sample: &Sample, timed: bool) -> Vec<(&'static str, f64)> {
    if timed { sample.passes.clone() } else { vec![("step", sample.step_time)] }
}

fn time(parts: &[(&'static str, f64)], name: &str) -> f64 {
    // A fold from 0.0: the sum of no numbers is −0.
    parts.iter().filter(|(other, _)| *other == name).fold(0.0, |sum, (_, time)| sum + time)
}

fn add(sums: &mut [f64], times: &[f64]) {
    sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
}

/// The median of each time and the times before it.
fn median(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let times: Vec<f64> = times.collect();
    let at = |end: usize| {
        let mut window = times[end.saturating_sub(SMOOTHED)..end].to_vec();
        window.sort_unstable_by(f64::total_cmp);
        window[(window.len() - 1) / 2]
    };
    (1..=times.len()).map(at).collect()
}

/// The mean of the newest times.
fn recent(times: &[f64]) -> f64 {
    let newest = &times[times.len().saturating_sub(NEWEST)..];
    ratio(newest.iter().sum(), newest.len() as f64)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The passes of all samples, from the bottom up, with their colours.
fn names(samples: &[Vec<(&'static str, f64)>]) -> Vec<(&'static str, Color32)> {
    let names = passes::colours(samples.iter().flatten().map(|(name, _)| *name));
    names.into_iter().map(|(name, [r, g, b])| (name, Color32::from_rgb(r, g, b))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::frame::Frame;

    type Passes = &'static [(&'static str, f64)];

    fn history(samples: &[Passes]) -> History {
        let mut history = History::default();
        for (step, passes) in (1..).zip(samples) {
            let step_time = Duration::from_millis(7);
            let frame = Frame { step, step_time, passes: passes.to_vec(), ..Frame::empty(0) };
            history.add(Sample::new(&frame, Duration::from_millis(16)));
        }
        history
    }

    fn shown(stack: &Stack) -> Vec<&str> {
        stack.layers.iter().map(|layer| layer.name).collect()
    }

    const STEP: Passes = &[("step", 3.0)];

    #[test]
    fn passes_come_and_go() {
        let with: Passes = &[("step", 3.0), ("move_predators", 1.0), ("formula_terms", 0.5)];
        let mut named = Named::default();
        let mut stack = |samples: &[Passes]| Stack::new(&history(samples), true, &mut named);
        assert_eq!(shown(&stack(&[STEP; 399])), ["step"]);
        let mut samples = vec![STEP; 390];
        samples.extend([with; 9]);
        let come = stack(&samples);
        assert_eq!(shown(&come), ["step", "move_predators", "formula_terms"]);
        assert_eq!((come.layers[1].times[0], come.layers[1].times[398]), (0.0, 1.0));
        samples.extend([STEP; 9]);
        let gone = stack(&samples);
        assert_eq!(shown(&gone), ["step", "move_predators", "formula_terms"]);
        assert_eq!((gone.layers[1].times[391], gone.layers[1].times[399]), (1.0, 0.0));
        assert_eq!(shown(&stack(&[STEP; 50])), ["step"]);
    }

    #[test]
    fn a_pass_at_the_threshold_keeps_its_layer() {
        let (small, smaller): (Passes, Passes) =
            (&[("step", 0.992), ("order", 0.008)], &[("step", 0.996), ("order", 0.004)]);
        for (sample, before, names) in [
            (small, vec!["step", "order"], ["step", "order"]),
            (smaller, vec!["step", "order"], ["step", OTHER]),
            (small, vec![], ["step", OTHER]),
        ] {
            assert_eq!(shown(&Stack::new(&history(&[sample]), true, &mut Named(before))), names);
        }
    }

    #[test]
    fn without_pass_times_the_step_is_one_layer_and_a_hitch_is_left_out() {
        let hitch: Passes = &[("step", 90.0)];
        for (samples, has_passes, totals, steps) in [
            (vec![&[] as Passes, &[]], false, vec![7.0, 7.0], vec![1, 2]),
            // A sample before the first times arrive has no passes.
            (vec![&[], STEP, STEP, &[], STEP], true, vec![3.0; 3], vec![2, 3, 5]),
            (vec![STEP, STEP, hitch], true, vec![3.0; 3], vec![1, 2, 3]),
            // Untrusted pass times are not used.
            (vec![STEP, &[], &[]], false, vec![3.0, 3.0, 7.0], vec![1, 2, 3]),
        ] {
            let stack = Stack::new(&history(&samples), has_passes, &mut Named::default());
            assert_eq!((shown(&stack), &stack.totals, &stack.steps), (vec!["step"], &totals, &steps));
        }
        let gap = Stack::new(&history(&[STEP, STEP, &[], STEP]), true, &mut Named::default());
        assert_eq!(gap.ages, [-3.0, -2.0, 0.0]);
        assert_eq!(gap.pieces().collect::<Vec<_>>(), [0..2, 2..3]);
        let nothing = Stack::new(&History::default(), true, &mut Named::default());
        assert!(nothing.layers.is_empty() && nothing.now == 0.0);
    }
}

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

    fn history(samples: &[&[(&'static str, f64)]]) -> History {
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

    #[test]
    fn layers_add_up_to_the_step_and_small_ones_go_together() {
        let sample: &[_] = &[("count", 0.005), ("step", 3.0), ("scan_blocks", 0.003), ("scatter", 1.0)];
        let stack = Stack::new(&history(&[sample, sample]), true, &mut Named::default());
        assert_eq!(shown(&stack), ["step", "scatter", OTHER]);
        assert_eq!(stack.steps, [1, 2]);
        assert!((stack.now - 4.008).abs() < 1e-9 && stack.totals.len() == 2);
        assert!((stack.layers.iter().map(|layer| layer.share).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((stack.layers[2].times[1] - 0.008).abs() < 1e-9);
        let at = |height| stack.at(0, height).map(|layer| layer.name);
        assert_eq!(
            [at(0.1), at(3.5), at(4.004), at(4.1)],
            [Some("step"), Some("scatter"), Some(OTHER), None]
        );
        assert_eq!((at(-0.1), stack.at(2, 0.1).map(|layer| layer.name)), (None, None));
    }

    #[test]
    fn passes_come_and_go() {
        let (without, with): (&[_], &[_]) =
            (&[("step", 3.0)], &[("step", 3.0), ("move_predators", 1.0), ("own_terms", 0.5)]);
        let mut named = Named::default();
        assert_eq!(shown(&Stack::new(&history(&[without; 399]), true, &mut named)), ["step"]);
        let mut samples = vec![without; 390];
        samples.extend([with; 9]);
        let stack = Stack::new(&history(&samples), true, &mut named);
        assert_eq!(shown(&stack), ["step", "move_predators", "own_terms"]);
        assert_eq!((stack.layers[1].times[0], stack.layers[1].times[398]), (0.0, 1.0));
        samples.extend([without; 9]);
        let gone = Stack::new(&history(&samples), true, &mut named);
        assert_eq!(shown(&gone), ["step", "move_predators", "own_terms"]);
        assert_eq!((gone.layers[1].times[391], gone.layers[1].times[399]), (1.0, 0.0));
        assert_eq!(shown(&Stack::new(&history(&[without; 50]), true, &mut named)), ["step"]);
    }

    #[test]
    fn a_pass_at_the_threshold_keeps_its_layer() {
        let share =
            |part: f64| Stack::new(&history(&[&[("step", 1.0 - part), ("order", part)]]), true, &mut named());
        fn named() -> Named {
            Named(vec!["step", "order"])
        }
        assert_eq!(shown(&share(0.008)), ["step", "order"]);
        assert_eq!(shown(&share(0.004)), ["step", OTHER]);
        let fresh =
            Stack::new(&history(&[&[("step", 0.992), ("order", 0.008)]]), true, &mut Named::default());
        assert_eq!(shown(&fresh), ["step", OTHER]);
    }

    #[test]
    fn without_pass_times_the_step_is_one_layer() {
        let stack = Stack::new(&history(&[&[], &[]]), false, &mut Named::default());
        assert_eq!((shown(&stack), stack.layers[0].times.clone()), (vec!["step"], vec![7.0, 7.0]));
        // A sample before the first times arrive has no passes.
        let step: &[_] = &[("step", 2.0)];
        let stack = Stack::new(&history(&[&[], step, step, &[], step]), true, &mut Named::default());
        assert_eq!((stack.totals.clone(), stack.steps.clone()), (vec![2.0; 3], vec![2, 3, 5]));
        assert_eq!(stack.ages, [-3.0, -2.0, 0.0]);
        assert_eq!(stack.pieces().collect::<Vec<_>>(), [0..2, 2..3]);
        let hitch = Stack::new(
            &history(&[&[("step", 2.0)], &[("step", 2.0)], &[("step", 90.0)]]),
            true,
            &mut Named::default(),
        );
        assert_eq!(hitch.totals, [2.0; 3]);
        // Untrusted pass times are not used.
        let stack = Stack::new(&history(&[&[("step", 2.0)], &[], &[]]), false, &mut Named::default());
        assert_eq!(shown(&stack), ["step"]);
        assert_eq!(stack.totals, [2.0, 2.0, 7.0]);
        let nothing = Stack::new(&History::default(), true, &mut Named::default());
        assert!(nothing.layers.is_empty() && nothing.now == 0.0);
    }
}

//! The passes of a step one upon the other, over the newest samples: what the chart of passes shows, undrawn.

use egui::Color32;

use crate::hues;
use crate::view::history::{History, Sample};

/// What the passes are called together that are too small to be told apart.
pub const OTHER: &str = "other";
const OTHERS: Color32 = Color32::from_rgb(104, 112, 130);

/// Samples that the figures beside the names are means of.
const NEWEST: usize = 30;
/// Samples that a point of an area is the median of: a pass that once waits for something else says nothing of itself.
const CALM: usize = 9;

/// The passes that are shown under their own names.
#[derive(Clone, Debug, Default)]
pub struct Named(Vec<&'static str>);

impl Named {
    /// The share of the step from which a pass has a name of its own.
    const ENTERS: f64 = 0.01;
    /// And below which it loses it. Less, so that one on the brink does not flicker.
    const LEAVES: f64 = 0.006;

    fn holds(&mut self, name: &'static str, share: f64) -> bool {
        let known = self.0.contains(&name);
        if !known && share >= Self::ENTERS {
            self.0.push(name);
        } else if known && share < Self::LEAVES {
            self.0.retain(|other| *other != name);
        }
        self.0.contains(&name)
    }
}

/// One pass, or all the small ones.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: &'static str,
    pub colour: Color32,
    /// Milliseconds at each sample: the median of it and those just before.
    pub times: Vec<f64>,
    /// Milliseconds of late, and as a share of the whole step.
    pub now: f64,
    pub share: f64,
}

/// The passes one upon the other.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// From the bottom up.
    pub layers: Vec<Layer>,
    /// The step of each sample, oldest first.
    pub steps: Vec<u64>,
    /// Milliseconds of all passes at each sample.
    pub totals: Vec<f64>,
    /// Milliseconds of all passes of late.
    pub now: f64,
}

impl Stack {
    /// The stack of these samples. Where passes are not told of, the step as a whole is the only one.
    #[must_use]
    pub fn new(history: &History, told: bool, named: &mut Named) -> Self {
        let samples: Vec<Vec<_>> = history.iter().map(|sample| parts(sample, told)).collect();
        let mut totals = vec![0.0; samples.len()];
        let found: Vec<(&'static str, Color32, Vec<f64>)> = names(&samples)
            .into_iter()
            .map(|(name, colour)| (name, colour, calm(samples.iter().map(|parts| time(parts, name)))))
            .inspect(|(_, _, times)| add(&mut totals, times))
            .collect();
        let (whole, now) = (totals.iter().sum(), late(&totals));
        let mut small = vec![0.0; samples.len()];
        let steps = history.iter().map(|sample| sample.step).collect();
        let mut stack = Stack { steps, layers: Vec::new(), totals, now };
        for (name, colour, times) in found {
            // One that has just come, or just gone, still matters.
            let share = ratio(late(&times), now).max(ratio(times.iter().sum(), whole));
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
        let now = late(&times);
        self.layers.push(Layer { name, colour, share: ratio(now, self.now), now, times });
    }

    /// The layer at a height, in milliseconds, of a sample.
    #[must_use]
    pub fn at(&self, sample: usize, height: f64) -> Option<&Layer> {
        let mut top = 0.0;
        let reaches = |layer: &&Layer| {
            top += layer.times.get(sample).copied().unwrap_or(0.0);
            height <= top
        };
        (height >= 0.0).then(|| self.layers.iter().find(reaches)).flatten()
    }
}

/// The passes of a sample; of one from before the first were told, nothing is known.
fn parts(sample: &Sample, told: bool) -> Vec<(&'static str, f64)> {
    if told { sample.passes.clone() } else { vec![("step", sample.step_time)] }
}

fn time(parts: &[(&'static str, f64)], name: &str) -> f64 {
    // Not a sum, which is −0 where there is nothing.
    parts.iter().filter(|(other, _)| *other == name).fold(0.0, |sum, (_, time)| sum + time)
}

fn add(sums: &mut [f64], times: &[f64]) {
    sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
}

/// The median of each time and those just before it.
fn calm(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let times: Vec<f64> = times.collect();
    let median = |end: usize| {
        let mut window = [0.0; CALM];
        let count = end.min(CALM);
        let window = &mut window[..count];
        window.copy_from_slice(&times[end - count..end]);
        window.sort_unstable_by(f64::total_cmp);
        window[(count - 1) / 2]
    };
    (1..=times.len()).map(median).collect()
}

/// The mean of the newest.
fn late(times: &[f64]) -> f64 {
    let newest = &times[times.len().saturating_sub(NEWEST)..];
    ratio(newest.iter().sum(), newest.len() as f64)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Every pass that any sample has, from the bottom up, with its colour.
fn names(samples: &[Vec<(&'static str, f64)>]) -> Vec<(&'static str, Color32)> {
    let names = hues::of(samples.iter().flatten().map(|(name, _)| *name));
    names.into_iter().map(|(name, [r, g, b])| (name, Color32::from_rgb(r, g, b))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::view::frame::Frame;

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
            (&[("step", 3.0)], &[("step", 3.0), ("move_predators", 1.0), ("new", 0.5)]);
        let mut named = Named::default();
        assert_eq!(shown(&Stack::new(&history(&[without; 399]), true, &mut named)), ["step"]);
        let mut samples = vec![without; 390];
        samples.extend([with; 9]);
        let stack = Stack::new(&history(&samples), true, &mut named);
        assert_eq!(shown(&stack), ["step", "move_predators", "new"]);
        assert_eq!((stack.layers[1].times[0], stack.layers[1].times[398]), (0.0, 1.0));
        samples.extend([without; 9]);
        let gone = Stack::new(&history(&samples), true, &mut named);
        assert_eq!(shown(&gone), ["step", "move_predators", "new"]);
        assert_eq!((gone.layers[1].times[391], gone.layers[1].times[399]), (1.0, 0.0));
        assert_eq!(shown(&Stack::new(&history(&[without; 50]), true, &mut named)), ["step"]);
    }

    #[test]
    fn one_on_the_brink_keeps_its_name() {
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
        // Of a sample from before the first times came back, nothing is known.
        let stack = Stack::new(&history(&[&[], &[("step", 2.0)]]), true, &mut Named::default());
        assert_eq!(stack.totals, [0.0, 0.0]);
        let hitch = Stack::new(
            &history(&[&[("step", 2.0)], &[("step", 2.0)], &[("step", 90.0)]]),
            true,
            &mut Named::default(),
        );
        assert_eq!(hitch.totals, [2.0; 3]);
        // Nor is it where they have turned out not to be true.
        let stack = Stack::new(&history(&[&[("step", 2.0)], &[], &[]]), false, &mut Named::default());
        assert_eq!(shown(&stack), ["step"]);
        assert_eq!(stack.totals, [2.0, 2.0, 7.0]);
        let nothing = Stack::new(&History::default(), true, &mut Named::default());
        assert!(nothing.layers.is_empty() && nothing.now == 0.0);
    }
}

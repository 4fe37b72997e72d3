//! The newest frames in numbers, for the charts.

use std::collections::VecDeque;
use std::time::Duration;

use super::frame::{Frame, Measured, Summary};

/// One frame in numbers.
#[derive(Clone, Debug)]
pub struct Sample {
    pub step: u64,
    pub summary: Option<Summary>,
    pub measured: Option<Measured>,
    /// From one frame of the window to the next, in milliseconds.
    pub frame: f64,
    /// One step, in milliseconds.
    pub step_time: f64,
    /// Each pass of a step, in milliseconds.
    pub passes: Vec<(&'static str, f64)>,
}

impl Sample {
    /// The numbers of a frame that came `since` the one before.
    pub fn new(frame: &Frame, since: Duration) -> Self {
        // On a GPU the engine's thread also waits for the window's drawing, so the sum of the passes is the better
        // time of a step where they are timed.
        let passes: f64 = frame.passes.iter().map(|(_, time)| time).sum();
        let step_time = if passes > 0.0 { passes } else { 1e3 * frame.step_time.as_secs_f64() };
        Sample {
            step: frame.step,
            summary: frame.summary,
            measured: frame.measured,
            frame: 1e3 * since.as_secs_f64(),
            step_time,
            passes: frame.passes.clone(),
        }
    }
}

/// The newest samples, oldest first.
#[derive(Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// How many samples are kept.
    pub const LENGTH: usize = 400;

    /// Adds a sample, and drops the oldest when there are more than [`History::LENGTH`].
    pub fn add(&mut self, sample: Sample) {
        if self.samples.len() == Self::LENGTH {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    /// The newest.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back()
    }

    /// The mean of a number over the newest samples, at most `count` of them.
    pub fn mean(&self, count: usize, number: impl Fn(&Sample) -> f64) -> Option<f64> {
        let newest = self.samples.iter().rev().take(count);
        let taken = newest.len();
        (taken > 0).then(|| newest.map(number).sum::<f64>() / taken as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_samples_go_first() {
        let mut history = History::default();
        for step in 0..History::LENGTH as u64 + 5 {
            let frame = Frame { step, ..Frame::empty(0) };
            history.add(Sample::new(&frame, Duration::from_millis(step)));
        }
        assert_eq!(history.iter().count(), History::LENGTH);
        assert_eq!(history.iter().next().map(|sample| sample.step), Some(5));
        let newest = History::LENGTH as f64 + 4.0;
        assert_eq!(history.mean(2, |sample| sample.frame), Some(newest - 0.5));
        history.clear();
        assert!(history.last().is_none() && history.mean(2, |sample| sample.frame).is_none());
    }
}

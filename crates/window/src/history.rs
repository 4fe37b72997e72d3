//! The measures and times of the newest frames, for the charts, and the measures over the whole flight, for the timeline.

use std::collections::VecDeque;
use std::time::Duration;

use super::frame::{Frame, Measured};

/// The measures and times of one frame.
#[derive(Clone, Debug)]
pub struct Sample {
    pub step: u64,
    pub summary: Option<gpu::Measures>,
    pub measured: Option<Measured>,
    /// Time since the previous frame of the window, in milliseconds.
    pub frame: f64,
    /// Time of one step, in milliseconds.
    pub step_time: f64,
    /// Time of each pass of a step, in milliseconds.
    pub passes: Vec<(&'static str, f64)>,
}

impl Sample {
    /// The sample of a frame that came `since` the previous one.
    pub fn new(frame: &Frame, since: Duration) -> Self {
        // On a GPU the engine's thread also waits for the window's drawing, so the sum of the passes, if they are
        // timed, is the better time of a step.
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

/// A column of the table of samples; a cell without a value is empty.
type SampleColumn = (&'static str, fn(&Sample) -> Option<f64>);

const COLUMNS: [SampleColumn; 12] = [
    ("step", |sample| Some(sample.step as f64)),
    ("polarization", |sample| Some(sample.summary?.polarization.into())),
    ("milling", |sample| Some(sample.measured?.measures.milling)),
    ("groups", |sample| Some(sample.measured?.measures.groups)),
    ("nearest_mean", |sample| Some(sample.measured?.measures.nearest_mean)),
    ("mean_speed", |sample| Some(sample.measured?.measures.mean_speed)),
    ("gyration", |sample| Some(sample.measured?.measures.gyration)),
    ("angular_momentum", |sample| Some(sample.measured?.measures.angular_momentum)),
    ("group_polarization", |sample| Some(sample.measured?.measures.group_polarization)),
    ("group_milling", |sample| Some(sample.measured?.measures.group_milling)),
    ("frame_ms", |sample| Some(sample.frame)),
    ("step_ms", |sample| Some(sample.step_time)),
];

/// The newest samples, oldest first.
#[derive(Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// Maximum number of samples.
    pub const LENGTH: usize = 400;

    /// Adds a sample, and drops the oldest beyond [`History::LENGTH`]. If the flock went back to an earlier step, the
    /// samples from that step on are dropped.
    pub fn add(&mut self, sample: Sample) {
        while self.samples.back().is_some_and(|last| last.step >= sample.step) {
            self.samples.pop_back();
        }
        if self.samples.len() == Self::LENGTH {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    /// The newest sample.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back()
    }

    /// The samples as CSV, one row each.
    pub fn csv(&self) -> String {
        let row = |cells: [String; COLUMNS.len()]| cells.join(",") + "\n";
        let cell = |value: Option<f64>| {
            value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
        };
        let rows = self.samples.iter().map(|sample| row(COLUMNS.map(|(_, value)| cell(value(sample)))));
        std::iter::once(row(COLUMNS.map(|(name, _)| name.to_owned()))).chain(rows).collect()
    }

    /// The mean of a value over the newest samples, at most 30 of them.
    pub fn mean(&self, number: impl Fn(&Sample) -> f64) -> Option<f64> {
        let newest = self.samples.iter().rev().take(30);
        let taken = newest.len();
        (taken > 0).then(|| newest.map(number).sum::<f64>() / taken as f64)
    }
}

/// Measures over the whole flight: a sample every few steps, the farther apart the longer the flight.
#[derive(Debug)]
pub struct Course {
    /// In the order of steps.
    samples: Vec<Sample>,
    /// The least number of steps between two samples.
    every: u64,
}

impl Default for Course {
    fn default() -> Self {
        Course { samples: Vec::new(), every: 1 }
    }
}

impl Course {
    /// Maximum number of samples: about one a point of a wide timeline.
    pub const LENGTH: usize = 1000;

    /// Adds a sample unless one is near. A step that is repeated fills in what was not measured.
    pub fn add(&mut self, frame: &Frame) {
        let next = self.samples.partition_point(|other| other.step < frame.step);
        if let Some(same) = self.samples.get_mut(next).filter(|other| other.step == frame.step) {
            if same.measured.is_none() {
                same.measured = frame.measured;
            }
            return;
        }
        let is_far =
            |other: Option<&Sample>| other.is_none_or(|other| other.step.abs_diff(frame.step) >= self.every);
        if !is_far(self.samples[..next].last()) || !is_far(self.samples.get(next)) {
            return;
        }
        self.samples.insert(next, Sample { passes: Vec::new(), ..Sample::new(frame, Duration::ZERO) });
        if self.samples.len() > Self::LENGTH {
            self.thin();
        }
    }

    /// Drops samples until the rest are twice as far apart.
    fn thin(&mut self) {
        self.every *= 2;
        let mut next = 0;
        self.samples.retain(|sample| {
            let stays = sample.step >= next;
            if stays {
                next = sample.step + self.every;
            }
            stays
        });
    }

    /// Drops what follows a step.
    pub fn truncate(&mut self, step: u64) {
        self.samples.retain(|sample| sample.step <= step);
    }

    /// In the order of steps.
    pub fn iter(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.samples.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::State;
    use engine::measures::measure;
    use flock::{Boid, Parameters};

    #[test]
    fn samples_are_rows_and_what_was_not_measured_is_empty() {
        let alone = Boid { position: [3.0, 4.0, 0.0], velocity: [2.0, 0.0, 0.0], ..Boid::default() };
        let state = State { boids: vec![alone], ..State::default() };
        let measured = Measured { generation: 0, measures: measure(&Parameters::default(), &state) };
        let mut history = History::default();
        for (step, measured) in [(4, None), (5, Some(measured))] {
            history.add(Sample::new(&Frame { step, measured, ..Frame::empty(0) }, Duration::from_millis(16)));
        }
        let text = history.csv();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("step,polarization,milling,groups,nearest_mean,mean_speed,"));
        assert_eq!(lines[1..], ["4,,,,,,,,,,16,0", "5,,0,1,,2,0,0,1,0,16,0"]);
        // A sample at an earlier step drops the later ones.
        history.add(Sample::new(&Frame { step: 5, ..Frame::empty(0) }, Duration::ZERO));
        let kept: Vec<_> = history.iter().map(|sample| (sample.step, sample.measured.is_some())).collect();
        assert_eq!(kept, [(4, false), (5, false)]);
        // The oldest samples go first.
        for step in 6..=History::LENGTH as u64 + 8 {
            history.add(Sample::new(&Frame { step, ..Frame::empty(0) }, Duration::from_millis(step)));
        }
        assert_eq!(history.iter().count(), History::LENGTH);
        assert_eq!(history.iter().next().map(|sample| sample.step), Some(9));
        let newest = History::LENGTH as f64 + 8.0;
        assert_eq!(history.mean(|sample| sample.frame), Some(newest - 14.5));
        assert!(History::default().mean(|sample| sample.frame).is_none());
    }

    #[test]
    fn a_course_covers_the_whole_flight_and_keeps_the_future_until_it_is_dropped() {
        let frame = |step, measured| Frame { step, measured, ..Frame::empty(0) };
        let mut course = Course::default();
        let last = 10 * Course::LENGTH as u64;
        for step in 1..=last {
            course.add(&frame(step, None));
            assert!(course.samples.len() <= Course::LENGTH);
        }
        let steps = |course: &Course| course.iter().map(|sample| sample.step).collect::<Vec<_>>();
        let all = steps(&course);
        assert!(all.len() > Course::LENGTH / 2 && all[0] == 1 && last - all[all.len() - 1] < course.every);
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] == course.every), "{all:?}");
        // Repeated steps add measures, and no samples.
        let measures = measure(&Parameters::default(), &State::default());
        for step in 1..=100 {
            course.add(&frame(step, Some(Measured { generation: 0, measures })));
        }
        assert_eq!(steps(&course), all);
        let measured = course.iter().filter(|sample| sample.measured.is_some());
        assert!(measured.map(|sample| sample.step).eq(all.iter().copied().take_while(|step| *step <= 100)));
        // Another flight from step 50 on.
        course.truncate(50);
        course.add(&frame(90, None));
        assert_eq!(steps(&course), [&all[..all.partition_point(|step| *step <= 50)], &[90]].concat());
    }
}

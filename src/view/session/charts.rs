//! The charts' samples: what is measured for them, and as a file.

use std::path::Path;

use super::Session;
use crate::view::history::Sample;
use crate::view::modes::Page;
use config::shown::escaped;
use cpu::measures::Measures;
use report::AtomicFile;

/// A column of what is measured now and then.
type Column = (&'static str, fn(&Measures) -> f64);

const MEASURED: [Column; 8] = [
    ("milling", |m| m.milling),
    ("groups", |m| m.groups),
    ("nearest_mean", |m| m.nearest_mean),
    ("mean_speed", |m| m.mean_speed),
    ("gyration", |m| m.gyration),
    ("angular_momentum", |m| m.angular_momentum),
    ("group_polarization", |m| m.group_polarization),
    ("group_milling", |m| m.group_milling),
];

impl Session {
    /// Has the flock measured while the page of charts is shown.
    pub(in crate::view) fn measure_for_charts(&mut self) {
        let wanted = self.open.panel && self.page == Page::Charts;
        if wanted != self.measures {
            self.measures = wanted;
            self.worker.measure(wanted);
        }
    }

    /// Writes the samples to a file in the folder of pictures, and shows the outcome.
    pub fn save_charts(&mut self) {
        let path = self.free_name("charts", "csv");
        match write(&path, self.history.iter()) {
            Ok(()) => self.say(format!("saved {}", escaped(&path.display().to_string()))),
            Err(why) => self.fail(why.message),
        }
    }
}

fn write<'a>(path: &Path, samples: impl Iterator<Item = &'a Sample>) -> report::Result<()> {
    let lines = std::iter::once(header()).chain(samples.map(row));
    AtomicFile::create(path)?.fill(lines.map(|line| line + "\n").collect::<String>())
}

/// The names of the columns.
fn header() -> String {
    let measured = MEASURED.iter().map(|(name, _)| *name);
    let names: Vec<&str> =
        ["step", "polarization"].into_iter().chain(measured).chain(["frame_ms", "step_ms"]).collect();
    names.join(",")
}

/// A sample as a row; a cell without a value is empty.
fn row(sample: &Sample) -> String {
    let cell = |value: Option<f64>| {
        value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
    };
    let summary = sample.summary.map(|summary| f64::from(summary.measures.polarization));
    let measured = |(_, get): &Column| cell(sample.measured.map(|m| get(&m.measures)));
    let cells = [sample.step.to_string(), cell(summary)].into_iter().chain(MEASURED.iter().map(measured));
    let times = [cell(Some(sample.frame)), cell(Some(sample.step_time))];
    cells.chain(times).collect::<Vec<String>>().join(",")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use flock::{Boid, Parameters};

    use super::*;
    use crate::view::frame::{Frame, Measured};
    use cpu::measures::measure;
    use cpu::state::State;

    #[test]
    fn samples_are_rows_and_what_was_not_measured_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("charts.csv");
        let alone = Boid { position: [3.0, 4.0, 0.0], velocity: [2.0, 0.0, 0.0], ..Boid::default() };
        let state = State { boids: vec![alone], ..State::default() };
        let measured = Measured { generation: 0, measures: measure(&Parameters::default(), &state) };
        let frames =
            [Frame { step: 4, ..Frame::empty(0) }, Frame { measured: Some(measured), ..Frame::empty(0) }];
        let samples = frames.map(|frame| Sample::new(&frame, Duration::from_millis(16)));
        write(&path, samples.iter()).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("step,polarization,milling,groups,nearest_mean,mean_speed,"));
        assert_eq!(lines[1..], ["4,,,,,,,,,,16,0", "0,,0,1,,2,0,0,1,0,16,0"]);
    }
}

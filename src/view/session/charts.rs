//! The charts' samples: what is measured for them, and as a file.

use std::io::Write as _;
use std::path::Path;

use super::Session;
use crate::report::AtomicFile;
use crate::shown::escaped;
use crate::view::history::Sample;
use crate::view::modes::Page;

/// The columns of the file.
const COLUMNS: &str = "step,polarization,milling,groups,nearest_mean,frame_ms,step_ms";

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
            Err(why) => self.fail(why.to_string()),
        }
    }
}

fn write<'a>(path: &Path, samples: impl Iterator<Item = &'a Sample>) -> crate::report::Result<()> {
    let mut file = AtomicFile::create(path)?;
    let lines = std::iter::once(COLUMNS.to_owned()).chain(samples.map(row));
    lines.into_iter().try_for_each(|line| writeln!(file, "{line}")).map_err(|why| file.failed(why))?;
    file.commit()
}

/// A sample as a row; a cell without a value is empty.
fn row(sample: &Sample) -> String {
    let cell = |value: Option<f64>| {
        value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
    };
    let summary = sample.summary.map(|summary| f64::from(summary.measures.polarization));
    let measured = |get: fn(&crate::view::frame::Measured) -> f64| cell(sample.measured.as_ref().map(get));
    [
        sample.step.to_string(),
        cell(summary),
        measured(|m| m.milling),
        measured(|m| m.groups),
        measured(|m| m.nearest),
        cell(Some(sample.frame)),
        cell(Some(sample.step_time)),
    ]
    .join(",")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::view::frame::{Frame, Measured};

    #[test]
    fn samples_are_rows_and_what_was_not_measured_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("charts.csv");
        let measured = Measured { generation: 0, milling: 0.5, groups: 3.0, nearest: f64::NAN };
        let frames =
            [Frame { step: 4, ..Frame::empty(0) }, Frame { measured: Some(measured), ..Frame::empty(0) }];
        let samples = frames.map(|frame| Sample::new(&frame, Duration::from_millis(16)));
        write(&path, samples.iter()).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(text, format!("{COLUMNS}\n4,,,,,16,0\n0,,0.5,3,,16,0\n"));
    }
}

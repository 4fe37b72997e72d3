//! A profile as tables for people. The unit of each column is in its name.

use super::{ABOUT, Pass, Point, Profile, Rate, Spread, without_passes};
use files::Table;

/// A column: its name, and its cell in a row.
pub(super) type ReportColumn<T> = (&'static str, fn(&T) -> String);

/// A table of these rows.
pub(super) fn table<'a, T: 'a>(columns: &[ReportColumn<T>], rows: impl IntoIterator<Item = &'a T>) -> Table {
    let mut table = Table::new(&columns.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for row in rows {
        table.row(columns.iter().map(|(_, cell)| cell(row)));
    }
    table
}

/// The columns that only a profile with pictures has.
const DRAWN: [&str; 2] = ["picture ms", "drawn ms"];

const FLOCKS: [ReportColumn<Point>; 16] = [
    ("boids", |point| point.boids.to_string()),
    ("state", |point| point.condition.name().to_owned()),
    ("step ms", |point| milliseconds(&point.step)),
    ("spread %", |point| spread(&point.step)),
    ("p95 ms", |point| or_dash(point.step_p95_ns, |ns| figures(ns / 1e6))),
    ("p99 ms", |point| or_dash(point.step_p99_ns, |ns| figures(ns / 1e6))),
    (DRAWN[0], |point| or_dash(point.picture_ns, |time| milliseconds(&time))),
    (DRAWN[1], |point| or_dash(point.frame_ns, |time| milliseconds(&time))),
    ("ns/boid", |point| figures(point.boid_ns)),
    ("ps/candidate", |point| or_dash(point.candidate_ps, figures)),
    ("candidates", |point| figures(point.census.candidates)),
    ("neighbours", |point| figures(point.census.neighbours)),
    ("boids/cell", |point| figures(point.census.occupancy)),
    ("fullest", |point| point.census.fullest_cell.to_string()),
    ("at step", |point| point.at_step.to_string()),
    ("steady", |point| or_dash(point.steady, |steady| if steady { "yes" } else { "no" }.to_owned())),
];

/// The index of a pass in its point, the pass and the point; the point is named in its first row.
type PassOf<'a> = (usize, &'a Pass, &'a Point);

fn pass_columns<'a>() -> [ReportColumn<PassOf<'a>>; 11] {
    [
        ("boids", |(k, _, point)| if *k == 0 { point.boids.to_string() } else { String::new() }),
        ("state", |(k, _, point)| if *k == 0 { point.condition.name() } else { "" }.to_owned()),
        ("pass", |(_, pass, _)| pass.name.to_owned()),
        ("ms", |(_, pass, _)| milliseconds(&pass.time)),
        ("spread %", |(_, pass, _)| spread(&pass.time)),
        ("of passes %", |(_, pass, point)| {
            figures(100.0 * pass.time.median / point.passes.iter().map(|pass| pass.time.median).sum::<f64>())
        }),
        ("MB", |(_, pass, _)| figures(pass.cost.bytes as f64 / 1e6)),
        ("GB/s", |(_, pass, _)| figures(pass.bytes_per_s / 1e9)),
        ("of copy %", |(_, pass, _)| or_dash(pass.share_of_copy, |share| figures(100.0 * share))),
        // Sorting passes have no operations.
        ("Gop/s", |(_, pass, _)| {
            or_dash(counted(pass, Some(pass.operations_per_s)), |rate| figures(rate / 1e9))
        }),
        ("of arithmetic %", |(_, pass, _)| {
            or_dash(counted(pass, pass.share_of_arithmetic), |share| figures(100.0 * share))
        }),
    ]
}

impl Profile {
    /// The device with its limits, the flocks, their passes, and the largest flock in real time.
    pub fn text(&self) -> String {
        let drawn = self.points.iter().any(|point| point.frame_ns.is_some());
        let columns = FLOCKS.into_iter().filter(|(name, _)| drawn || !DRAWN.contains(name));
        let mut text = format!("{}\n{}", self.head(), table(&columns.collect::<Vec<_>>(), &self.points));
        let mut rows: Vec<PassOf<'_>> = Vec::new();
        for point in &self.points {
            rows.extend(point.passes.iter().enumerate().map(|(k, pass)| (k, pass, point)));
        }
        if !rows.is_empty() {
            text += &format!("\n{}", table(&pass_columns(), &rows));
            if rows.iter().any(|(_, pass, _)| pass.share_of_copy.is_some_and(|share| share > 1.0)) {
                text +=
                    "more than 100 % of the copy: these arrays fit in the caches, the copied ones do not\n";
            }
            text += "MB, GB/s: every array that a pass reads or writes, counted once\n";
        }
        let steps = self.points.iter().map(|point| &point.step);
        if steps.chain(rows.iter().map(|(_, pass, _)| &pass.time)).any(Spread::unsteady) {
            text += "!: the repeats differ by more than half of their median, which is not reliable\n";
        }
        for point in &self.points {
            let whose = format!("{} boids, {}", point.boids, point.condition.name());
            let line = without_passes(&whose, point.untimed_steps, self.subject.clock);
            text.extend(line.map(|line| line + "\n"));
        }
        if !self.rates.is_empty() {
            text += &format!("\n{}", self.largest());
        }
        text.extend(self.stopped.as_ref().map(|why| format!("\nstopped: {why}\n")));
        text
    }

    fn head(&self) -> String {
        let (subject, method) = (&self.subject, &self.method);
        let mut text = subject.engine.clone();
        if !subject.driver.is_empty() {
            text += &format!(", {}", subject.driver);
        }
        if let Some(tuning) = subject.tuning {
            text += &format!("; {}", tuning.describe());
        }
        text += &format!("\n{}, {}-D\n", subject.flock, subject.dimensions);
        if let Some(limits) = &self.limits {
            text += &format!(
                "limits measured here: copy {} GB/s ({}, {} MB read and written), arithmetic {} Gop/s ({})\n",
                figures(limits.copy_bytes_per_s / 1e9),
                limits.copied_by,
                figures(limits.copied_bytes as f64 / 1e6),
                figures(limits.arithmetic_per_s / 1e9),
                limits.arithmetic_of,
            );
        }
        text += &format!(
            "median of {} repeats of {} steps, each after {} warm-up steps; spread: minimum to maximum; passes timed by {}\n",
            method.repeats,
            method.steps,
            method.warm_up,
            subject.clock.name(),
        );
        if let Some(gpu) = &subject.drawn {
            let [width, height] = super::PICTURE;
            text +=
                &format!("picture: {width}x{height} off screen, on {gpu}; drawn: a step and its picture\n");
        }
        text
    }

    fn largest(&self) -> String {
        let mut table = Table::new(&["largest flock", "state", "steps only", "steps and pictures"]);
        let (drawn, alone): (Vec<&Rate>, Vec<&Rate>) = self.rates.iter().partition(|rate| rate.drawn);
        for rate in alone {
            let same = |other: &&&Rate| (other.frames, other.condition) == (rate.frames, rate.condition);
            table.row([
                format!("{} per second", rate.frames),
                rate.condition.name().to_owned(),
                largest(rate),
                drawn.iter().find(same).map_or("not drawn".to_owned(), |rate| largest(rate)),
            ]);
        }
        let how =
            "about: interpolated between the two nearest measured sizes, with time as a power of size\n";
        let about = self.rates.iter().any(|rate| rate.bound == ABOUT);
        format!("{table}{}", if about { how } else { "" })
    }
}

/// A number of operations, of a pass that has any.
fn counted(pass: &Pass, number: Option<f64>) -> Option<f64> {
    number.filter(|_| pass.cost.operations > 0)
}

fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or("-".to_owned(), show)
}

fn largest(rate: &Rate) -> String {
    let boids = if rate.bound == ABOUT { rounded(rate.boids) } else { rate.boids };
    format!("{} {boids}", rate.bound)
}

/// Two significant digits: an interpolated number has no more.
pub(super) fn rounded(number: u32) -> u32 {
    let unit = 10_u32.pow(number.max(1).ilog10().saturating_sub(1));
    number / unit * unit
}

pub(super) fn milliseconds(time: &Spread) -> String {
    figures(time.median / 1e6)
}

fn spread(time: &Spread) -> String {
    format!("{:.0}{}", 100.0 * time.width(), if time.unsteady() { " !" } else { "" })
}

/// Three significant digits, at most four of them after the point; integers in full.
fn figures(number: f64) -> String {
    let digits = match number.abs() {
        size if !size.is_finite() => return "-".to_owned(),
        0.0 => return "0".to_owned(),
        size => (2 - size.log10().floor() as i32).clamp(0, 4),
    };
    format!("{number:.*}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_tell() {
        let shown: Vec<String> = [0.0, 0.000_012, 0.012_345, 1.2345, 12.345, 123.45, 123_456.0, f64::NAN]
            .into_iter()
            .map(figures)
            .collect();
        assert_eq!(shown, ["0", "0.0000", "0.0123", "1.23", "12.3", "123", "123456", "-"]);
        assert_eq!([7, 99, 123, 98_765].map(rounded), [7, 99, 120, 98_000]);
    }
}

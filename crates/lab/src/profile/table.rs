//! A profile as tables for people. The unit of each column is in its name.

use std::fmt::Write as _;

use super::result::{Largest, Limits, Profile, Rate, Spread, without_passes};
use report::Table;

impl Profile {
    /// The device with its limits, the flocks, their passes, and the largest flock in real time.
    pub fn text(&self) -> String {
        let mut text = self.head();
        let _ = write!(text, "\n{}", self.flocks());
        if self.points.iter().any(|point| !point.passes.is_empty()) {
            let _ = write!(text, "\n{}", self.passes());
            let shares =
                |limits| self.points.iter().flat_map(|p| &p.passes).map(move |p| p.shares(limits)[0]);
            if self.limits.as_ref().is_some_and(|limits| shares(limits).any(|share| share > 1.0)) {
                text.push_str(
                    "more than 100 % of the copy: these arrays fit the caches, the copied ones do not\n",
                );
            }
            text.push_str("MB, GB/s: each array that a pass reads or writes, once\n");
        }
        let passes = self.points.iter().flat_map(|point| &point.passes).map(|pass| &pass.time);
        if self.points.iter().map(|point| &point.step).chain(passes).any(Spread::unsteady) {
            text.push_str(
                "!: the repeats differ by more than half of their median, which then says little\n",
            );
        }
        for point in &self.points {
            let whose = format!("{} boids, {}", point.boids, point.condition.name());
            if let Some(line) = without_passes(&whose, point.untimed, self.subject.clock) {
                let _ = writeln!(text, "{line}");
            }
        }
        if !self.rates.is_empty() {
            let _ = write!(text, "\n{}", self.largest());
        }
        if let Some(why) = &self.stopped {
            let _ = writeln!(text, "\nstopped: {why}");
        }
        text
    }

    fn head(&self) -> String {
        let subject = &self.subject;
        let mut text = subject.engine.clone();
        if !subject.driver.is_empty() {
            let _ = write!(text, ", {}", subject.driver);
        }
        if let Some(tuning) = subject.tuning {
            let _ = write!(text, "; {}", tuning.describe());
        }
        let _ = writeln!(text, "\n{}, {}-D", subject.flock, subject.dimensions);
        if let Some(limits) = &self.limits {
            let _ = writeln!(
                text,
                "limits measured here: copy {} GB/s ({}, {} MB read and written), arithmetic {} Gop/s ({})",
                figures(limits.copy / 1e9),
                limits.copy_by,
                figures(limits.copied as f64 / 1e6),
                figures(limits.arithmetic / 1e9),
                limits.arithmetic_of,
            );
        }
        let method = &self.method;
        let _ = writeln!(
            text,
            "median of {} repeats, each of {} steps after {} to warm up; spread is from least to most; passes by {}",
            method.repeats,
            method.steps,
            method.warm_up,
            subject.clock.name(),
        );
        if let Some(gpu) = &subject.drawn {
            let [width, height] = super::painter::PICTURE;
            let _ = writeln!(
                text,
                "picture: {width}x{height} off screen, by {gpu}; drawn: a step and its picture"
            );
        }
        text
    }

    fn flocks(&self) -> Table {
        let drawn = self.points.iter().any(|point| point.frame.is_some());
        let mut header = vec![
            "boids",
            "state",
            "step ms",
            "spread %",
            "p95 ms",
            "p99 ms",
            "ns/boid",
            "ps/candidate",
            "candidates",
            "neighbours",
            "boids/cell",
            "fullest",
            "at step",
            "steady",
        ];
        if drawn {
            header.splice(6..6, ["picture ms", "drawn ms"]);
        }
        let mut table = Table::new(&header);
        for point in &self.points {
            let census = &point.census;
            let tail = |which: usize| point.tail.map_or("-".to_owned(), |tail| figures(tail[which] / 1e6));
            let steady = point.steady.map_or("-", |steady| if steady { "yes" } else { "no" });
            let mut row = vec![
                point.boids.to_string(),
                point.condition.name().to_owned(),
                milliseconds(&point.step),
                spread(&point.step),
                tail(0),
                tail(1),
                figures(point.ns_a_boid()),
                point.ps_a_candidate().map_or("-".to_owned(), figures),
                figures(census.candidates),
                figures(census.neighbours),
                figures(census.occupancy),
                census.fullest.to_string(),
                point.age.to_string(),
                steady.to_owned(),
            ];
            if drawn {
                let time = |spread: &Option<_>| spread.as_ref().map_or("-".to_owned(), milliseconds);
                row.splice(6..6, [time(&point.picture), time(&point.frame)]);
            }
            table.row(row);
        }
        table
    }

    fn passes(&self) -> Table {
        let mut table = Table::new(&[
            "boids",
            "state",
            "pass",
            "ms",
            "spread %",
            "of passes %",
            "MB",
            "GB/s",
            "of copy %",
            "Gop/s",
            "of arithmetic %",
        ]);
        for point in &self.points {
            let sum: f64 = point.passes.iter().map(|pass| pass.time.median).sum();
            for (k, pass) in point.passes.iter().enumerate() {
                let first = |text: String| if k == 0 { text } else { String::new() };
                let share = |which: usize| {
                    let of = |limits: &Limits| figures(100.0 * pass.shares(limits)[which]);
                    self.limits.as_ref().map_or("-".to_owned(), of)
                };
                // Sorting passes have no operations.
                let counted = |text| if pass.operations > 0 { text } else { "-".to_owned() };
                table.row([
                    first(point.boids.to_string()),
                    first(point.condition.name().to_owned()),
                    pass.name.to_owned(),
                    milliseconds(&pass.time),
                    spread(&pass.time),
                    figures(100.0 * pass.time.median / sum),
                    figures(pass.bytes as f64 / 1e6),
                    figures(pass.bandwidth() / 1e9),
                    share(0),
                    counted(figures(pass.rate() / 1e9)),
                    counted(share(1)),
                ]);
            }
        }
        table
    }

    fn largest(&self) -> String {
        let mut table = Table::new(&["largest flock", "state", "steps alone", "steps and pictures"]);
        let drawn = |drawn| move |rate: &&Rate| rate.drawn == drawn;
        for rate in self.rates.iter().filter(drawn(false)) {
            let with = self
                .rates
                .iter()
                .filter(drawn(true))
                .find(|other| (other.frames, other.condition) == (rate.frames, rate.condition));
            table.row([
                format!("{} a second", rate.frames),
                rate.condition.name().to_owned(),
                largest(rate.largest),
                with.map_or("not drawn".to_owned(), |rate| largest(rate.largest)),
            ]);
        }
        let how = "about: interpolated between the two sizes measured beside it, time as a power of size\n";
        let about = self.rates.iter().any(|rate| matches!(rate.largest, Largest::About(_)));
        format!("{table}{}", if about { how } else { "" })
    }
}

fn largest(largest: Largest) -> String {
    match largest {
        Largest::About(boids) => format!("about {}", rounded(boids)),
        Largest::MoreThan(boids) => format!("more than {boids}"),
        Largest::FewerThan(boids) => format!("fewer than {boids}"),
    }
}

/// Two significant digits: an interpolated number has no more.
pub(super) fn rounded(number: u32) -> u32 {
    let unit = 10_u32.pow(number.max(1).ilog10().saturating_sub(1));
    number / unit * unit
}

fn milliseconds(time: &Spread) -> String {
    figures(time.median / 1e6)
}

fn spread(time: &Spread) -> String {
    format!("{:.0}{}", 100.0 * time.width(), if time.unsteady() { " !" } else { "" })
}

/// Three significant digits, at most four of them after the point; integers in full.
pub fn figures(number: f64) -> String {
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

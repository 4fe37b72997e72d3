//! A profile as scaling curves: milliseconds per step against the number of boids.

use super::{ABOUT, Condition, Point, Profile, Rate, Spread, rounded};
use files::{Chart, Curve, Dot, Level, Mark, Panel, Scale};
use gpu::passes;

impl Profile {
    /// A panel for the start and one for the settled flock, each with a curve per pass, one for the whole step, and a
    /// level for each frame rate.
    pub fn chart(&self) -> Chart {
        let panels = [Condition::Start, Condition::Settled].into_iter().filter_map(|when| self.panel(when));
        let (subject, method) = (&self.subject, &self.method);
        let (flock, version) = (&subject.flock, env!("CARGO_PKG_VERSION"));
        let repeats = format!("medians of {} repeats of {} steps", method.repeats, method.steps);
        let captions = [
            Some(subject.engine.clone()),
            Some(subject.driver.clone()).filter(|driver| !driver.is_empty()),
            Some(format!("{flock}, {}-D; murmuration {version}", subject.dimensions)),
            Some(format!("{repeats}; bars: minimum and maximum of whole steps")),
            Some(format!("passes timed by {}", subject.clock.name())),
            self.stopped.as_ref().map(|why| format!("stopped: {why}")),
        ];
        Chart {
            title: format!("A step of {}", flock.trim_start_matches("preset ")),
            x: Scale { label: "boids".to_owned(), log: true, ..Scale::default() },
            y: Scale { label: "ms per step".to_owned(), log: true, ..Scale::default() },
            panels: panels.collect(),
            captions: captions.into_iter().flatten().collect(),
            ..Chart::default()
        }
    }

    fn panel(&self, condition: Condition) -> Option<Panel> {
        let mut points: Vec<&Point> =
            self.points.iter().filter(|point| point.condition == condition).collect();
        points.sort_unstable_by_key(|point| point.boids);
        if points.is_empty() {
            return None;
        }
        let curve = |name: &str, hue: Option<passes::Rgb>, time: &dyn Fn(&Point) -> Option<Spread>| {
            let dot = |point: &&Point| {
                let Spread { median, least, most } = time(point)?;
                let [y, least, most] = [median, least, most].map(|time| time / 1e6);
                Some(Dot { x: f64::from(point.boids), y, least, most })
            };
            // Hues are made for a dark background; whole steps have none, and bars.
            let hue = hue.map(|hue| hue.map(|part| (f64::from(part) * 0.82) as u8));
            let mark = if hue.is_some() { Mark::Dots } else { Mark::Bars };
            Curve { name: name.to_owned(), hue, mark, dots: points.iter().filter_map(dot).collect() }
        };
        let names = points.iter().flat_map(|point| &point.passes).map(|pass| pass.name);
        let pass = |(name, hue)| {
            let time = |point: &Point| Some(point.passes.iter().find(|pass| pass.name == name)?.time);
            curve(name, Some(hue), &time)
        };
        let mut curves: Vec<Curve> = passes::colours(names).into_iter().map(pass).collect();
        // The pass with the largest last value is drawn on top and listed first.
        let last = |curve: &Curve| curve.dots.last().map_or(0.0, |dot| dot.y);
        curves.sort_by(|a, b| last(a).total_cmp(&last(b)));
        curves.push(curve("whole step", None, &|point| Some(point.step)));
        let title = match condition {
            Condition::Start => "at the start",
            Condition::Settled => "settled",
        };
        Some(Panel { title: title.to_owned(), curves, levels: self.levels(condition), ..Panel::default() })
    }

    fn levels(&self, condition: Condition) -> Vec<Level> {
        let level = |rate: &Rate| {
            let (bound, boids) = (rate.bound, rate.boids);
            let name = format!("{} per second: {bound} {} boids", rate.frames, grouped(boids));
            let x = (bound == ABOUT).then_some(f64::from(boids));
            Level { y: 1e3 / f64::from(rate.frames), name, x }
        };
        self.rates.iter().filter(|rate| rate.condition == condition && !rate.drawn).map(level).collect()
    }
}

/// A number of boids, rounded as in the table, with spaces between thousands.
fn grouped(boids: u32) -> String {
    let digits = rounded(boids).to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn start_and_settled_stand_apart_with_a_line_a_pass_and_the_step() {
        let chart = profile().chart();
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["at the start", "settled"]);
        let names: Vec<_> = chart.panels[0].curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["order", "step", "whole step"]);
        let dots: Vec<_> = chart.panels[1].curves[2].dots.iter().map(|dot| (dot.x, dot.y)).collect();
        assert_eq!(dots, [(1000.0, 0.01), (10_000.0, 0.1)]);
        let mut start = profile();
        start.points.retain(|point| point.condition == Condition::Start);
        assert_eq!(start.chart().panels.len(), 1);
    }

    #[test]
    fn rates_are_marked_where_they_are_reached() {
        let chart = profile().chart();
        let levels: Vec<_> = chart.panels[0].levels.iter().map(|l| (l.name.as_str(), l.x)).collect();
        let about = ("60 per second: about 120 000 boids", Some(123_456.0));
        assert_eq!(levels, [about, ("30 per second: more than 200 000 boids", None)]);
        assert!(chart.panels[1].levels.is_empty());
        assert_eq!([7, 1234, 10_995_000].map(grouped), ["7", "1 200", "10 000 000"]);
        let captions = chart.captions.join("\n");
        assert!(captions.contains("driver 7") && captions.contains("2 repeats of 2 steps"), "{captions}");
    }
}

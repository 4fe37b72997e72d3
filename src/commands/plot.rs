//! `plot`: draws the measures of tables. The plan of a plot has its columns and its kind, with defaults for those that the
//! call leaves out.

mod charts;
mod tables;

use files::{Existing, Failure, Plot, Result};
use flock::parameters;

use self::tables::{FILE, Incomplete, Tables};
use super::{note, outputs};
use crate::cli::plot::{PlotKind, PlotOptions};

pub(super) fn plot(options: &PlotOptions) -> Result {
    for file in &options.files {
        outputs::check(&[], &[("-o", options.output.clone()), ("FILE", file.clone())])?;
    }
    outputs::keep_existing(&[("-o", options.output.clone())], options.yes)?;
    let plot = Plot::new(&options.output, Existing::replaced_if(options.yes))?;
    let tables = Tables::read(&options.files)?;
    let plan = Plan::new(options, &tables)?;
    plan.check_means(&tables)?;
    let mut chart = match plan.kind {
        PlotKind::Line | PlotKind::Series => charts::curves(&tables, &plan),
        PlotKind::Heat => charts::cells(&tables, &plan),
        PlotKind::Histogram => charts::histogram(&tables, &plan),
    }?;
    chart.captions.push(tables.names());
    for Incomplete { path, name, missing } in tables.incomplete() {
        note(Some(format!("{path}: {missing}")), options.quiet);
        chart.captions.push(format!("{name}: {missing}"));
    }
    plot.write(&chart)
}

/// The columns and the kind of a plot.
#[derive(Debug)]
struct Plan {
    pub kind: PlotKind,
    pub x: String,
    pub y: Vec<String>,
    pub by: Option<String>,
    pub facet: Option<String>,
    /// Varied keys that a value is a mean over.
    pub over: Vec<String>,
    /// Varied keys that are none of these: rows of a mean may not differ in them.
    pub rest: Vec<String>,
}

impl Plan {
    fn new(options: &PlotOptions, tables: &Tables) -> Result<Self> {
        let metrics = tables.metrics();
        let asked = [&options.x, &options.by, &options.facet];
        let free = tables.keys().filter(|key| asked.iter().all(|name| name.as_deref() != Some(key)));
        let mut free: Vec<&str> = free.collect();
        let kind = options.kind.unwrap_or(match metrics {
            true => PlotKind::Series,
            // Runs that differ in their seed only.
            false if options.x.is_none() && tables.keys().next().is_none() => PlotKind::Histogram,
            false => PlotKind::Line,
        });
        let measures = tables.measures();
        let measure = |k: usize| measures.get(k).copied().map(str::to_owned);
        let x = options.x.clone().or_else(|| match kind {
            PlotKind::Series => Some("step".to_owned()),
            PlotKind::Histogram => options.y.first().cloned().or_else(|| measure(0)),
            PlotKind::Line if metrics => Some("step".to_owned()),
            PlotKind::Line | PlotKind::Heat => {
                // Words have no place along an axis.
                let at = free.iter().position(|key| tables.numbers(key));
                (!free.is_empty()).then(|| free.remove(at.unwrap_or(0)).to_owned())
            }
        });
        let mut free = free.into_iter();
        let x = x.ok_or_else(|| Failure::usage("-x NAME is required: the table has no varied parameter"))?;
        let mut y = options.y.clone();
        if y.is_empty() {
            let both = ["polarization", "milling"].into_iter().filter(|name| measures.contains(name));
            y.extend(both.filter(|_| kind == PlotKind::Series).map(str::to_owned));
        }
        if y.is_empty() {
            y.extend(measures.iter().find(|name| **name != x).map(|name| (*name).to_owned()));
        }
        if let Some((_, twice)) = y.iter().enumerate().find(|(k, name)| y[..*k].contains(name)) {
            // Its rows would count twice in a mean.
            return Err(Failure::usage(format!("duplicate -y {twice}")));
        }
        let second = || match kind {
            PlotKind::Series if tables.several() => Some(FILE.to_owned()),
            PlotKind::Series => free.find(|key| *key == "group").map(str::to_owned),
            PlotKind::Histogram => None,
            PlotKind::Heat => free.next().map(str::to_owned),
            // Keys that were varied together with x tell nothing more.
            PlotKind::Line => free
                .find(|key| tables.vary_apart(&x, key))
                .or_else(|| Some(FILE).filter(|_| tables.several()))
                .map(str::to_owned),
        };
        let by = options.by.clone().or_else(second);
        if kind == PlotKind::Heat && by.is_none() {
            let why = "--kind heat requires --by NAME, the column along the y axis";
            return Err(Failure::usage(why));
        }
        if y.is_empty() && kind != PlotKind::Histogram {
            return Err(Failure::usage("-y NAME is required: the table has no measure"));
        }
        let over = options.mean_over.clone();
        let named = |key: &str| {
            let one = [&by, &options.facet].iter().any(|name| name.as_deref() == Some(key));
            key == x || one || over.iter().any(|name| name == key)
        };
        // Without a seed column the runs of a table may belong to several settings.
        let runs = Some("run").filter(|_| !tables.has("seed") && tables.has("run") && metrics);
        // The samples of a run are not independent rows.
        let samples = Some("step").filter(|_| metrics);
        let rest =
            tables.keys().chain(runs).chain(samples).filter(|key| !named(key)).map(str::to_owned).collect();
        Ok(Plan { kind, facet: options.facet.clone(), over, rest, x, y, by })
    }

    /// The columns that rows are split by: into panels, and there into curves.
    fn split(&self) -> [&Option<String>; 2] {
        [&self.facet, &self.by]
    }

    /// Refuses means over rows that differ in a varied key, unless the call asks for them.
    fn check_means(&self, tables: &Tables) -> Result {
        if self.kind == PlotKind::Histogram {
            return Ok(());
        }
        tables.check_names(&self.over)?;
        if self.split().iter().all(|name| name.as_deref() != Some(FILE)) {
            tables.check_apart()?;
        }
        let place: Vec<&str> =
            self.facet.iter().chain(&self.by).chain([&self.x]).map(String::as_str).collect();
        let Some(key) = tables.differing(&place, &self.rest)? else { return Ok(()) };
        let x = &self.x;
        let why = format!("{}: rows with the same {x} differ in {key}", tables.paths());
        Err(Failure::usage(why)
            .hint(format!("add --by {key}, --facet {key}, or --mean-over {key} to average")))
    }
}

/// A column's name with its unit, where that is known.
fn label(name: &str) -> String {
    let angles = ["heading", "climb", "heading_error", "tilt"];
    let name =
        name.strip_suffix("_mean").filter(|name| !matches!(*name, "nearest" | "neighbours")).unwrap_or(name);
    let unit = match parameters::find(name) {
        Some(parameter) => parameter.unit,
        None if angles.contains(&name) => "degrees",
        None => "",
    };
    if unit.is_empty() || name.ends_with(unit) { name.to_owned() } else { format!("{name} ({unit})") }
}

/// A number by at most nine digits, so that what rounding adds does not show.
fn plain(number: f64) -> String {
    format!("{number:.8e}").parse::<f64>().unwrap_or(number).to_string()
}

/// The values of a column that names curves or panels: by number, else in the order of the rows.
fn values<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = std::collections::HashSet::new();
    let mut values: Vec<String> = labels.filter(|label| known.insert(*label)).map(str::to_owned).collect();
    let numbers = values.iter().map(|value| value.parse());
    if let Ok(numbers) = numbers.collect::<Result<Vec<f64>, _>>() {
        let mut pairs: Vec<_> = numbers.into_iter().zip(values).collect();
        pairs.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        values = pairs.into_iter().map(|(_, value)| value).collect();
    }
    values
}

/// True if values look evenly spaced by their logarithm rather than by themselves. They are sorted and distinct.
fn geometric(values: &[f64]) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
    if values.len() < 3 || *first <= 0.0 || last / first < 20.0 {
        return false;
    }
    let uneven = |of: fn(f64) -> f64| {
        let gaps = values.windows(2).map(|pair| of(pair[1]) - of(pair[0]));
        let (least, most) = gaps.fold((f64::INFINITY, 0.0_f64), |(a, b), gap| (a.min(gap), b.max(gap)));
        most / least
    };
    uneven(f64::ln) < uneven(|value| value)
}

/// The distinct values in ascending order.
fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_numbers_and_words_stay_in_their_order() {
        assert_eq!(values(["10", "9", "1e2", "9"].into_iter()), ["9", "10", "1e2"]);
        assert_eq!(values(["wrap", "open", "wrap"].into_iter()), ["wrap", "open"]);
        assert_eq!(plain(0.1 + 0.2), "0.3");
    }

    #[test]
    fn values_that_double_are_geometric_and_even_steps_are_not() {
        assert!(geometric(&[40.0, 100.0, 400.0, 4000.0]) && geometric(&[0.01, 0.1, 1.0]));
        let even: Vec<f64> = (1..50).map(f64::from).collect();
        assert!(!geometric(&even) && !geometric(&[0.0, 10.0, 100.0]) && !geometric(&[1.0, 2.0, 4.0]));
    }

    #[test]
    fn labels_have_units_where_they_are_known() {
        assert_eq!(label("separation.angle"), "separation.angle (degrees)");
        assert_eq!(
            ["flock.boids", "heading", "nearest_mean_mean", "nearest_mean"].map(label),
            ["flock.boids", "heading (degrees)", "nearest_mean", "nearest_mean"]
        );
    }
}

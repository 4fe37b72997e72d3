//! The columns and the kind of a plot, with defaults for those that the call leaves out.

use super::tables::{FILE, Tables};
use crate::cli::plot::{PlotKind, PlotOptions};
use files::{Failure, Result};

/// The columns and the kind of a plot.
#[derive(Debug)]
pub(super) struct Plan {
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
    pub fn new(options: &PlotOptions, tables: &Tables) -> Result<Self> {
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
    pub fn split(&self) -> [&Option<String>; 2] {
        [&self.facet, &self.by]
    }

    /// Refuses means over rows that differ in a varied key, unless the call asks for them.
    pub fn check_means(&self, tables: &Tables) -> Result {
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

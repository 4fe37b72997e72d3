//! The charts: curves of means, values over time, heat maps as phase diagrams are, and histograms of a measure.

use std::collections::{BTreeMap, BTreeSet};

use super::tables::{PlotRow, Tables};
use super::{Plan, distinct, geometric, label, plain, values};
use crate::cli::plot::PlotKind;
use files::{Cell, Chart, Curve, Dot, Failure, Mark, Panel, Result, Scale, round_step, series_colour};
use study::{Interval, Method, interval};

/// Maximum number of names that fit next to a panel, and of panels.
const CURVES: usize = 18;
const PANELS: usize = 12;

/// Curves of means, or values over time.
pub(super) fn curves(tables: &Tables, plan: &Plan) -> Result<Chart> {
    let mut rows = Vec::new();
    for measure in &plan.y {
        rows.extend(tables.rows(plan.split(), Some(&plan.x), measure)?);
    }
    let several = plan.y.len() > 1;
    if several && plan.by.is_none() {
        rows.iter_mut().for_each(|row| row.by = row.measure.to_owned());
    }
    let facets = facets(plan, &rows)?;
    let names = names(plan, &rows)?;
    rows.sort_by(|a, b| {
        let order = (a.measure, &a.facet, &a.by).cmp(&(b.measure, &b.facet, &b.by));
        order.then(a.x.total_cmp(&b.x))
    });
    // Several measures of several curves have a panel each.
    let split = several && plan.by.is_some();
    let measures = if split { plan.y.iter().map(Some).collect() } else { vec![None] };
    let mark = if plan.kind == PlotKind::Series { Mark::Band } else { Mark::Bars };
    let mut panels = Vec::new();
    for facet in &facets {
        for measure in &measures {
            let titles = [measure.map(|measure| label(measure)), facet_title(plan, facet)];
            let mine =
                |row: &&PlotRow<'_>| row.facet == *facet && measure.is_none_or(|name| row.measure == name);
            let dots = |name: &str| {
                let curve: Vec<_> = rows.iter().filter(mine).filter(|row| row.by == name).collect();
                curve.chunk_by(|a, b| a.x == b.x).map(dot).collect()
            };
            let title = titles.into_iter().flatten().collect::<Vec<_>>().join(", ");
            panels.push(panel(title, &names, mark, dots));
        }
    }
    let log = plan.kind == PlotKind::Line && geometric(&distinct(rows.iter().map(|row| row.x)));
    Ok(Chart {
        title: format!("{} against {}", plan.y.join(if plan.y.len() > 2 { ", " } else { " and " }), plan.x),
        x: Scale { label: label(&plan.x), log, ..Scale::default() },
        y: Scale { label: if several { String::new() } else { label(&plan.y[0]) }, ..Scale::default() },
        own_y: split,
        panels,
        legend: plan.by.as_deref().map(label).unwrap_or_default(),
        captions: captions(plan, &rows, mark),
        ..Chart::default()
    })
}

/// The panels' values.
fn facets(plan: &Plan, rows: &[PlotRow<'_>]) -> Result<Vec<String>> {
    limited("--facet", plan.facet.as_deref(), values(rows.iter().map(|row| row.facet.as_str())), PANELS)
}

/// The curves' values.
fn names(plan: &Plan, rows: &[PlotRow<'_>]) -> Result<Vec<String>> {
    limited("--by", plan.by.as_deref(), values(rows.iter().map(|row| row.by.as_str())), CURVES)
}

/// The values of an option's column, if they are few enough.
fn limited(option: &str, name: Option<&str>, values: Vec<String>, most: usize) -> Result<Vec<String>> {
    match name {
        Some(name) if values.len() > most => {
            let count = values.len();
            let why = format!("{option} {name} has {count} values; a plot can show {most}");
            Err(Failure::usage(why).hint("use --kind heat for any number of values"))
        }
        _ => Ok(values),
    }
}

fn facet_title(plan: &Plan, value: &str) -> Option<String> {
    plan.facet.as_ref().map(|name| format!("{name} = {value}"))
}

/// A panel with a curve for each name. The curve that is drawn last is named first.
fn panel(title: String, names: &[String], mark: Mark, dots: impl Fn(&str) -> Vec<Dot>) -> Panel {
    let hue = |k| Some(series_colour(k, names.len()));
    let curves = names.iter().enumerate();
    let curves = curves.map(|(k, name)| Curve { name: name.clone(), hue: hue(k), mark, dots: dots(name) });
    Panel { title, curves: curves.rev().collect(), ..Panel::default() }
}

/// The mean of rows at one x, or the row's own interval where there is one row.
fn dot(rows: &[&PlotRow<'_>]) -> Dot {
    if let [PlotRow { x, y, least, most, .. }] = *rows {
        return Dot { x: *x, y: *y, least: *least, most: *most };
    }
    let all: Vec<f64> = rows.iter().map(|row| row.y).collect();
    let Interval { mean: y, low: least, high: most, .. } = interval(rows[0].measure, &all);
    Dot { x: rows[0].x, y, least, most }
}

/// Captions that explain a point and its bar.
fn captions(plan: &Plan, rows: &[PlotRow<'_>], mark: Mark) -> Vec<String> {
    let rows: Vec<_> = rows.iter().filter(|row| row.measure == plan.y[0]).collect();
    let (mut least, mut most) = (usize::MAX, 0);
    for point in rows.chunk_by(|a, b| a.facet == b.facet && a.by == b.by && a.x == b.x) {
        least = least.min(point.len());
        most = most.max(point.len());
    }
    let shape = if mark == Mark::Band { "bands" } else { "bars" };
    let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let mut captions = Vec::new();
    if most > 1 {
        let mut methods = BTreeSet::new();
        for name in &plan.y {
            for size in [least.max(2), most] {
                methods.insert(interval(name, &vec![0.0; size]).method);
            }
        }
        let words: Vec<_> = methods.into_iter().map(Method::words).collect();
        captions.push(format!("means of {count} rows; {shape}: 95 % confidence by {}", words.join(" and ")));
        if !plan.over.is_empty() {
            captions.push(format!("also means over {}", plan.over.join(", ")));
        }
    } else if rows.iter().any(|row| row.least < row.most) {
        captions.push(format!("{shape}: 95 % confidence"));
    }
    captions
}

/// A heat map.
pub(super) fn cells(tables: &Tables, plan: &Plan) -> Result<Chart> {
    let [measure] = plan.y.as_slice() else {
        return Err(Failure::usage("--kind heat requires exactly one -y NAME, the measure shown as colour"));
    };
    let up = plan.by.as_deref().unwrap_or_default();
    let rows = tables.rows(plan.split(), Some(&plan.x), measure)?;
    let facets = facets(plan, &rows)?;
    let placed = rows.into_iter().map(|row| Ok((place(up, &row)?, row)));
    let mut cells = placed.collect::<Result<Vec<_>>>()?;
    cells.sort_by(|(a, p), (b, q)| p.facet.cmp(&q.facet).then(a.total_cmp(b)).then(p.x.total_cmp(&q.x)));
    let across = distinct(cells.iter().map(|(_, row)| row.x));
    let along = distinct(cells.iter().map(|(place, _)| *place));
    let (log_x, log_y) = (geometric(&across), geometric(&along));
    let (sides_x, sides_y) = (sides(&across, log_x), sides(&along, log_y));
    let side = |all: &[f64], sides: &[[f64; 2]], value: f64| sides[all.partition_point(|one| *one < value)];
    let cell = |group: &[(f64, PlotRow<'_>)]| {
        let (place, row) = &group[0];
        let (x, y) = (side(&across, &sides_x, row.x), side(&along, &sides_y, *place));
        Cell { x, y, value: group.iter().map(|(_, row)| row.y).sum::<f64>() / group.len() as f64 }
    };
    let groups = cells.chunk_by(|(a, p), (b, q)| p.facet == q.facet && a == b && p.x == q.x);
    let panel = |facet: &String| {
        let mine = groups.clone().filter(|group| group[0].1.facet == *facet);
        let title = facet_title(plan, facet).unwrap_or_default();
        Panel { title, cells: mine.map(cell).collect(), ..Panel::default() }
    };
    let mut captions = Vec::new();
    if groups.clone().count() < cells.len() {
        let over: String = plan.over.iter().map(|name| format!(", also over {name}")).collect();
        captions.push(format!("each cell: the mean of its rows{over}"));
    }
    Ok(Chart {
        title: format!("{measure} over {} and {up}", plan.x),
        x: Scale { label: label(&plan.x), log: log_x, ticks: ticks(&across) },
        y: Scale { label: label(up), log: log_y, ticks: ticks(&along) },
        panels: facets.iter().map(panel).collect(),
        colours: label(measure),
        captions,
        ..Chart::default()
    })
}

/// The place along the y axis, which is a number, too.
fn place(up: &str, row: &PlotRow<'_>) -> Result<f64> {
    let place = row.by.parse::<f64>().ok().filter(|place| place.is_finite());
    place.ok_or_else(|| {
        Failure::usage(format!("--kind heat requires numbers in the column {up}, not '{}'", row.by))
    })
}

/// A tick at each value, where they fit.
fn ticks(values: &[f64]) -> Vec<(f64, String)> {
    let few = values.len() <= 12;
    values.iter().filter(|_| few).map(|value| (*value, plain(*value))).collect()
}

/// The sides of the cells about sorted values: halfway between neighbours, and as far out at the ends.
fn sides(values: &[f64], log: bool) -> Vec<[f64; 2]> {
    let [to, from]: [fn(f64) -> f64; 2] = if log { [f64::ln, f64::exp] } else { [|v| v, |v| v] };
    let at: Vec<f64> = values.iter().map(|value| to(*value)).collect();
    let gap = |k: usize| 0.5 * (at[k + 1] - at[k]);
    let last = at.len() - 1;
    let half = |k: usize| match last {
        0 => 0.5,
        _ => gap(k.min(last - 1)),
    };
    let side = |k: usize| [at[k] - half(k.saturating_sub(1)), at[k] + half(k)].map(from);
    (0..at.len()).map(side).collect()
}

/// Minimum and maximum number of columns.
const COLUMNS: [f64; 2] = [5.0, 40.0];

/// A histogram of a measure.
pub(super) fn histogram(tables: &Tables, plan: &Plan) -> Result<Chart> {
    let rows = tables.rows(plan.split(), None, &plan.x)?;
    let (facets, names) = (facets(plan, &rows)?, names(plan, &rows)?);
    let width = width(rows.iter().map(|row| row.y).collect());
    let of_facet = |facet: &String| {
        let dots = |name: &str| {
            let mine = rows.iter().filter(|row| row.facet == *facet && row.by == name);
            columns(mine.map(|row| row.y), width)
        };
        panel(facet_title(plan, facet).unwrap_or_default(), &names, Mark::Columns, dots)
    };
    Ok(Chart {
        title: format!("Histogram of {}", plan.x),
        x: Scale { label: label(&plan.x), ..Scale::default() },
        y: Scale { label: "rows".to_owned(), ..Scale::default() },
        panels: facets.iter().map(of_facet).collect(),
        legend: plan.by.as_deref().map(label).unwrap_or_default(),
        captions: vec![format!("{} rows", rows.len())],
        ..Chart::default()
    })
}

/// The width of a column by the rule of Freedman and Diaconis (1981), 2 (quartile 3 − quartile 1) / ∛n, made round.
fn width(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    let range = at(1.0) - at(0.0);
    if range == 0.0 {
        return round_step(0.1 * at(0.0).abs().max(1e-3));
    }
    let rule = 2.0 * (at(0.75) - at(0.25)) / (values.len() as f64).cbrt();
    let [fewest, most] = COLUMNS;
    round_step(rule.clamp(range / most, range / fewest))
}

/// The numbers of values in columns that begin at multiples of their width, from the first that has one to the last.
fn columns(values: impl Iterator<Item = f64>, width: f64) -> Vec<Dot> {
    let values: Vec<f64> = values.collect();
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let top = (most / width - 1e-9).ceil() as i64 - 1;
    let mut counts = BTreeMap::<i64, u32>::new();
    for value in values {
        // A value at a side, up to rounding, belongs above it; the greatest below it.
        *counts.entry(((value / width + 1e-9).floor() as i64).min(top)).or_default() += 1;
    }
    let (Some(first), Some(last)) = (counts.keys().next(), counts.keys().next_back()) else {
        return Vec::new();
    };
    let column = |k: i64| {
        let side = |k: i64| k as f64 * width;
        let count = counts.get(&k).copied().unwrap_or(0);
        Dot { x: 0.5 * (side(k) + side(k + 1)), y: count.into(), least: side(k), most: side(k + 1) }
    };
    (*first..=*last).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_meet_halfway() {
        assert_eq!(sides(&[0.0, 1.0, 4.0], false), [[-0.5, 0.5], [0.5, 2.5], [2.5, 5.5]]);
        assert_eq!(sides(&[7.0], false), [[6.5, 7.5]]);
        let log = sides(&[1.0, 100.0], true);
        assert!((log[0][1] - 10.0).abs() < 1e-9 && (log[1][1] - 1000.0).abs() < 1e-6, "{log:?}");
    }

    #[test]
    fn columns_are_round_and_count_every_value() {
        let values: Vec<f64> = (0..100).map(|k| f64::from(k) / 100.0).collect();
        assert_eq!(width(values.clone()), 0.2);
        let dots = columns(values.into_iter(), 0.2);
        assert_eq!(dots.iter().map(|dot| dot.y).collect::<Vec<_>>(), [20.0; 5]);
        assert!((dots[1].least - 0.2).abs() < 1e-12 && (dots[4].most - 1.0).abs() < 1e-12);
        let gap = columns([0.1, 2.9].into_iter(), 1.0);
        assert_eq!(gap.iter().map(|dot| dot.y).collect::<Vec<_>>(), [1.0, 0.0, 1.0]);
        let ends: Vec<Dot> = columns([0.0, 1.0, 1.0].into_iter(), 0.5);
        assert_eq!(ends.iter().map(|dot| (dot.most, dot.y)).collect::<Vec<_>>(), [(0.5, 1.0), (1.0, 2.0)]);
        assert!(width(vec![3.0; 7]) > 0.0 && width(vec![0.0]) > 0.0);
    }
}

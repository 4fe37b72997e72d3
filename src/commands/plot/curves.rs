//! Curves of means, and values over time.

use std::collections::BTreeSet;

use super::tables::{PlotRow, Tables};
use super::{Plan, distinct, geometric, label, values};
use crate::cli::plot::PlotKind;
use files::{Chart, Curve, Dot, Failure, Mark, Panel, Result, Scale, series_colour};
use study::{Interval, Method, interval};

/// Maximum number of names that fit next to a panel, and of panels.
const CURVES: usize = 18;
const PANELS: usize = 12;

pub(super) fn chart(tables: &Tables, plan: &Plan) -> Result<Chart> {
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
pub(super) fn facets(plan: &Plan, rows: &[PlotRow<'_>]) -> Result<Vec<String>> {
    limited("--facet", plan.facet.as_deref(), values(rows.iter().map(|row| row.facet.as_str())), PANELS)
}

/// The curves' values.
pub(super) fn names(plan: &Plan, rows: &[PlotRow<'_>]) -> Result<Vec<String>> {
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

pub(super) fn facet_title(plan: &Plan, value: &str) -> Option<String> {
    plan.facet.as_ref().map(|name| format!("{name} = {value}"))
}

/// A panel with a curve for each name. The curve that is drawn last is named first.
pub(super) fn panel(title: String, names: &[String], mark: Mark, dots: impl Fn(&str) -> Vec<Dot>) -> Panel {
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

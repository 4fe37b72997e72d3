//! Curves of means, and values over time.

use super::plan::Plan;
use super::tables::{Names, Row, Tables};
use super::values::{distinct, geometric, label, values};
use crate::cli::plot::PlotKind;
use lab::study::{Interval, Method, interval};
use report::failure::Failure;
use report::{Chart, Curve, Dot, Mark, Panel, Scale, series_colour};

/// The most names that fit beside a panel, and the most panels.
const CURVES: usize = 18;
pub(super) const PANELS: usize = 12;

pub(super) fn chart(tables: &Tables, plan: &Plan) -> Result<Chart, Failure> {
    let layers = layers(tables, plan)?;
    let all = || layers.iter().flat_map(|(_, rows)| rows);
    let (facets, bys) = names(plan, all())?;
    // Several measures of several curves have a panel each.
    let split = layers.len() > 1 && plan.by.is_some();
    let mark = if plan.kind == PlotKind::Series { Mark::Band } else { Mark::Bars };
    let mut panels = Vec::new();
    for facet in &facets {
        let of = |rows: &'_ [Row], by: Option<&str>| -> Vec<Row> {
            let mine = |row: &&Row| row.facet == *facet && by.is_none_or(|by| row.by == by);
            rows.iter().filter(mine).cloned().collect()
        };
        let curve = |measure: &str, name: &str, index: usize, count: usize, rows: Vec<Row>| Curve {
            name: name.to_owned(),
            hue: Some(series_colour(index, count)),
            mark,
            dots: dots(measure, rows),
        };
        let by_value = |measure: &str, rows: &[Row]| {
            let curves = bys.iter().enumerate();
            curves.map(|(k, by)| curve(measure, by, k, bys.len(), of(rows, Some(by)))).collect::<Vec<_>>()
        };
        let title = facet_title(plan, facet);
        match (split, layers.as_slice()) {
            (true, layers) => panels.extend(layers.iter().map(|(name, rows)| {
                let title = if title.is_empty() { label(name) } else { format!("{}, {title}", label(name)) };
                panel(title, by_value(name, rows))
            })),
            (false, [(name, rows)]) => panels.push(panel(title, by_value(name, rows))),
            (false, layers) => {
                let curves = layers.iter().enumerate();
                let curves =
                    curves.map(|(k, (name, rows))| curve(name, name, k, layers.len(), of(rows, None)));
                panels.push(panel(title, curves.collect()));
            }
        }
    }
    let y = if layers.len() == 1 { label(&plan.y[0]) } else { String::new() };
    let log = plan.kind == PlotKind::Line && geometric(&distinct(all().map(|row| row.x)));
    Ok(Chart {
        title: format!("{} against {}", plan.y.join(if plan.y.len() > 2 { ", " } else { " and " }), plan.x),
        x: Scale { label: label(&plan.x), log, ..Scale::default() },
        y: Scale { label: y, ..Scale::default() },
        own_y: split,
        panels,
        legend: plan.by.as_deref().map(label).unwrap_or_default(),
        captions: captions(plan, &layers, mark),
        ..Chart::default()
    })
}

/// The rows of each measure.
fn layers<'a>(tables: &Tables, plan: &'a Plan) -> Result<Vec<(&'a str, Vec<Row>)>, Failure> {
    let (facet, by) = (plan.facet.as_deref(), plan.by.as_deref());
    let rows = |y: &'a String| Ok((y.as_str(), tables.rows(Names { facet, by, x: Some(&plan.x), y })?));
    plan.y.iter().map(rows).collect()
}

/// The panels' and the curves' values.
pub(super) fn names<'a>(
    plan: &Plan,
    rows: impl Iterator<Item = &'a Row> + Clone,
) -> Result<(Vec<&'a str>, Vec<&'a str>), Failure> {
    let facets = values(rows.clone().map(|row| row.facet.as_str()));
    let bys = values(rows.map(|row| row.by.as_str()));
    Ok((
        limited("--facet", plan.facet.as_deref(), facets, PANELS)?,
        limited("--by", plan.by.as_deref(), bys, CURVES)?,
    ))
}

/// The values, if they are few enough.
pub(super) fn limited<'a>(
    option: &str,
    name: Option<&str>,
    values: Vec<&'a str>,
    most: usize,
) -> Result<Vec<&'a str>, Failure> {
    if values.len() <= most {
        return Ok(values);
    }
    let (name, count) = (name.unwrap_or_default(), values.len());
    let why = format!("{option} {name}: it has {count} values: allowed are at most {most}");
    Err(Failure::usage(why).hint("--kind heat shows any number along its axes"))
}

pub(super) fn facet_title(plan: &Plan, value: &str) -> String {
    plan.facet.as_ref().map_or_else(String::new, |name| format!("{name} = {value}"))
}

/// The curve that is drawn last is named first.
pub(super) fn panel(title: String, mut curves: Vec<Curve>) -> Panel {
    curves.reverse();
    Panel { title, curves, ..Panel::default() }
}

/// A dot for each x: the mean of its rows, or the row's own interval where there is one row.
fn dots(measure: &str, mut rows: Vec<Row>) -> Vec<Dot> {
    rows.sort_by(|a, b| a.x.total_cmp(&b.x));
    let dot = |rows: &[Row]| {
        let all: Vec<f64> = rows.iter().map(|row| row.y).collect();
        match rows {
            [row] => Dot { x: row.x, y: row.y, least: row.least, most: row.most },
            rows => {
                let Interval { mean: y, low: least, high: most, .. } = interval(measure, &all);
                Dot { x: rows[0].x, y, least, most }
            }
        }
    };
    rows.chunk_by(|a, b| a.x == b.x).map(dot).collect()
}

/// What a point and its bar are.
fn captions(plan: &Plan, layers: &[(&str, Vec<Row>)], mark: Mark) -> Vec<String> {
    let rows = &layers[0].1;
    let mut sorted: Vec<&Row> = rows.iter().collect();
    let key = |row: &Row| (row.facet.clone(), row.by.clone());
    sorted.sort_by(|a, b| key(a).cmp(&key(b)).then(a.x.total_cmp(&b.x)));
    let sizes = sorted.chunk_by(|a, b| key(a) == key(b) && a.x == b.x).map(<[&Row]>::len);
    let (least, most) = sizes.fold((usize::MAX, 0), |(a, b), size| (a.min(size), b.max(size)));
    let shape = if mark == Mark::Band { "bands" } else { "bars" };
    let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let mut captions = Vec::new();
    if most > 1 {
        let sizes = [least.max(2), most];
        let method = |name: &str, size: usize| interval(name, &vec![0.0; size]).method;
        let methods = layers.iter().flat_map(|(name, _)| sizes.map(|size| method(name, size)));
        let methods: std::collections::BTreeSet<Method> = methods.collect();
        let methods: Vec<&str> = methods.into_iter().map(Method::words).collect();
        captions
            .push(format!("means of {count} rows; {shape}: 95 % confidence by {}", methods.join(" and ")));
    } else if rows.iter().any(|row| row.least < row.most) {
        captions.push(format!("{shape}: 95 % confidence"));
    }
    if !plan.over.is_empty() && most > 1 {
        captions.push(format!("means over {}, too", plan.over.join(", ")));
    }
    captions
}

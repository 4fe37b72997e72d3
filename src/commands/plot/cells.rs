//! Heat maps, as phase diagrams are.

use super::curves::{PANELS, facet_title, limited};
use super::plan::Plan;
use super::tables::{Names, Row, Tables};
use super::values::{distinct, geometric, label, plain, values};
use report::failure::Failure;
use report::{Cell, Chart, Panel, Scale};

pub(super) fn chart(tables: &Tables, plan: &Plan) -> Result<Chart, Failure> {
    let [measure] = plan.y.as_slice() else {
        return Err(Failure::usage("--kind heat: -y: allowed is one NAME, the colour"));
    };
    let up = plan.by.as_deref().unwrap_or_default();
    let names = |y| Names { facet: plan.facet.as_deref(), by: Some(up), x: Some(&plan.x), y };
    let rows = tables.rows(names(measure))?;
    // The place along the y axis is a number, too.
    let mut places = Vec::new();
    for row in &rows {
        let place = row.by.parse::<f64>().ok().filter(|place| place.is_finite());
        places.push(place.ok_or_else(|| {
            Failure::usage(format!("--kind heat --by {up}: '{}': allowed are columns of numbers", row.by))
        })?);
    }
    let across = distinct(rows.iter().map(|row| row.x));
    let along = distinct(places.iter().copied());
    let (log_x, log_y) = (geometric(&across), geometric(&along));
    let (sides_x, sides_y) = (sides(&across, log_x), sides(&along, log_y));
    let panel = |facet: &str| {
        let mut mine: Vec<(f64, &Row)> =
            places.iter().copied().zip(&rows).filter(|(_, row)| row.facet == facet).collect();
        mine.sort_by(|(a, p), (b, q)| a.total_cmp(b).then(p.x.total_cmp(&q.x)));
        let side =
            |all: &[f64], sides: &[[f64; 2]], value: f64| sides[all.partition_point(|one| *one < value)];
        let cell = |group: &[(f64, &Row)]| {
            let values: Vec<f64> = group.iter().map(|(_, row)| row.y).collect();
            let (place, row) = group[0];
            let (x, y) = (side(&across, &sides_x, row.x), side(&along, &sides_y, place));
            Cell { x, y, value: values.iter().sum::<f64>() / values.len() as f64 }
        };
        let cells = mine.chunk_by(|(a, p), (b, q)| a == b && p.x == q.x).map(cell).collect();
        Panel { title: facet_title(plan, facet), cells, ..Panel::default() }
    };
    let facets = values(rows.iter().map(|row| row.facet.as_str()));
    let facets = limited("--facet", plan.facet.as_deref(), facets, PANELS)?;
    let panels: Vec<Panel> = facets.into_iter().map(panel).collect();
    let most = panels.iter().map(|panel| panel.cells.len()).sum::<usize>();
    let mut captions = Vec::new();
    if most < rows.len() {
        let over: String = plan.over.iter().map(|name| format!(", over {name}, too")).collect();
        captions.push(format!("a cell: the mean of its rows{over}"));
    }
    Ok(Chart {
        title: format!("{measure} over {} and {up}", plan.x),
        x: Scale { label: label(&plan.x), log: log_x, ticks: ticks(&across) },
        y: Scale { label: label(up), log: log_y, ticks: ticks(&along) },
        panels,
        colours: label(measure),
        captions,
        ..Chart::default()
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
}

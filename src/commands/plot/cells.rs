//! Heat maps, as phase diagrams are.

use super::curves::{facet_title, facets};
use super::tables::{PlotRow, Tables};
use super::{Plan, distinct, geometric, label, plain};
use files::{Cell, Chart, Failure, Panel, Result, Scale};

pub(super) fn chart(tables: &Tables, plan: &Plan) -> Result<Chart> {
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

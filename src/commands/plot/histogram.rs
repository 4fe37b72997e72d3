//! Histograms of a measure.

use super::curves::{facet_title, facets, names, panel};
use super::tables::Tables;
use super::{Plan, label};
use files::{Chart, Dot, Mark, Result, Scale, round_step};

/// Minimum and maximum number of columns.
const COLUMNS: [f64; 2] = [5.0, 40.0];

pub(super) fn chart(tables: &Tables, plan: &Plan) -> Result<Chart> {
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
    let mut counts = std::collections::BTreeMap::<i64, u32>::new();
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

//! Names and values as a plot shows them.

use flock::parameters;

/// A column's name with its unit, where that is known.
pub(super) fn label(name: &str) -> String {
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
pub(super) fn plain(number: f64) -> String {
    format!("{number:.8e}").parse::<f64>().unwrap_or(number).to_string()
}

/// The values of a column that names curves or panels: by number, else in the order of the rows.
pub(super) fn values<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<String> {
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
pub(super) fn geometric(values: &[f64]) -> bool {
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
pub(super) fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
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

//! The range of a slider: a parameter's allowed range is far wider than what is worth trying.

use std::ops::RangeInclusive;

use flock::parameters::{Parameter, Value, ValueKind};

/// The range of a slider.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    pub range: RangeInclusive<f64>,
    pub logarithmic: bool,
    /// The smallest step above zero on a logarithmic slider.
    pub smallest: f64,
}

/// The slider of a parameter whose preset value is `base`, in a world of this extent.
///
/// It depends on the preset and not on the current value, so that it stays the same during a drag.
#[must_use]
pub fn reach(parameter: &Parameter, base: &Value, extent: f64) -> Option<Reach> {
    let (min, max) = match parameter.kind {
        ValueKind::Real { min, max } => (min, max),
        ValueKind::Count { min, max } => (f64::from(min), f64::from(max)),
        _ => return None,
    };
    let base = match base {
        Value::Real(base) => *base,
        Value::Count(base) => f64::from(*base),
        _ => return None,
    };
    let linear = |low: f64, high: f64| Reach { range: low..=high, logarithmic: false, smallest: 0.0 };
    if max - min <= 200.0 && min < 0.0 {
        // Symmetric about zero, such as inertia.
        let high = (2.0 * base.abs()).clamp(1.0, max);
        return Some(linear(min.max(-high), high));
    }
    if max == 180.0 || max - min <= 64.0 && max > 1.0 {
        return Some(linear(min, max));
    }
    if (min, max) == (0.0, 1.0) && (base == 0.0 || base >= 0.05) {
        return Some(linear(0.0, 1.0));
    }
    // From a thousandth of the preset to twenty times it; a preset of zero is replaced by a usual value of its unit.
    let usual = match parameter.unit {
        "length" => 0.1 * extent,
        "steps" => 100.0,
        _ => 1.0,
    };
    let middle = if base == 0.0 { usual } else { base.abs() };
    let high = (if parameter.unit == "length" { (10.0 * middle).min(2.0 * extent) } else { 20.0 * middle })
        .max(2.0 * base.abs())
        .min(max);
    Some(Reach { range: min.max(0.0)..=high, logarithmic: true, smallest: 1e-3 * middle })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::parameters::{PARAMETERS, Parameters};

    #[test]
    fn every_slider_reaches_its_default_and_stays_in_the_range() {
        let parameters = Parameters::default();
        for parameter in PARAMETERS {
            let base = parameter.get(&parameters);
            let Some(reach) = reach(parameter, &base, 100.0) else { continue };
            let (low, high) = (*reach.range.start(), *reach.range.end());
            assert!(low < high && high.is_finite(), "{}.{}", parameter.table, parameter.key);
            let in_range = |value| match parameter.kind {
                ValueKind::Count { .. } => parameter.kind.check(Value::Count(value as u32)).is_ok(),
                kind => kind.check(Value::Real(value)).is_ok(),
            };
            assert!(in_range(low) && in_range(high), "{}.{}", parameter.table, parameter.key);
            let value = match base {
                Value::Real(value) => value,
                Value::Count(value) => f64::from(value),
                _ => continue,
            };
            assert!(reach.range.contains(&value), "{}.{}: {value}", parameter.table, parameter.key);
        }
    }

    #[test]
    fn wide_ranges_are_logarithmic_about_the_preset() {
        let weight = flock::parameters::find("cohesion.weight").expect("named");
        let reach = reach(weight, &Value::Real(0.0005), 640.0).expect("a number");
        assert!(reach.logarithmic && *reach.range.end() <= 0.05 && reach.smallest < 1e-6);
    }
}

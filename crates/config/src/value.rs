//! Converts TOML values to parameter values, and parses typed integers.

use flock::parameters::{Shares, Sphere, Spheres, Value, ValueKind};
use toml::de::DeValue;

use crate::{ConfigError, error::nearest, shown};

/// Converts a value to a kind and checks its range; errors name `name` and show `text`, the value as written.
pub(crate) fn convert(
    name: &str,
    kind: ValueKind,
    value: &DeValue<'_>,
    text: &str,
) -> Result<Value, ConfigError> {
    from_toml(kind, value).and_then(|value| kind.check(value).ok()).ok_or_else(|| {
        let near = match (kind, value) {
            (ValueKind::Choice(words), DeValue::String(word)) => nearest(word, words),
            _ => None,
        };
        ConfigError::new(format!("{name} = {}: allowed is {kind}", shorten(text)))
            .hint(near.map(|word| format!("did you mean \"{word}\"?")))
    })
}

fn from_toml(kind: ValueKind, value: &DeValue<'_>) -> Option<Value> {
    Some(match kind {
        ValueKind::Real { .. } => Value::Real(real(value)?),
        ValueKind::Count { .. } => Value::Count(count(value)?),
        ValueKind::Flag => Value::Flag(value.as_bool()?),
        ValueKind::Choice(words) => {
            let word = value.as_str()?;
            Value::Choice(words.iter().copied().find(|known| *known == word)?)
        }
        ValueKind::Vector { .. } => Value::Vector(vector(value)?),
        ValueKind::Spheres { .. } => Value::Spheres(spheres(value)?),
        ValueKind::Shares { .. } => {
            let mut shares = Shares::default();
            let all = value.as_array()?.iter();
            all.map(|share| shares.push(real(share.get_ref())?).ok()).collect::<Option<()>>()?;
            Value::Shares(shares)
        }
    })
}

fn real(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(whole) if whole.radix() == 10 => whole.as_str().parse().ok(),
        _ => None,
    }
}

fn count(value: &DeValue<'_>) -> Option<u32> {
    let whole = value.as_integer()?;
    u32::from_str_radix(whole.as_str(), whole.radix()).ok()
}

fn vector(value: &DeValue<'_>) -> Option<[f64; 3]> {
    let [x, y, z] = value.as_array()?.iter().as_slice() else { return None };
    Some([real(x.get_ref())?, real(y.get_ref())?, real(z.get_ref())?])
}

fn spheres(value: &DeValue<'_>) -> Option<Spheres> {
    let mut spheres = Spheres::default();
    for item in value.as_array()?.iter() {
        let table = item.get_ref().as_table()?;
        let position = vector(table.get("position")?.get_ref())?;
        let radius = real(table.get("radius")?.get_ref())?;
        if table.len() != 2 {
            return None;
        }
        spheres.push(Sphere { position, radius }).ok()?;
    }
    Some(spheres)
}

/// A value as written, on one line.
pub(crate) fn shorten(text: &str) -> String {
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Parses an integer: plain (`1000`, `1_000`), in scientific notation (`1e6`) or with the suffix k, M or G (`100k`,
/// `0.5M`). Plain digits are exact up to 64 bits, other forms up to 2⁵³. `None` for a result that is fractional,
/// negative or larger.
pub fn whole_number(text: &str) -> Option<u64> {
    let plain = text.replace('_', "");
    if let Ok(number) = plain.parse() {
        return Some(number);
    }
    let suffixes = [('k', "e3"), ('M', "e6"), ('G', "e9")];
    let suffixed =
        suffixes.iter().find_map(|(suffix, power)| Some(format!("{}{power}", plain.strip_suffix(*suffix)?)));
    let number: f64 = suffixed.unwrap_or(plain).parse().ok()?;
    let exact = number.is_sign_positive() && number.fract() == 0.0 && number < 2_f64.powi(53);
    exact.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::whole_number;

    #[test]
    fn whole_numbers_take_exponents_and_suffixes() {
        for (text, number) in [
            ("0", 0),
            ("1000", 1000),
            ("1_000", 1000),
            ("+7", 7),
            ("1e6", 1_000_000),
            ("1E+6", 1_000_000),
            ("2.5e3", 2500),
            ("500e-2", 5),
            ("100k", 100_000),
            ("0.5M", 500_000),
            ("1.5G", 1_500_000_000),
            ("1.048576M", 1_048_576),
            ("5.0", 5),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole_number(text), Some(number), "{text}");
        }
        for text in [
            "",
            "k",
            "e6",
            ".",
            "-1",
            "1.5",
            "0.0005k",
            "1e-1",
            "1e",
            "1ek",
            "1e3k",
            "1kk",
            "1m",
            "1K",
            "1 k",
            "++1",
            "1e400",
            "1e99999",
            "18446744073709551616",
            "many",
            "nan",
            "inf",
            "0x10",
            "1.2.3",
        ] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }
}

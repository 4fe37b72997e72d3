//! A TOML value as the value of a parameter.

use flock::parameters::{Sphere, Spheres, Value, ValueKind};
use toml::de::DeValue;

use crate::ConfigError;
use crate::error::nearest;
use crate::shown::shown;

/// The value of `name`, if it has this kind and lies in its range. `text` is the value as written.
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

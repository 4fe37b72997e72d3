//! Converts TOML values to parameter values, and parses typed integers and decimal numbers.

use flock::parameters::{Shares, Sphere, Spheres, Value, ValueKind};
use toml::de::DeValue;

use crate::error::nearest;
use crate::{ConfigError, shown};

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
        let why = ambiguous(text).filter(|_| matches!(kind, ValueKind::Count { .. }));
        let error = match why {
            Some(why) => ConfigError::new(format!("{name}: {} {why}", shorten(text))),
            None => ConfigError::must_be(name, kind, &shorten(text)),
        };
        error.hint(near.map(|word| format!("did you mean '{word}'?")))
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

pub(crate) fn real(value: &DeValue<'_>) -> Option<f64> {
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

/// A text in TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A value as written, on one line.
pub(crate) fn shorten(text: &str) -> String {
    shown(&text.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

/// Parses an integer below 2⁶⁴: plain (`1000`, `1_000`), in scientific notation (`1e6`), with the suffix k, M or G
/// (`100k`, `0.5M`), or as TOML writes other bases (`0x10`). `None` for a result that is fractional or negative, and for
/// a text that is [`ambiguous`].
pub fn whole_number(text: &str) -> Option<u64> {
    if text.starts_with('-') || ambiguous(text).is_some() {
        return None;
    }
    let plain = text.replace('_', "");
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let digits = plain.strip_prefix(prefix);
        if let Some(digits) = digits.filter(|digits| !digits.starts_with('+')) {
            return u64::from_str_radix(digits, radix).ok();
        }
    }
    let suffixes = [('k', "e3"), ('M', "e6"), ('G', "e9")];
    let suffixed =
        suffixes.iter().find_map(|(suffix, power)| Some(format!("{}{power}", plain.strip_suffix(*suffix)?)));
    Decimal::parse(&suffixed.unwrap_or(plain))?.whole()
}

/// For a whole number with three zeros after its point, which in some languages are thousands (`1.000`), how to write
/// it.
pub fn ambiguous(text: &str) -> Option<String> {
    let (whole, zeros) = text.split_once('.')?;
    let digits = whole.strip_prefix('+').unwrap_or(whole);
    let few = (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (few && zeros == "000").then(|| format!("is ambiguous; write {digits} or {digits}000"))
}

/// The decimal number `digits` · 10^`power`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    digits: i128,
    power: i32,
}

impl Decimal {
    /// Parses a number such as `-12`, `0.5` or `1.5e-3`. `None` for any other text, and for more digits than fit.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: i128 = match format!("{whole}{fraction}").as_str() {
            // All zeros of a fraction such as `.0` are gone.
            "" | "+" | "-" if number.len() > whole.len() + 1 => 0,
            digits => digits.parse().ok()?,
        };
        let power = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Decimal { digits, power })
    }

    /// The number, if it is whole and below 2⁶⁴.
    pub fn whole(self) -> Option<u64> {
        if self.digits == 0 {
            return Some(0);
        }
        let factor = 10_i128.checked_pow(self.power.unsigned_abs())?;
        let number = match self.power {
            0.. => self.digits.checked_mul(factor)?,
            _ if self.digits % factor == 0 => self.digits / factor,
            _ => return None,
        };
        u64::try_from(number).ok()
    }

    /// The point at `part` of `parts` on the way from one number to another, rounded to the nearest f64. `None` where
    /// the numbers have too many digits for exact arithmetic.
    pub fn between(from: Decimal, to: Decimal, part: u64, parts: u64) -> Option<f64> {
        let power = from.power.min(to.power);
        let aligned = |end: Decimal, weight: u64| {
            let factor = 10_i128.checked_pow(end.power.abs_diff(power))?;
            end.digits.checked_mul(factor)?.checked_mul(weight.into())
        };
        let sum = aligned(from, parts.checked_sub(part)?)?.checked_add(aligned(to, part)?)?;
        let (sign, parts) = (if sum < 0 { "-" } else { "" }, u128::from(parts));
        let mut rest = sum.unsigned_abs() % parts;
        let mut text = format!("{sign}{}.", sum.unsigned_abs() / parts);
        // Long division: far more digits than an f64 has.
        for _ in 0..40 {
            rest *= 10;
            text += &(rest / parts).to_string();
            rest %= parts;
        }
        format!("{text}e{power}").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_take_exponents_and_suffixes() {
        let allowed = "0=0 1000=1000 1_000=1000 +7=7 1e6=1000000 1E+6=1000000 2.5e3=2500 500e-2=5 100k=100000 \
            0.5M=500000 1.5G=1500000000 1.048576M=1048576 5.0=5 .0=0 0e400=0 1.000k=1000 0x10=16 0b101=5 \
            18446744073709551615=18446744073709551615";
        for (text, number) in allowed.split(' ').filter_map(|pair| pair.split_once('=')) {
            assert_eq!(whole_number(text), number.parse().ok(), "{text}");
        }
        let refused = "k e6 . -1 1.5 0.0005k 1e-1 1e 1ek 1e3k 1kk 1m 1K ++1 1e400 1e99999 1e-400 1.000 120.000 -0 \
            1.00000000000000000000000000000001 0.99999999999999999999999999999999 18446744073709551616 many nan \
            inf 0x 0x+1 -0x1 0xg 1.2.3 \u{a0}1 \u{feff}1";
        for text in refused.split(' ').chain(["", " 1", "1 k"]) {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }

    #[test]
    fn points_between_decimals_are_the_nearest_numbers() {
        let point = |from, to, part, parts| {
            let [from, to] = [from, to].map(|end| Decimal::parse(end).expect(end));
            Decimal::between(from, to, part, parts)
        };
        let tenths: Vec<_> = (0..=6).map(|part| point("0.1", "0.7", part, 6)).collect();
        assert_eq!(tenths, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map(Some));
        assert_eq!(point("-1", "1e0", 1, 4), Some(-0.5));
        assert_eq!(point("0", "1", 1, 3), Some(1.0 / 3.0));
        assert_eq!(point("2.50", "1E-3", 1, 1), Some(0.001));
        assert_eq!(point("7", "9", 0, 1), Some(7.0));
        assert_eq!(point("1e300", "1e-300", 1, 2), None);
        for wrong in ["", ".", "-", "1.2.3", ".-5", "1e", "e3", "inf", "nan", "0x1", "1_0", " 1"] {
            assert!(Decimal::parse(wrong).is_none(), "{wrong}");
        }
    }
}

//! Units: powers of a length and of a time.

use std::fmt;

/// A product of powers of length and time. Exponents are doubled, so that square roots have integer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    length: i8,
    time: i8,
}

impl Unit {
    /// A pure number.
    pub const NONE: Unit = Unit { length: 0, time: 0 };
    pub const LENGTH: Unit = Unit { length: 2, time: 0 };
    pub const TIME: Unit = Unit { length: 0, time: 2 };
    pub const VELOCITY: Unit = Unit { length: 2, time: -2 };

    fn with(self, other: Unit, f: fn(i8, i8) -> i8) -> Unit {
        Unit { length: f(self.length, other.length), time: f(self.time, other.time) }
    }

    /// The unit of a square root; none if an exponent would be a quarter.
    #[must_use]
    pub fn root(self) -> Option<Unit> {
        let even = self.length % 2 == 0 && self.time % 2 == 0;
        even.then_some(Unit { length: self.length / 2, time: self.time / 2 })
    }

    /// Parses `len/t`, `1/t`, `len^2`, `len·t`; an empty text is a pure number; also `length`, `time` and `²`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Unit> {
        let mut unit = Unit::NONE;
        for (place, part) in text.split('/').enumerate() {
            let sign = if place == 0 { 1 } else { -1 };
            for factor in part.split(['*', '·']).map(str::trim) {
                let factor = factor.replace('²', "^2").replace('³', "^3");
                let (name, power) = factor.split_once('^').unwrap_or((&factor, "1"));
                let power = power.trim().parse::<i8>().ok().filter(|power| (1..=6).contains(power))?;
                let times = |base: i8| base.checked_add(2 * sign * power);
                match name.trim() {
                    "len" | "length" => unit.length = times(unit.length)?,
                    "t" | "time" => unit.time = times(unit.time)?,
                    "1" => {}
                    "" if text.trim().is_empty() => {}
                    _ => return None,
                }
            }
        }
        Some(unit)
    }

    /// The unit of a parameter, by its unit text; counts and angles are pure numbers.
    #[must_use]
    pub fn of(unit: &str) -> Unit {
        Unit::parse(unit).unwrap_or_default()
    }
}

// The units of products and of quotients.
flock::operators! {
    () Unit: Add add |a, b: Self| a.with(b, i8::saturating_add);
    () Unit: Sub sub |a, b: Self| a.with(b, i8::saturating_sub);
}

/// A unit to half of a power, without its sign.
fn power(name: &str, doubled: i8) -> String {
    match doubled.unsigned_abs() {
        2 => name.to_owned(),
        even if even % 2 == 0 => format!("{name}^{}", even / 2),
        odd => format!("{name}^({odd}/2)"),
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("len", self.length), ("t", self.time)];
        let side = |above: bool| {
            let of = parts.iter().filter(|(_, doubled)| if above { *doubled > 0 } else { *doubled < 0 });
            of.map(|(name, doubled)| power(name, *doubled)).collect::<Vec<_>>()
        };
        let (above, below) = (side(true).join("·"), side(false).join("/"));
        match (above.as_str(), below.as_str()) {
            ("", "") => f.write_str("a pure number"),
            ("", below) => write!(f, "1/{below}"),
            (above, "") => f.write_str(above),
            (above, below) => write!(f, "{above}/{below}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_written() {
        for (text, shown) in [
            ("len", "len"),
            ("length/time", "len/t"),
            ("1/t", "1/t"),
            ("length/time²", "len/t^2"),
            ("len^2·t", "len^2·t"),
            ("", "a pure number"),
            ("1", "a pure number"),
            ("len/t/t", "len/t^2"),
        ] {
            assert_eq!(Unit::parse(text).map(|unit| unit.to_string()).as_deref(), Some(shown), "{text}");
        }
        for wrong in ["metre", "len/", "len^0", "len^x", "len^99", "/t", "boids"] {
            assert_eq!(Unit::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Unit::of("boids"), Unit::NONE);
        let square = Unit::VELOCITY + Unit::VELOCITY;
        assert_eq!(square.root(), Some(Unit::VELOCITY));
        let root = Unit::LENGTH.root().expect("halves");
        assert_eq!((root.to_string().as_str(), root.root()), ("len^(1/2)", None));
        assert_eq!(Unit::LENGTH - Unit::TIME, Unit::VELOCITY);
    }
}

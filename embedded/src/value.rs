//! Parses values, as typed or from presets: the syntax of TOML with optional brackets and quotes.

use core::str::FromStr;
use flock::parameters::{List, Sphere, Value, ValueKind};

/// Parses a value of a kind. Its range is not checked.
pub fn parse(kind: ValueKind, text: &str) -> Option<Value> {
    let mut rest = Rest(text);
    let value = match kind {
        ValueKind::Real { .. } => Value::Real(rest.parsed()?),
        ValueKind::Count { .. } => Value::Count(rest.parsed()?),
        ValueKind::Flag => Value::Flag(rest.parsed()?),
        ValueKind::Choice(words) => {
            let word = rest.word()?;
            Value::Choice(words.iter().copied().find(|known| *known == word)?)
        }
        ValueKind::Vector { .. } => Value::Vector(rest.vector()?),
        ValueKind::Spheres { .. } => Value::Spheres(rest.list(Rest::sphere)?),
        ValueKind::Shares { .. } => Value::Shares(rest.list(Rest::parsed)?),
    };
    rest.ended().then_some(value)
}

/// Parses an obstacle: `{ position = [x, y, z], radius = r }`. Its range is not checked.
pub fn parse_sphere(text: &str) -> Option<Sphere> {
    let mut rest = Rest(text);
    let sphere = rest.sphere()?;
    rest.ended().then_some(sphere)
}

/// The rest of a text.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn ended(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// Skips a character if it comes next.
    fn takes(&mut self, mark: char) -> bool {
        let rest = self.0.trim_start().strip_prefix(mark);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Skips a character that must come next.
    fn expect(&mut self, mark: char) -> Option<()> {
        self.takes(mark).then_some(())
    }

    /// Takes the text up to the next white space or punctuation.
    fn part(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}' | '=' | '"');
        let (part, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
        self.0 = rest;
        (!part.is_empty()).then_some(part)
    }

    fn parsed<T: FromStr>(&mut self) -> Option<T> {
        self.part()?.parse().ok()
    }

    fn word(&mut self) -> Option<&'a str> {
        let quoted = self.takes('"');
        let word = self.part()?;
        (!quoted || self.takes('"')).then_some(word)
    }

    fn vector(&mut self) -> Option<[f64; 3]> {
        let bracket = self.takes('[');
        let mut vector = [0.0; 3];
        for (k, component) in vector.iter_mut().enumerate() {
            if k > 0 {
                // White space also separates components.
                self.takes(',');
            }
            *component = self.parsed()?;
        }
        if bracket {
            self.takes(',');
            self.expect(']')?;
        }
        Some(vector)
    }

    fn list<T: Copy + Default, const N: usize>(
        &mut self,
        one: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<List<T, N>> {
        let mut all = List::default();
        self.expect('[')?;
        while !self.takes(']') {
            all.push(one(self)?).ok()?;
            if !self.takes(',') {
                self.expect(']')?;
                break;
            }
        }
        Some(all)
    }

    /// `{ position = [x, y, z], radius = r }`, in either order.
    fn sphere(&mut self) -> Option<Sphere> {
        let (mut position, mut radius) = (None, None);
        self.expect('{')?;
        for comma in [true, false] {
            let key = self.part()?;
            self.expect('=')?;
            match key {
                "position" => position = Some(self.vector()?),
                "radius" => radius = Some(self.parsed()?),
                _ => return None,
            }
            if comma {
                self.expect(',')?;
            }
        }
        self.expect('}')?;
        Some(Sphere { position: position?, radius: radius? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::parameters::{PARAMETERS, Parameters, find};
    use std::string::ToString;

    fn read(name: &str, text: &str) -> Option<Value> {
        let parameter = find(name).expect("a parameter");
        parse(parameter.kind, text).and_then(|value| parameter.kind.check(value).ok())
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for parameter in PARAMETERS {
            let value = parameter.get(&Parameters::default());
            assert_eq!(parse(parameter.kind, &value.to_string()), Some(value), "{}", parameter.key);
        }
        let text = "[{ position = [1.0, -2.5, 3e2], radius = 4.0 }, { radius = 1, position = [0,0,0,] }]";
        let spheres = read("obstacles.spheres", text).expect("good");
        assert_eq!(read("obstacles.spheres", &spheres.to_string()), Some(spheres));
    }

    #[test]
    fn brackets_and_quotes_may_be_left_out() {
        assert_eq!(read("home.position", "1 2 3"), read("home.position", "[1.0, 2.0, 3.0]"));
        assert_eq!(read("world.edges", "wrap"), Some(Value::Choice("wrap")));
        assert_eq!(read("world.edges", "\"wrap\""), Some(Value::Choice("wrap")));
    }

    #[test]
    fn what_fits_no_value_is_none() {
        for (name, text) in [
            ("cohesion.radius", ""),
            ("cohesion.radius", "1 2"),
            ("cohesion.radius", "nan"),
            ("cohesion.radius", "inf"),
            ("cohesion.radius", "1e999"),
            ("flock.boids", "-1"),
            ("flock.boids", "1.5"),
            ("flock.boids", "99999999999"),
            ("world.edges", "\"wrap"),
            ("world.edges", "sides"),
            ("home.position", "[1, 2"),
            ("home.position", "[1, 2, 3, 4]"),
            ("obstacles.spheres", "[{ position = [1, 2, 3] }]"),
            ("obstacles.spheres", "[{ position = [1, 2, 3], position = [1, 2, 3] }]"),
            ("obstacles.spheres", "[{"),
            ("scouts.dynamic", "yes"),
        ] {
            assert_eq!(read(name, text), None, "{name} = {text}");
        }
    }
}

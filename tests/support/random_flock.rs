//! Random flocks to compare engines on. Every parameter of the table is varied, also one that is added tomorrow.

use flock::Parameters;
use flock::parameters::{
    Edges, PARAMETERS, Parameter, Scope, Shares, Sphere, Spheres, Start, Value, ValueKind,
};
use flock::random::{draw, stream, unit};

/// Tables that every flock has; each of the others is left at its defaults by half of the flocks.
const ALWAYS: [&str; 6] = ["flock", "world", "separation", "alignment", "cohesion", "motion"];

/// Ranges that keep a flock of some hundred boids lively, where they differ from those of the parameter's unit.
const RANGES: [(&str, f64, f64); 9] = [
    ("world.turn", 0.1, 0.4),
    ("world.margin", 1.0, 2.0),
    ("motion.inertia", -1.0, 1.5),
    ("motion.gain", 0.05, 1.0),
    ("motion.time_step", 0.01, 1.0),
    ("motion.min_speed", 0.0, 1.0),
    ("motion.max_speed", 1.1, 3.0),
    ("scouts.bias", 0.0, 0.01),
    ("noise.angle", 0.0, 30.0),
];

/// The parameters but for the groups, with the numbers of what is drawn for them: with groups, the flocks are what they were.
fn with_numbers() -> impl Iterator<Item = (u32, &'static Parameter)> {
    (0..).zip(PARAMETERS.iter().filter(|parameter| parameter.name != "flock.groups"))
}

/// The flock of a number: up to `most` boids in a world about ten units wide.
pub fn parameters(number: u32, most: u32) -> Parameters {
    let mut p = Parameters::default();
    for tables in PARAMETERS.chunk_by(|a, b| a.table == b.table) {
        let words = |parameter: &Parameter| {
            let index =
                with_numbers().find(|(_, other)| other.name == parameter.name).map_or(0, |(index, _)| index);
            draw(number, 0, index, stream::DRAWN)
        };
        let left_out = words(&tables[0])[3] & 1 == 1 && !ALWAYS.contains(&tables[0].table);
        for parameter in tables.iter().filter(|_| !left_out) {
            // A value outside its range is refused, and the default stays.
            let _ = parameter.set(&mut p, value(parameter, words(parameter)));
        }
    }
    p.flock.boids = draw(number, 1, 0, stream::DRAWN)[0] % (most + 1);
    if p.flock.start == Start::Point {
        p.flock.start = Start::Ball;
    }
    (p.world.min, p.world.max) = ([-1.0, 0.0, 1.0], [8.3, 10.0, 10.7]);
    p.predators.count %= 3;
    if !number.is_multiple_of(4) {
        // With zones or unit vectors no fast path would be compared.
        (p.alignment.inner_radius, p.cohesion.inner_radius) = (0.0, 0.0);
        (p.alignment.unit, p.cohesion.unit) = (false, false);
    }
    if p.world.edges == Edges::Wrap {
        p.cohesion.scope = Scope::Neighbours;
    }
    p.alignment.unit &= p.alignment.scope == Scope::Neighbours;
    p.cohesion.unit &= p.cohesion.scope == Scope::Neighbours;
    if p.check().is_err_and(|why| why.name() == Some("flock.groups")) {
        // Groups 1 and 2 are either scouts or not.
        if number & 1 == 1 {
            p.flock.groups.clear();
        } else {
            (p.scouts.right, p.scouts.left) = (0.0, 0.0);
        }
    }
    p
}

/// The flock of a number, with a quarter of its numbers at an end of what they may be, or just off the lower end.
#[allow(dead_code, reason = "not every suite goes to the limits")]
pub fn at_limits(number: u32, most: u32) -> Parameters {
    let mut p = parameters(number, most);
    for (index, parameter) in with_numbers() {
        let ValueKind::Real { min, max } = parameter.kind else { continue };
        let words = draw(number, 3, index, stream::DRAWN);
        if !words[0].is_multiple_of(4) || parameter.table == "world" {
            continue;
        }
        let before = p;
        let value = [min, max, min + 1e-6 * (max - min).min(1.0)][words[1] as usize % 3];
        if parameter.set(&mut p, Value::Real(value)).and_then(|()| p.check()).is_err() {
            p = before;
        }
    }
    p
}

/// A value for a parameter, from four random words.
pub fn value(parameter: &Parameter, words: [u32; 4]) -> Value {
    let within = |word: u32, low: f64, high: f64| low + (high - low) * unit(word);
    let point = |low: f64, high: f64| [0, 1, 2].map(|k| within(words[k], low, high));
    match parameter.kind {
        ValueKind::Flag => Value::Flag(words[0] & 1 == 1),
        ValueKind::Choice(choices) => Value::Choice(choices[words[0] as usize % choices.len()]),
        ValueKind::Count { min, max } => Value::Count(min + words[0] % (max - min).min(20).saturating_add(1)),
        ValueKind::Vector { .. } if parameter.unit == "length" => Value::Vector(point(-3.0, 13.0)),
        ValueKind::Vector { .. } => Value::Vector(point(-0.3, 0.3)),
        ValueKind::Spheres { .. } => {
            let mut spheres = Spheres::default();
            for k in 0..words[3] % 3 {
                let shift = f64::from(k) * 4.0;
                let sphere = Sphere {
                    position: point(-3.0, 9.0).map(|c| c + shift),
                    radius: within(words[3], 0.5, 2.0),
                };
                let _ = spheres.push(sphere);
            }
            Value::Spheres(spheres)
        }
        // None in half of the flocks.
        ValueKind::Shares { .. } => {
            let mut shares = Shares::default();
            for k in 0..if words[3] & 2 == 0 { 0 } else { 1 + words[2] % 8 } {
                let _ = shares.push(f64::from(words[0] >> (4 * k) & 7));
            }
            Value::Shares(shares)
        }
        ValueKind::Real { min, max } => {
            if let Some((_, low, high)) = RANGES.iter().find(|range| range.0 == parameter.name) {
                return Value::Real(within(words[0], *low, *high));
            }
            Value::Real(match parameter.unit {
                "length" => within(words[0], 0.0, 4.0),
                "length/time" => within(words[0], 0.01, 2.0),
                "degrees" => match words[1] % 7 {
                    0 | 1 => 180.0_f64.min(max),
                    2 => 90.0_f64.min(max),
                    _ => within(words[0], 5.0, max.min(180.0)),
                },
                "" => match words[1] % 5 {
                    0 => 0.0_f64.max(min),
                    1 => within(words[0], 0.0001, 0.1).clamp(min, max),
                    _ => within(words[0], min.max(-2.0), max.min(2.0)),
                },
                "of the flock" => within(words[0], 0.0, 0.5),
                _ => within(words[0], min, max.min(200.0)),
            })
        }
    }
}

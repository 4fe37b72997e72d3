//! The rule in integers against the rule in f64, from the same states.

use std::vec::Vec;

use super::*;
use crate::parameters::{PARAMETERS, Sphere, Value, ValueKind};
use crate::rule::SOURCES;
use crate::{Boid, Number, Parameters, Rule, brute, start};

fn cornell() -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = 2;
    p.flock.boids = 300;
    (p.world.min, p.world.max) = ([0.0; 3], [640.0, 480.0, 0.0]);
    (p.separation.radius, p.separation.weight, p.separation.exclusive) = (8.0, 0.05, true);
    (p.alignment.radius, p.alignment.weight) = (40.0, 0.05);
    (p.cohesion.radius, p.cohesion.weight) = (40.0, 0.0005);
    (p.motion.min_speed, p.motion.max_speed) = (3.0, 6.0);
    p
}

fn fixed(value: f64) -> Fixed {
    Fixed::from_f64(value)
}

#[test]
fn arithmetic_is_exact_but_for_the_last_digit() {
    for (a, b) in [(1.5, 2.25), (-1.125, 0.001), (700.3, -1.7), (-0.3, -0.7), (1e-6, 1e-6)] {
        let last = f64::from(1 << FRACTION).recip();
        let (x, y) = (fixed(a), fixed(b));
        assert!(((x * y).to_f64() - x.to_f64() * y.to_f64()).abs() <= 0.5 * last);
        assert!(((x / y).to_f64() - x.to_f64() / y.to_f64()).abs() < last);
        assert_eq!((x + y).to_f64(), x.to_f64() + y.to_f64());
        assert_eq!(fixed(x.to_f64()), x);
    }
    assert_eq!(fixed(-1.5).floor_to_i32(), -2);
    assert_eq!(fixed(-1.5).floor(), fixed(-2.0));
}

/// Whatever lies in its range is taken or refused by name, alone and beside a large flock.
#[test]
fn parameters_at_the_ends_of_their_ranges_are_taken_or_refused() {
    let ends = |kind: ValueKind| match kind {
        ValueKind::Real { min, max } => std::vec![Value::Real(min), Value::Real(max)],
        ValueKind::Vector { min, max } => std::vec![Value::Vector([min; 3]), Value::Vector([max; 3])],
        ValueKind::Count { min, max } => std::vec![Value::Count(min), Value::Count(max)],
        _ => std::vec![],
    };
    let mut refused = 0;
    for number in 0..20 {
        for parameter in PARAMETERS {
            for value in ends(parameter.kind) {
                let mut p = crate::tests::random_flock::parameters(number, 100);
                parameter.set(&mut p, value).expect("in range");
                refused += u32::from(check(&p).is_err());
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// A change of parameters.
type Change = fn(&mut Parameters);

#[test]
fn the_unit_leaves_room_for_every_place_in_use() {
    let near = unit(&cornell());
    let used: [Change; 6] = [
        |p| p.world.min[1] = -5000.0,
        |p| p.world.max[0] = 5000.0,
        |p| (p.home.weight, p.home.wander) = (0.1, 5000.0),
        |p| (p.attractor.weight, p.attractor.position[0]) = (0.1, 5000.0),
        |p| (p.attractor.avoid, p.attractor.position[0]) = (true, 5000.0),
        |p| _ = p.obstacles.spheres.push(Sphere { position: [0.0; 3], radius: 5000.0 }),
    ];
    let unused: [Change; 2] = [|p| p.home.wander = 5000.0, |p| p.attractor.position[0] = 5000.0];
    for (changes, expected) in [(&used[..], near / 8.0), (&unused[..], near)] {
        for (k, change) in changes.iter().enumerate() {
            let mut p = cornell();
            change(&mut p);
            assert_eq!(unit(&p), expected, "change {k}");
        }
    }
}

/// A number without a unit is at most 2¹¹, half of what a word holds.
#[test]
fn weights_have_a_greatest_value() {
    let mut p = cornell();
    p.alignment.weight = 2048.0;
    assert_eq!(check(&p), Ok(()));
    p.alignment.weight = 2048.5;
    assert_eq!(check(&p).map_err(|refused| refused.name()), Err(Some("alignment.weight")));
}

/// Each number that the rule reads has a scale, by which its range is checked; directions alone are normalised first.
#[test]
fn every_number_of_the_rule_is_checked() {
    for source in SOURCES {
        let parameter = crate::parameters::find(source.parameter).expect(source.parameter);
        let number = matches!(
            parameter.kind,
            ValueKind::Real { .. } | ValueKind::Vector { .. } | ValueKind::Spheres { .. }
        );
        let direction = source.parameter.ends_with("_direction");
        assert_eq!(source.scale.is_some(), number && !direction, "{}", source.parameter);
    }
    for (name, _) in layout::MIN_DIGITS {
        assert!(SOURCES.iter().any(|source| source.parameter == name), "{name}");
    }
}

/// The least greatest speed of a wide world is the one that its last digits still hold to 1/1,000.
#[test]
fn no_boid_of_a_wide_world_exceeds_its_greatest_speed() {
    for half in [300.0, 1e4, 1e6] {
        let mut p = cornell();
        (p.world.min, p.world.max) = ([-half; 3], [half; 3]);
        let unit = <Fixed as Number>::unit(&p);
        let least = 2048.0 * Fixed::TINY.to_f64() / unit;
        (p.motion.min_speed, p.motion.max_speed) = (0.0, least * 0.99);
        let refused = check(&p).expect_err("too few digits");
        assert_eq!(refused.name(), Some("motion.max_speed"));
        (p.motion.min_speed, p.motion.max_speed) = (least, least);
        check(&p).expect("enough digits");
        let rule = Rule::<Fixed>::new(&p);
        let mut boids: Vec<Boid<Fixed>> =
            (0..p.flock.boids).map(|id| rule.quantise(&start::boid(&p, id))).collect();
        for step in 0..20 {
            let before = boids.clone();
            brute::step(&rule, step, &before, &mut [], &mut boids).expect("its terms fit");
        }
        for boid in boids.iter().map(|boid| rule.dequantise(boid)) {
            let speed = boid.velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!((speed / least - 1.0).abs() < 1e-3, "{half}: {speed} for {least}");
        }
    }
}

#[test]
fn what_does_not_fit_saturates() {
    let (most, least) = (Fixed(i32::MAX), Fixed(i32::MIN));
    assert_eq!((most + most, least - most, -least), (most, least, most));
    assert_eq!((fixed(1000.0) * fixed(-1000.0), fixed(1.0) / Fixed(0)), (least, most));
    assert_eq!((fixed(1e30), fixed(f64::NEG_INFINITY), fixed(f64::NAN)), (most, least, Fixed(0)));
}

//! The rule in integers against the rule in f64, from the same states.

use std::vec::Vec;

use super::*;
use crate::parameters::{PARAMETERS, Response, Sphere, Value, ValueKind, Why};
use crate::rule::SOURCES;
use crate::{Boid, Lanes, Number, Parameters, Requests, Rule, Vec3, brute, start};

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

#[test]
fn ends_of_words_are_where_the_docs_say() {
    let most = (1 << 30) - 1;
    assert_eq!(
        [i32::MIN, -most - 1, -most, 5, most, most + 1].map(|c| Fixed(c).confine().0),
        [-most, -most, -most, 5, most, most]
    );
    let sum = Wide { x: 1 << 40, y: -(1 << 40), z: 3 << 20 };
    assert_eq!(
        <Fixed as Requests>::sum_of(sum, [20, 21, -1]).map(|c| c.0),
        Vec3::new(Fixed(1 << 20), Fixed(-(1 << 19)), Fixed(3 << 21)).map(|c| c.0)
    );
    for k in 0..2000 {
        let word = crate::random::draw(3, 3, k, 3)[0] as i32 >> (k % 31);
        let (square, root) = (i64::from(word.max(0)) << FRACTION, i64::from(Fixed(word).sqrt().0));
        assert!(root * root <= square && square < (root + 1) * (root + 1), "{word}: {root}");
    }
    assert_eq!(Wide { x: 3 << 20, y: -(1 << 20), z: 1 << 19 }.weighed(Fixed(1)), Wide { x: 3, y: -1, z: 1 });
    let mut flat = cornell();
    (flat.world.edges, flat.world.max[1]) = (crate::parameters::Edges::Wrap, 1e-9);
    assert_eq!(check(&flat).expect_err("no height").name(), Some("world.max"));
    assert_eq!([0, 1, 24].map(|digits| Fixed::of_fraction(0xff_ffff, digits).0), [0, 1, 0xff_ffff]);
    // A world too large for any unit.
    let mut p = cornell();
    p.world.max[0] = f64::MAX;
    assert_eq!(unit(&p), 2.0_f64.powi(-1009));
}

/// The layout of a world whose greatest coordinate is 8, so that a unit is 4: 2^22 last digits of a word.
#[test]
fn the_layout_is_the_one_calculated_by_hand() {
    let mut p = cornell();
    (p.world.min, p.world.max, p.flock.boids) = ([-8.0; 3], [8.0; 3], 1000);
    (p.motion.max_speed, p.motion.min_speed, p.motion.gain) = (1.0, 0.0, 1.0);
    (p.alignment.weight, p.cohesion.weight) = (0.0, 0.0);
    // 4 · 2^22 last digits are at most 16,000 coarse units of 2^11; a speed of 2^22 fits 2^14 - 1 of 2^9.
    let expected = Layout {
        unit: 2,
        position_shift: 11,
        reach: 8192,
        exact_cohesion: false,
        velocity_shift: 9,
        exact_alignment: false,
        max_velocity: (1 << 14) - 1,
        separation_digits: 52,
    };
    assert_eq!(Layout::new(&p, 4.0), expected);
    // With 200,000 boids, 10,737 coarse units less two have sums that fit; with 40 million, 64 at least are kept.
    p.flock.boids = 200_000;
    let many = Layout { max_velocity: 10_735, separation_digits: 44, ..expected };
    assert_eq!(Layout::new(&p, 4.0), many);
    p.flock.boids = 40_000_000;
    let least = Layout { position_shift: 19, reach: 32, velocity_shift: 17, max_velocity: 64, ..expected };
    assert_eq!(Layout::new(&p, 4.0), Layout { separation_digits: 36, ..least });
    // So many have 66 coarse units each in a word, where no remainder is summed.
    (p.separation.weight, p.separation.exclusive, p.alignment.weight) = (0.0, false, 0.0001);
    assert_eq!(check(&p).expect_err("too many").why, Why::Most(32_537_631.0));
    (p.flock.boids, p.alignment.weight) = (1000, 0.0);
    p.motion.max_speed = 0.001;
    assert_eq!(Layout::new(&p, 4.0).velocity_shift, 0);
    p.motion.max_speed = 1.0;
    // Half a coarse unit of length is 2^-12; times 1/2 it is 1/8,192 of the greatest speed.
    for (weight, shift, exact) in
        [(0.5, 11, false), (0.5001, 11, true), (-0.5, 11, false), (-0.5001, 11, true)]
    {
        p.cohesion.weight = weight;
        let found = Layout::new(&p, 4.0);
        assert_eq!((found.position_shift, found.exact_cohesion), (shift, exact), "{weight}");
    }
    p.cohesion.weight = 0.0;
    let exact = |change: Change| {
        let mut p = p;
        change(&mut p);
        let found = Layout::new(&p, 4.0);
        [found.exact_cohesion, found.exact_alignment]
    };
    assert_eq!(exact(|p| p.cohesion.response = Response::Limited), [true, false]);
    assert_eq!(exact(|p| p.alignment.response = Response::Steer), [false, true]);
    assert_eq!(exact(|p| p.motion.normalize_goal = true), [true; 2]);
    assert_eq!(exact(|p| p.alignment.unit = true), [false; 2]);
    assert_eq!(exact(|p| (p.alignment.unit, p.alignment.weight) = (true, 0.01)), [false, true]);
    // Little of the own velocity is left, and a least speed amplifies it.
    let sped_up: [Change; 3] = [
        |p| (p.motion.min_speed, p.motion.inertia) = (0.5, 0.4),
        |p| (p.motion.min_speed, p.motion.inertia) = (0.5, -0.4),
        |p| (p.motion.min_speed, p.alignment.weight, p.motion.gain) = (0.5, 1.2, 0.5),
    ];
    assert_eq!(sped_up.map(exact), [[true; 2]; 3]);
    assert_eq!(exact(|p| (p.motion.min_speed, p.motion.inertia) = (0.5, 0.5)), [false; 2]);
    assert_eq!(exact(|p| p.motion.inertia = 0.4), [false; 2]);
    assert_eq!(
        exact(|p| (p.motion.min_speed, p.alignment.weight, p.motion.gain) = (0.5, -0.1, 0.5)),
        [false; 2]
    );
    // Unit vectors with 30 digits, 6 more and the unit, for 65,535 boids: 62 together.
    (p.world.min, p.world.max) = ([0.0; 3], [1.0 / 32.0; 3]);
    p.cohesion = Parameters::default().cohesion;
    (p.cohesion.unit, p.cohesion.radius, p.motion.max_speed) = (true, 0.01, 0.01);
    (p.separation.radius, p.alignment.radius, p.world.margin) = (0.01, 0.01, 0.01);
    p.flock.boids = 65_535;
    assert_eq!((Layout::new(&p, 0.01).unit, check(&p)), (10, Ok(())));
    p.flock.boids = 65_536;
    let refused = check(&p).expect_err("too many");
    assert_eq!((refused.name(), refused.why), (Some("flock.boids"), Why::Most(65_535.0)));
}

#[test]
fn long_vectors_keep_their_direction() {
    let long = Wide { x: 3 << 40, y: -(4 << 40), z: 12 << 40 };
    let (v, shift) = long.shortened();
    let back = |c: Fixed| i64::from(c.0) << shift;
    assert_eq!((back(v.x), back(v.y), back(v.z)), (long.x, long.y, long.z));
    assert!([v.x, v.y, v.z].iter().all(|c| c.0.abs() <= 1 << WIDE_BITS) && v.z.0 >= 1 << (WIDE_BITS - 1));
    let short = Wide { x: 5, y: -(1 << 29), z: (1 << 29) - 1 };
    assert_eq!(short.shortened(), (short.map(low_word), 0));
}

#[test]
fn weights_round_to_the_nearest() {
    let v = Wide { x: 3, y: -3, z: 1 << 50 };
    let half = Fixed(1 << (FRACTION - 1));
    let weighed = Wide { z: 0, ..v }.weighed(half);
    assert_eq!((weighed.x, weighed.y), (2, -1), "halves go up");
    let far = Wide { x: 1 << 50, ..Wide::default() }.weighed(half);
    assert_eq!(far.x, 1 << (WIDE_BITS - 2 + MAX_SHIFT), "cut where the format says");
    assert_eq!(v.weighed(Fixed(0)), Wide::default());
}

//! The bits of the update itself, for random boids and sums and for hostile ones.

use super::*;
use crate::random::draw;
use crate::update::update;
use crate::{Parameters, Predator};

/// The preset `cornell`, with scouts.
fn cornell() -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = 2;
    (p.world.min, p.world.max) = ([0.0; 3], [640.0, 480.0, 480.0]);
    (p.world.edges, p.world.margin, p.world.turn) = (Edges::Turn, 100.0, 0.2);
    (p.separation.radius, p.separation.weight, p.separation.exclusive) = (8.0, 0.05, true);
    (p.alignment.radius, p.alignment.weight) = (40.0, 0.05);
    (p.cohesion.radius, p.cohesion.weight) = (40.0, 0.0005);
    (p.motion.min_speed, p.motion.max_speed) = (3.0, 6.0);
    (p.scouts.right, p.scouts.left, p.scouts.dynamic) = (0.2, 0.2, true);
    p
}

/// The preset `murmuration`: a home that wanders, noise and falcons.
fn murmuration() -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = 3;
    (p.world.min, p.world.max) = ([-160.0, -160.0, -80.0], [160.0, 160.0, 80.0]);
    (p.world.edges, p.world.margin, p.world.turn) = (Edges::Turn, 30.0, 0.015);
    (p.separation.radius, p.separation.weight, p.separation.exclusive) = (2.0, 0.05, true);
    (p.alignment.radius, p.alignment.weight) = (3.2, 0.08);
    (p.cohesion.radius, p.cohesion.weight) = (3.2, 0.01);
    (p.motion.min_speed, p.motion.max_speed) = (0.5, 1.0);
    (p.home.weight, p.home.half_extent, p.noise.weight) = (0.00008, 70.0, 0.015);
    (p.home.wander, p.home.wander_period) = (60.0, 700.0);
    (p.predators.count, p.predators.radius, p.predators.weight) = (2, 14.0, 0.012);
    p
}

/// Flocks that the fast path serves, and their relatives in the other number of dimensions.
fn flocks() -> [Parameters; 8] {
    let (cornell, murmuration) = (cornell(), murmuration());
    let (mut deep, mut flat, mut open, mut heavy, mut steady, mut faint) =
        (cornell, murmuration, cornell, cornell, murmuration, cornell);
    (deep.flock.dimensions, flat.flock.dimensions) = (3, 2);
    open.world.edges = Edges::Open;
    (open.noise.weight, open.home.weight, open.home.half_extent) = (2.0, -0.2, 0.0);
    (heavy.separation.weight, heavy.alignment.weight, heavy.cohesion.weight) = (1.0, -1.0, -0.002);
    (steady.scouts.left, steady.scouts.dynamic, steady.scouts.bias) = (0.5, false, 0.4);
    // The last digit of a length.
    faint.noise.weight = f64::from(ONE).recip() / crate::fixed::unit(&faint);
    [cornell, murmuration, deep, flat, open, heavy, steady, faint]
}

/// A word that is most often small: a random number of its binary digits are left.
fn word(random: [u32; 2]) -> i32 {
    (random[0] as i32) >> (random[1] % 32)
}

/// The inputs of one comparison.
struct Case {
    boid: Boid<Fixed>,
    predators: [Predator<Fixed>; 2],
    sums: FixedSums,
}

/// Every fourth case has numbers of any size, the others those of a flock in its world.
fn case(rule: &Rule<Fixed>, k: u32) -> Case {
    let hostile = k % 4 == 3;
    let mut counter = 0;
    let mut random = || {
        counter += 1;
        draw(5, counter, k, 77)
    };
    let (low, high) = (rule.world_min.to_array(), rule.world_max.to_array());
    let flat = |axis: usize| rule.flat && axis == 2;
    let place = |axis: usize| {
        let [a, b, c, _] = random();
        let width = high[axis].0.wrapping_sub(low[axis].0) as u32;
        let inside = low[axis].0 + ((u64::from(a) * u64::from(width)) >> 32) as i32;
        // Some are on the very edge of a margin.
        let edges = [rule.turn_low, rule.turn_high].map(|edge| edge.to_array()[axis].0);
        if flat(axis) {
            0
        } else if k % 16 < 2 {
            edges[k as usize % 2]
        } else if hostile {
            word([b, c]) / 2
        } else {
            inside
        }
    };
    let position = core::array::from_fn(place);
    // Two hunters near enough to be fled, now and then.
    let hunters = [position; 2];
    let mut sum = |axis: usize, size: u32| {
        let [a, b, ..] = random();
        let any = if hostile { word([a, b]) } else { (a as i32) >> size };
        if flat(axis) { 0 } else { any }
    };
    let speed = 32 - (rule.max_speed.0 as u32).ilog2();
    let velocity = core::array::from_fn(|axis| sum(axis, speed - 1));
    let count = [0; 3].map(|_: u32| sum(0, 24).unsigned_abs() as i32 % 200);
    let sums = FixedSums {
        separation: core::array::from_fn(|axis| sum(axis, 9)),
        separation_count: count[0],
        alignment: core::array::from_fn(|axis| sum(axis, 12)),
        alignment_count: count[1],
        cohesion: core::array::from_fn(|axis| sum(axis, 12)),
        cohesion_count: count[2],
    };
    let bias = sum(0, 12).unsigned_abs() as i32;
    let group = sum(0, 8).unsigned_abs() % 3;
    let away = rule.predator_radius.0.max(1).ilog2();
    let predators = hunters.map(|near| Predator {
        position: core::array::from_fn(|axis| Fixed(near[axis].wrapping_add(sum(axis, 31 - away)))),
        velocity: [Fixed(0); 3],
    });
    let boid = Boid {
        position: position.map(Fixed),
        velocity: velocity.map(Fixed),
        bias: Fixed(bias & 0xf_ffff),
        group,
        rest: 0,
    };
    Case { boid, predators, sums }
}

/// Number of cases that the fast path served, and of those with other bits, with something `changed` in it.
fn compare(p: &Parameters, cases: u32, changed: impl Fn(FastUpdate) -> FastUpdate) -> (u32, u32) {
    let rule = Rule::<Fixed>::new(p);
    let count = p.predators.count as usize;
    let fast = changed(FastUpdate::new(&rule, count).expect("a rule whose numbers fit"));
    let (mut served, mut differ) = (0, 0);
    for k in 0..cases {
        let Case { boid, predators, sums } = case(&rule, k);
        let hunters = &predators[..count];
        let around = StepContext::new(&rule, k.into(), None, hunters);
        let moved = if rule.flat {
            fast.update::<true>(&around, k as usize, &boid, &sums)
        } else {
            fast.update::<false>(&around, k as usize, &boid, &sums)
        };
        let Some(moved) = moved else { continue };
        let right = update(&around, &boid, k, &sums.sums(rule.format.position_shift), &[]);
        let expected = Moved {
            position: right.position.map(|c| c.0),
            velocity: right.velocity.map(|c| c.0),
            bias: right.bias.0,
        };
        served += 1;
        differ += u32::from(moved != expected);
    }
    (served, differ)
}

#[test]
fn boids_that_fit_have_the_bits_of_the_update() {
    for (number, p) in flocks().iter().enumerate() {
        let (served, differ) = compare(p, 20_000, |fast| fast);
        assert_eq!(differ, 0, "flock {number}, of {served}");
        assert!((14_000..20_000).contains(&served), "flock {number}: {served} served");
    }
}

/// A number of a rule.
type NumberOf = fn(&mut Rule<Fixed>) -> &mut Fixed;

#[test]
fn numbers_at_their_bounds_are_served_and_none_beyond() {
    let bounds: [(NumberOf, i32); 10] = [
        (|rule| &mut rule.separation_request.weight, ONE),
        (|rule| &mut rule.alignment_request.weight, ONE),
        (|rule| &mut rule.cohesion_request.weight, ONE),
        (|rule| &mut rule.reach, MAX - 1),
        (|rule| &mut rule.max_speed, MAX - 1),
        (|rule| &mut rule.turn, MAX - 1),
        (|rule| &mut rule.noise_weight, 1 << 24),
        (|rule| &mut rule.home_weight, ONE / 4),
        (|rule| &mut rule.predator_radius, 1 << 24),
        (|rule| &mut rule.predator_weight, ONE),
    ];
    for (k, (number, bound)) in bounds.into_iter().enumerate() {
        let mut rule = Rule::<Fixed>::new(&murmuration());
        *number(&mut rule) = Fixed(bound);
        assert!(FastUpdate::new(&rule, PREDATORS).is_some(), "number {k}");
        *number(&mut rule) = Fixed(bound + 1);
        assert!(FastUpdate::new(&rule, PREDATORS).is_none(), "number {k}");
    }
    let mut rule = Rule::<Fixed>::new(&murmuration());
    assert!(FastUpdate::new(&rule, PREDATORS + 1).is_none());
    rule.format.exact_cohesion = true;
    assert!(FastUpdate::new(&rule, PREDATORS).is_none());
    rule.format.exact_cohesion = false;
    rule.format.exact_alignment = true;
    assert!(FastUpdate::new(&rule, PREDATORS).is_none());
}

#[test]
fn the_last_digit_of_a_weight_and_the_unit_of_length_show() {
    for p in flocks() {
        let (_, differ) =
            compare(&p, 20_000, |fast| FastUpdate { alignment_weight: fast.alignment_weight + 1, ..fast });
        assert!(differ > 100, "{differ}");
        let (_, differ) =
            compare(&p, 20_000, |fast| FastUpdate { position_shift: fast.position_shift + 1, ..fast });
        assert!(differ > 100, "{differ}");
    }
}

//! Perception with a narrow field of view: the figures of `docs/fixed-point.md`.

use super::*;
use crate::parameters::Parameters;
use crate::random::{draw, unit};
use crate::state::Boid;
use crate::{Fixed, Number};

/// Draws at a distance.
const DRAWS: u32 = 2000;

/// The widest angle in degrees at which a boid is seen at a share of the radius, and the share seen dead ahead.
fn seen<T: Number>(angle: f64, share: f64) -> (f64, f64) {
    let mut p = Parameters::default();
    (p.separation.weight, p.separation.exclusive, p.alignment.weight) = (0.0, false, 0.0);
    (p.cohesion.weight, p.cohesion.radius, p.cohesion.angle) = (0.1, 5.0, angle);
    let rule = Rule::<T>::new(&p);
    let senses = Senses::<T>::new(&rule);
    let at = [100.0, 90.0, 80.0];
    let perceives = |heading: [f64; 3], offset: [f64; 3]| {
        let position = |k: usize| at[k] + 5.0 * share * offset[k];
        let boid = Boid { position: at, velocity: heading.map(|c| 0.3 * c), ..Boid::default() };
        let boid = rule.quantise(&boid);
        let other = Boid { position: [position(0), position(1), position(2)], ..Boid::default() };
        let other = rule.quantise(&other);
        let me = senses.observer(boid.position.into(), boid.velocity.into(), true);
        let mut sums = Sums::new();
        let velocity = || other.velocity.into();
        senses.add::<FieldOfView>(&mut sums, &me, other.position.into(), velocity, None);
        sums.cohesion_count.count() > 0
    };
    let vector = |k, which| {
        let words = draw(5, k, which, 0);
        let v = Vec3::new(unit(words[0]) - 0.5, unit(words[1]) - 0.5, unit(words[2]) - 0.5);
        (v, unit(words[3]))
    };
    let normal = |v: Vec3<f64>| v * (1.0 / libm::sqrt(v.dot(v)));
    let (mut widest, mut ahead) = (0.0_f64, 0);
    for k in 0..DRAWS {
        let ((heading, exponent), (side, _)) = (vector(k, 0), vector(k, 1));
        let heading = normal(heading);
        let side = normal(side - heading * side.dot(heading));
        // The angle runs from 10⁻⁴ to 100 degrees.
        let off = libm::pow(10.0, 6.0 * exponent - 4.0);
        let (sine, cosine) = (libm::sin(off.to_radians()), libm::cos(off.to_radians()));
        if perceives(heading.to_array(), (heading * cosine + side * sine).to_array()) {
            widest = widest.max(off);
        }
        ahead += u32::from(perceives(heading.to_array(), heading.to_array()));
    }
    (widest, f64::from(ahead) / f64::from(DRAWS))
}

#[test]
fn a_view_of_no_angle_sees_by_rounding_and_no_farther_than_the_docs_say() {
    for share in [0.02, 0.1, 0.5, 0.99] {
        for angle in [0.0, 0.01] {
            let (widest, ahead) = seen::<f32>(angle, share);
            assert!(widest < 0.05 && 0.3 < ahead, "f32, {angle}°, {share}: {widest}°, {ahead}");
            let (widest, _) = seen::<f64>(angle, share);
            assert!(widest <= angle + 1e-4, "f64, {angle}°, {share}: {widest}°");
        }
    }
    for (share, most) in [(0.02, 5.0), (0.1, 2.0), (0.5, 1.0), (0.99, 0.8)] {
        let (widest, ahead) = seen::<Fixed>(0.0, share);
        assert!(widest < most && 0.3 < ahead, "integers, {share}: {widest}°, {ahead}");
        assert!(0.1 * most < widest, "integers see as far as the docs say: {share}, {widest}°");
    }
}

#[test]
fn a_view_of_an_angle_sees_everybody_dead_ahead() {
    for share in [0.02, 0.1, 0.5, 0.99] {
        assert_eq!(seen::<f32>(0.1, share).1, 1.0);
        assert_eq!(seen::<f64>(0.01, share).1, 1.0);
        assert_eq!(seen::<Fixed>(5.0, share).1, 1.0);
    }
}

/// The line-of-sight sum of a boid that flies along x, about another at a distance and an angle in degrees towards a
/// direction of y and z, in units of length.
fn gives_way_to<T: Number>(distance: f64, angle: f64, [y, z]: [f64; 2]) -> Vec3<f64> {
    let mut p = Parameters::default();
    (p.line_of_sight.weight, p.line_of_sight.radius, p.line_of_sight.angle) = (1.0, 8.0, 120.0);
    let rule = Rule::<T>::new(&p);
    let senses = Senses::<T>::new(&rule);
    let at = [100.0, 90.0, 80.0];
    let boid = rule.quantise(&Boid { position: at, velocity: [0.3, 0.0, 0.0], ..Boid::default() });
    let [along, across] = [libm::cos, libm::sin].map(|part| distance * part(angle.to_radians()));
    let there = [at[0] + along, at[1] + across * y, at[2] + across * z];
    let other = rule.quantise(&Boid { position: there, ..Boid::default() });
    let me = senses.observer(boid.position.into(), boid.velocity.into(), true);
    let mut sums = Sums::new();
    senses.add::<FieldOfView>(&mut sums, &me, other.position.into(), || other.velocity.into(), None);
    let push = T::narrow(T::line_of_sight_sum(sums.line_of_sight, &rule.format));
    let given = rule.dequantise(&Boid { velocity: push.to_array(), ..boid });
    given.velocity.into()
}

fn gives_way<T: Number>(distance: f64, angle: f64) -> Vec3<f64> {
    gives_way_to::<T>(distance, angle, [1.0, 0.0])
}

/// Near the axis a coarse offset has few digits across the heading: there integers have to look at the exact one.
fn points_away_from_who_is_nearly_ahead<T: Number>(tolerance: f64) {
    for distance in [0.5, 7.5] {
        for angle in [0.2, 0.5, 2.0, 20.0] {
            for towards in [[0.6, 0.8], [-0.8, 0.6], [0.0, -1.0]] {
                let push = gives_way_to::<T>(distance, angle, towards);
                let want = -distance * (1.0 - libm::sin(angle.to_radians()));
                let off = [push.x, push.y - want * towards[0], push.z - want * towards[1]];
                assert!(
                    off.iter().all(|c| c.abs() < tolerance),
                    "{distance}, {angle}°, {towards:?}: {off:?}"
                );
            }
        }
    }
}

fn grows_towards_the_axis<T: Number>(tolerance: f64) {
    for distance in [0.5, 2.0, 7.5] {
        let mut last = 0.0;
        for angle in [89.0, 60.0, 30.0, 10.0, 5.0, 2.0, 1.0, 0.1, 0.01, 0.0] {
            for side in [-1.0, 1.0] {
                let push = gives_way::<T>(distance, side * angle);
                let length = libm::sqrt(push.dot(push));
                let want = distance * (1.0 - libm::sin(angle.to_radians()));
                assert!((length - want).abs() < tolerance, "{distance}, {angle}°: {length}, not {want}");
                assert!(
                    push.x.abs() < tolerance && push.z.abs() < tolerance,
                    "{distance}, {angle}°: {push:?}"
                );
                if angle > 1.0 {
                    assert!(push.y * side < tolerance, "to the other's side: {distance}, {angle}°: {push:?}");
                }
            }
            let push = gives_way::<T>(distance, angle);
            let length = libm::sqrt(push.dot(push));
            assert!(last < length + tolerance, "{distance}: {last} before {angle}°, then {length}");
            last = length;
        }
        assert_eq!(gives_way::<T>(distance, 100.0), Vec3::zero(), "not ahead");
        assert!(gives_way::<T>(distance, 0.0).y > 0.9 * distance, "to the left of who is exactly ahead");
    }
}

#[test]
fn a_line_of_sight_pushes_the_more_the_nearer_its_axis_on_whatever_side() {
    grows_towards_the_axis::<f32>(0.05);
    grows_towards_the_axis::<f64>(1e-9);
    grows_towards_the_axis::<Fixed>(0.002);
    points_away_from_who_is_nearly_ahead::<f32>(0.02);
    points_away_from_who_is_nearly_ahead::<f64>(1e-9);
    points_away_from_who_is_nearly_ahead::<Fixed>(0.002);
}

#[test]
fn a_velocity_is_read_only_of_who_may_be_perceived() {
    let rule = Rule::<f64>::new(&Parameters::default());
    let senses = Senses::<f64>::new(&rule);
    let me = senses.observer(Vec3::new(50.0, 50.0, 50.0), Vec3::zero(), false);
    let reads = |distance: f64| {
        let mut read = false;
        let velocity = || {
            read = true;
            Vec3::zero()
        };
        senses.add::<AllRound>(&mut Sums::new(), &me, Vec3::new(50.0 + distance, 50.0, 50.0), velocity, None);
        read
    };
    assert!(reads(0.5) && !reads(40.0));
    // Nobody at the very radius is perceived, in a neighbourhood that has no other test either.
    struct Shared;
    impl Policy for Shared {
        const SHARED_NEIGHBOURHOOD: bool = true;
    }
    let mut sums = Sums::new();
    senses.add::<Shared>(&mut sums, &me, Vec3::new(60.0, 50.0, 50.0), Vec3::zero, None);
    assert_eq!((rule.reach_square, sums.alignment_count), (100.0, 0.0));
}

//! Flocks in clumps: clusters stand for their boids, and the very boids are perceived that would be, one by one.

use flock::parameters::{Edges, Falloff, Scope};
use flock::perceive::{Senses, Sums};
use flock::{Boid, Fixed, Number, Parameters, Rule, brute};

use super::{bits, differ, flock_of, open_with, parameters, share, stepper};
use cpu::{Real, Registers};
use engine::{Numeric, State};

/// The views of the three rules.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Views {
    /// Alignment and cohesion the same, all round.
    Shared,
    /// Each its own radius, all round.
    Round,
    /// Each its own radius and angle: no cluster stands for boids.
    Angles,
}

/// A case: a few clumps of boids, from points to such as no radius holds, and some boids between them.
fn dense(case: u32, views: Views) -> (Parameters, State) {
    let mut p = parameters(case);
    p.flock.boids = 500;
    p.world.max[2] = p.world.min[2] + 10.0;
    let reach = 1.0 + 3.0 * share(case, 30);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) =
        (reach * share(case, 31), reach, reach * if views == Views::Shared { 1.0 } else { share(case, 32) });
    if views == Views::Angles {
        // Angles from a ray to nearly all round, the edges among them.
        let angle = |which| [0.0, 5.0, 90.0, 179.0, 180.0 * share(case, which)][(case + which) as usize % 5];
        (p.separation.angle, p.alignment.angle, p.cohesion.angle) = (angle(33), angle(34), angle(35));
    } else {
        (p.separation.angle, p.alignment.angle, p.cohesion.angle) = (180.0, 180.0, 180.0);
        p.line_of_sight.weight = 0.0;
    }
    if !case.is_multiple_of(3) {
        p.separation.falloff = Falloff::None;
    }
    p.alignment.scope = Scope::Neighbours;
    let mut state = flock_of(&p);
    let (spread, clumps) = (reach * [0.0, 0.01, 0.3, 1.5][case as usize % 4], 1 + case / 4 % 3);
    for (k, boid) in state.boids.iter_mut().enumerate().filter(|(k, _)| k % 16 > 1) {
        let clump = k as u32 % clumps;
        for axis in 0..if p.flat() { 2 } else { 3 } {
            let size = p.world.max[axis] - p.world.min[axis];
            let middle = p.world.min[axis] + size * share(case, 40 + 3 * clump + axis as u32);
            let place = middle + spread * (share(1000 + k as u32, 50 + axis as u32) - 0.5);
            boid.position[axis] = place.clamp(p.world.min[axis], p.world.max[axis].next_down());
        }
        if k % 16 == 2 {
            boid.velocity = [0.0; 3];
        }
        *boid = boid.convert::<f32>().convert();
    }
    if case % 2 == 1 && p.world.edges == Edges::Wrap {
        // A second flock of images, some further apart than the world is wide.
        for (k, boid) in state.boids.iter_mut().enumerate().filter(|(k, _)| k % 5 == 0) {
            boid.position[k % 2] -= 0.7 * (p.world.max[k % 2] - p.world.min[k % 2]);
            *boid = boid.convert::<f32>().convert();
        }
    }
    (p, state)
}

/// The rule's sums over a flock, boid by boid.
fn one_by_one<T: Real>(rule: &Rule<T>, state: &State) -> Vec<Sums<T>> {
    let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
    let senses = Senses::new(rule);
    (0..boids.len()).map(|id| brute::sum_neighbours(rule, &senses, &boids, id)).collect()
}

/// True if two sums differ in any bit.
fn unequal<T: Number>(a: &Sums<T>, b: &Sums<T>) -> bool {
    (a.separation, a.alignment, a.cohesion) != (b.separation, b.alignment, b.cohesion)
        || (a.separation_count, a.alignment_count, a.cohesion_count)
            != (b.separation_count, b.alignment_count, b.cohesion_count)
        || a.line_of_sight != b.line_of_sight
}

/// In how many cases some boid's sums are wrong, and in how many they would be if clusters were.
fn wrong<T: Real>(views: Views) -> [u32; 2] {
    let mut wrong = [0, 0];
    for case in 0..48 {
        let (p, state) = dense(case, views);
        let rule = state.rule::<T>(&p);
        let mut stepper = stepper::<T>(&p, &state, Registers::widest());
        let wanted = one_by_one(&rule, &state);
        let differs = |sums: &[Sums<T>]| {
            state.boids.iter().zip(sums.iter().zip(&wanted)).any(|(boid, (a, b))| {
                !boid.resting()
                    && (differ(&rule, a, b, state.boids.len())
                        || T::NUMERIC == Numeric::Fixed && unequal::<T>(a, b))
            })
        };
        wrong[0] += u32::from(differs(&stepper.sums()));
        let spoilt = stepper.sums_with(|clusters| {
            for cluster in clusters.all_mut() {
                cluster.coarse_offsets.x = cluster.coarse_offsets.x + rule.reach;
                cluster.velocity.sum.y = cluster.velocity.sum.y + rule.max_speed;
            }
        });
        wrong[1] += u32::from(differs(&spoilt));
    }
    wrong
}

#[test]
fn clusters_stand_for_the_very_boids_that_are_perceived() {
    for views in [Views::Shared, Views::Round, Views::Angles] {
        for [wrong, noticed] in [wrong::<f64>(views), wrong::<f32>(views), wrong::<Fixed>(views)] {
            assert_eq!(wrong, 0, "{views:?}");
            let expected = if views == Views::Angles { 0..1 } else { 12..49 };
            assert!(expected.contains(&noticed), "{views:?}: clusters had a part in {noticed} of 48 cases");
        }
    }
}

#[test]
fn in_clusters_no_bit_depends_on_registers_or_threads() {
    fn check<T: Real>(case: u32, views: Views) {
        let (p, state) = dense(case, views);
        let after = |with, threads| {
            let mut engine = open_with::<T>(with, threads, &p, &state).expect("threads");
            engine.advance(2).expect("stepped");
            bits(&engine.state().expect("read"))
        };
        let wanted = after(Registers::NARROWEST, 1);
        for with in Registers::available() {
            assert_eq!(after(with, 3), wanted, "{views:?}, case {case}, {}", with.name());
        }
    }
    for case in 0..24 {
        for views in [Views::Shared, Views::Round, Views::Angles] {
            check::<f32>(case, views);
            check::<f64>(case, views);
            check::<Fixed>(case, views);
        }
    }
}

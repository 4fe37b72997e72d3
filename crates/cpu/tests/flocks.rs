//! The engine against brute force, against itself on other threads and registers, and at the smallest flocks.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

use flock::parameters::{Edges, Falloff, Scope};
use flock::perceive::Senses;
use flock::random::{draw, unit};
use flock::rule::Term;
use flock::update::{StepContext, update};
use flock::{Boid, Fixed, Parameters, Predator, Rule, Vec3, brute};

use cpu::{DENSE, RankFlock, Real, Registers, Role};
use engine::system::Threads;
use engine::{State, VectorOf, Vectors};

/// A random number in 0…1 for a case.
fn share(case: u32, which: u32) -> f64 {
    unit(draw(9, which, case, 0)[0])
}

/// Random parameters: any edges and number of dimensions, reaches from a twentieth of the world to twice its size, with
/// and without angles, line of sight, perching, predators, flock-wide means and a limit on the number of neighbours.
fn parameters(case: u32) -> Parameters {
    let mut p = Parameters::default();
    let pick = |which, n: u32| (share(case, which) * f64::from(n)) as u32;
    let yes = |which| share(case, which) < 0.5;
    p.flock.boids = [case / 3 % 4, 50, 300][pick(0, 3) as usize];
    p.flock.seed = case;
    p.flock.dimensions = 2 + pick(1, 2);
    p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][case as usize % 3];
    p.world.min = [-3.0, 1.0, -20.0];
    p.world.max = [7.0, 1.0 + 20.0 * share(case, 2), -10.0];
    p.world.margin = 0.5;
    let reach = 0.5 * 40.0_f64.powf(share(case, 3));
    let views = [
        (&mut p.separation.radius, &mut p.separation.angle),
        (&mut p.alignment.radius, &mut p.alignment.angle),
        (&mut p.cohesion.radius, &mut p.cohesion.angle),
        (&mut p.line_of_sight.radius, &mut p.line_of_sight.angle),
    ];
    for (k, (radius, angle)) in (10..).zip(views) {
        *radius = reach * share(case, k);
        *angle = if yes(4) { 180.0 } else { 180.0 * share(case, k + 4) };
    }
    p.separation.falloff = [Falloff::None, Falloff::Inverse, Falloff::InverseSquare][pick(20, 3) as usize];
    p.separation.exclusive = yes(21);
    p.line_of_sight.weight = if yes(4) { 0.0 } else { 0.1 };
    p.alignment.scope = if yes(22) { Scope::Neighbours } else { Scope::Flock };
    p.motion.min_speed = 0.1;
    p.motion.max_speed = 0.5;
    p.predators.count = pick(23, 3);
    (p.predators.attack_weight, p.predators.chase_weight) = (0.5, 0.2);
    (p.perching.height, p.perching.steps) = if yes(24) { (0.0, 0) } else { (2.0, 4) };
    p.noise.weight = 0.01;
    p.neighbours.nearest = if yes(25) { 0 } else { pick(26, 9) };
    p
}

/// The seeded start, with some boids in odd places: on one point, on corners of the world, far out of an open one,
/// on their perch.
fn flock_of(p: &Parameters) -> State {
    let mut state = State::start(p);
    // A wrapping world is looked at one image away, no further, and its inner cells otherwise where all are inside.
    let far = match p.world.edges {
        Edges::Wrap if p.flock.seed.is_multiple_of(2) => 0.0,
        Edges::Wrap => 10.3,
        _ => 1e5,
    };
    let flat = p.flat();
    for (k, boid) in state.boids.iter_mut().enumerate() {
        match k % 16 {
            1 => boid.position = p.world.min,
            3 => boid.position[0] = p.world.min[0],
            5 => boid.position[0] = p.world.max[0].next_down(),
            7 => boid.position = [p.world.min[0] + 2.0, p.world.min[1], p.world.min[2]],
            9 => boid.position[k / 16 % 2] -= far,
            11 => boid.position = [p.world.min[0] + far, p.world.min[1] + far, p.world.min[2]],
            13 if p.perching.steps > 0 => (boid.rest, boid.velocity) = (2, [0.0; 3]),
            _ => {}
        }
        if flat {
            boid.position[2] = 0.0;
        }
        // Rounded to f32, for both number types.
        *boid = boid.convert::<f32>().convert();
    }
    state
}

/// An engine with these registers and number of threads.
fn open_with<T: Real>(
    with: Registers,
    threads: usize,
    p: &Parameters,
    state: &State,
) -> engine::Result<Box<dyn cpu::CpuEngine>> {
    cpu::open(T::NUMERIC, Threads::new(Some(threads))?, with, p, state)
}

/// A state in words, which tell all its bits apart.
fn bits(state: &State) -> String {
    format!("{state:?}")
}

/// Vectors in id order are those of the state, after steps that sorted the boids.
fn vectors_are_those_of_the_state<T: Real>() {
    let p = Parameters { motion: parameters(2).motion, ..parameters(7) };
    let mut engine = cpu::open_as::<T>(&p, &State::start(&p), Some(2)).expect("threads");
    engine.advance(3).expect("stepped");
    let state = engine.state().expect("a state");
    for of in [VectorOf::Position, VectorOf::Velocity] {
        let expected: Vec<[f64; 3]> = state.boids.iter().map(|boid| of.read(boid)).collect();
        let (mut double, mut single) = (vec![[9.0; 3]; expected.len()], vec![[9.0; 3]; expected.len()]);
        engine.vectors(of, Vectors::F64(&mut double)).expect("vectors");
        engine.vectors(of, Vectors::F32(&mut single)).expect("vectors");
        assert_eq!(double, expected, "{of:?}");
        assert_eq!(single, expected.iter().map(|v| v.map(|c| c as f32)).collect::<Vec<_>>(), "{of:?}");
        // A shorter slice takes the beginning.
        let mut one = [[9.0; 3]];
        engine.vectors(of, Vectors::F64(&mut one)).expect("vectors");
        assert_eq!(one, expected[..1]);
    }
}

#[test]
fn vectors_are_handed_out_in_the_order_of_ids() {
    vectors_are_those_of_the_state::<f32>();
    vectors_are_those_of_the_state::<f64>();
    vectors_are_those_of_the_state::<Fixed>();
}

#[test]
fn registers_and_threads_and_history_leave_the_bits_alone() {
    fn check<T: Real>() {
        for case in 0..60 {
            let p = parameters(case);
            let state = flock_of(&p);
            let mut engine = open_with::<T>(Registers::NARROWEST, 1, &p, &state).expect("one thread");
            engine.advance(6).expect("stepped");
            let wanted = bits(&engine.state().expect("read"));
            for with in Registers::available() {
                let mut engine = open_with::<T>(with, 3, &p, &state).expect("three threads");
                engine.advance(3).expect("stepped");
                let half = engine.state().expect("read");
                engine.advance(3).expect("stepped");
                assert_eq!(bits(&engine.state().expect("read")), wanted, "case {case}, {}", with.name());
                engine.set_state(&half).expect("taken");
                engine.advance(3).expect("stepped");
                assert_eq!(bits(&engine.state().expect("read")), wanted, "case {case} continued");
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Fixed>();
}

/// The flock and the predators after a step by brute force.
fn by_brute_force<T: Real>(p: &Parameters, state: &State) -> State {
    let rule = state.rule::<T>(p);
    let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
    let mut hunters: Vec<Predator<T>> =
        state.predators.iter().map(|hunter| rule.quantise_predator(hunter)).collect();
    let mut next = boids.clone();
    brute::step(&rule, state.step, &boids, &mut hunters, &mut next).expect("its terms fit");
    State {
        step: state.step + 1,
        boids: next.iter().map(|boid| rule.dequantise(boid)).collect(),
        predators: hunters.iter().map(|hunter| rule.dequantise_predator(hunter)).collect(),
    }
}

/// In integers the steps are those of brute force bit for bit, in all registers.
fn has_the_bits_of_brute_force(what: &str, p: &Parameters, start: &State, steps: u32) {
    for with in Registers::available() {
        let mut engine = open_with::<Fixed>(with, 2, p, start).expect("two threads");
        let mut expected = start.clone();
        for step in 0..steps {
            expected = by_brute_force::<Fixed>(p, &expected);
            engine.advance(1).expect("stepped");
            let found = engine.state().expect("read");
            assert!(found == expected, "{what}, step {step}, {}", with.name());
        }
    }
}

/// In f64 a step is that of brute force but for the order of its sums.
fn is_near_brute_force(what: &str, p: &Parameters, start: &State) {
    let mut engine = cpu::open_as::<f64>(p, start, Some(2)).expect("two threads");
    engine.advance(1).expect("stepped");
    let (found, expected) = (engine.state().expect("read"), by_brute_force::<f64>(p, start));
    let most = 1e-9 * (1.0 + Rule::<f64>::new(p).reach);
    for (id, (a, b)) in found.boids.iter().zip(&expected.boids).enumerate() {
        let near = (0..3).all(|k| (a.velocity[k] - b.velocity[k]).abs() < most);
        assert!(near && (a.group, a.rest) == (b.group, b.rest), "{what}, boid {id}: {a:?} {b:?}");
    }
    for (a, b) in found.predators.iter().zip(&expected.predators) {
        assert!((0..3).all(|k| (a.position[k] - b.position[k]).abs() < 1e-9), "{what}: {a:?} {b:?}");
    }
}

#[test]
fn steps_are_those_of_brute_force() {
    for case in 0..240 {
        let p = parameters(case);
        let (state, what) = (flock_of(&p), format!("case {case}"));
        has_the_bits_of_brute_force(&what, &p, &state, 3);
        is_near_brute_force(&what, &p, &state);
    }
}

/// Boids on the points of a lattice, which is also where cells end: nearly every distance is that of several boids.
#[test]
fn all_boids_at_the_distance_of_the_last_are_perceived() {
    for (edges, dimensions) in [(Edges::Open, 2), (Edges::Wrap, 3)] {
        for nearest in [1, 7, 32] {
            let mut p = Parameters::default();
            (p.flock.boids, p.flock.dimensions, p.neighbours.nearest) = (512, dimensions, nearest);
            (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [8.0; 3], edges);
            p.world.max[0] = if dimensions == 2 { 64.0 } else { 8.0 };
            (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.5, 2.0, 4.0);
            let mut state = State::start(&p);
            for (id, boid) in (0_u32..).zip(&mut state.boids) {
                let place = if dimensions == 2 { [id / 8, id % 8, 0] } else { [id % 8, id / 8 % 8, id / 64] };
                boid.position = place.map(f64::from);
            }
            has_the_bits_of_brute_force(&format!("{edges:?}, {nearest}"), &p, &state, 1);
        }
    }
}

/// More boids within reach than a run keeps: they are ranked one by one.
#[test]
fn the_nearest_of_a_crowd_are_found_without_lists() {
    let mut p = Parameters::default();
    (p.flock.boids, p.neighbours.nearest) = (700, 5);
    (p.world.min, p.world.max) = ([-20.0; 3], [20.0; 3]);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.0, 8.0, 8.0);
    for exclusive in [false, true] {
        p.separation.exclusive = exclusive;
        let mut state = State::start(&p);
        for (id, boid) in (0_u32..).zip(&mut state.boids) {
            boid.position = [id % 10, id / 10 % 10, id / 100].map(|c| 0.25 * f64::from(c));
        }
        has_the_bits_of_brute_force("a crowd", &p, &state, 1);
    }
}

#[test]
fn what_is_drawn_is_the_state() {
    let p = parameters(1);
    let state = flock_of(&p);
    let mut engine = cpu::open_as::<f32>(&p, &state, None).expect("threads");
    engine.advance(4).expect("stepped");
    let (n, state) = (state.boids.len(), engine.state().expect("read"));
    let mut instances = engine::HostInstances::default();
    engine.instances_into(&mut instances);
    let engine::HostInstances { position, velocity, tag } = instances;
    let mut drawn: Vec<u32> = tag.iter().map(|t| t[0]).collect();
    for ((position, velocity), tag) in position.iter().zip(&velocity).zip(&tag) {
        let boid = state.boids[tag[0] as usize];
        assert_eq!(boid.position.map(|c| c as f32), position[..3]);
        assert_eq!(boid.velocity.map(|c| c as f32), velocity[..3]);
        assert_eq!((boid.group, boid.rest), (tag[1] & 3, tag[1] as i32 >> 2));
        assert_eq!(velocity[3] < 0.0, boid.resting());
    }
    drawn.sort_unstable();
    assert!(drawn.into_iter().eq(0..n as u32));
}

#[test]
fn other_parameters_take_hold_between_steps() {
    let mut p = parameters(2);
    p.flock.dimensions = 3;
    let mut engine = cpu::open_as::<f32>(&p, &State::start(&p), None).expect("threads");
    engine.advance(1).expect("stepped");
    (p.flock.dimensions, p.predators.count, p.cohesion.radius) = (2, 5, 0.1);
    engine.set_parameters(&p).expect("taken");
    engine.advance(2).expect("stepped");
    engine.steer_predator(4, [1.0, 2.0, 3.0]).expect("steered");
    engine.steer_predator(5, [1.0, 2.0, 3.0]).expect("ignored");
    let state = engine.state().expect("read");
    assert_eq!((state.predators.len(), state.step), (5, 3));
    assert_eq!(state.predators[4].position, [1.0, 2.0, 0.0]);
    assert!(state.boids.iter().all(|b| b.position[2] == 0.0 && b.velocity[2] == 0.0));
}

/// A velocity for each boid, other for each.
fn requests(p: &Parameters) -> Vec<[f64; 3]> {
    let axes: u32 = if p.flat() { 2 } else { 3 };
    let number = |id, axis| if axis < axes { f64::from(share(id, 40 + axis) as f32) - 0.5 } else { 0.0 };
    (0..p.flock.boids).map(|id| [0, 1, 2].map(|axis| number(id, axis))).collect()
}

/// Requests from outside enter the rule as those of custom terms do, in any registers; zeros change nothing.
#[test]
fn requests_from_outside_are_added_to_those_of_the_rule() {
    fn check<T: Real>() {
        for case in 0..30 {
            let p = parameters(case);
            let (state, outside) = (flock_of(&p), requests(&p));
            let flown = |registers, requests: &[[f64; 3]], steps: &[u32]| {
                let mut engine = open_with::<T>(registers, 1, &p, &state).expect("threads");
                steps.iter().for_each(|steps| engine.advance_by(requests, *steps).expect("stepped"));
                engine.state().expect("read")
            };
            let by = |registers| flown(registers, &outside, &[1, 0, 3]);
            let expected = by(Registers::NARROWEST);
            Registers::available()
                .into_iter()
                .for_each(|all| assert!(by(all) == expected, "{case}: {all:?}"));
            let zeros = vec![[0.0, -0.0, 0.0]; outside.len()];
            let none = flown(Registers::widest(), &[], &[4]);
            assert!(flown(Registers::widest(), &zeros, &[4]) == none, "{case}");
            assert!(none != expected || p.flock.boids == 0, "{case}");
            let mut engine = cpu::open_as::<T>(&p, &state, None).expect("threads");
            engine.advance_by(&outside, 4).expect("stepped");
            engine.advance(1).expect("stepped");
            let mut after = cpu::open_as::<T>(&p, &expected, None).expect("threads");
            after.advance(1).expect("stepped");
            // None is left of them for the next step.
            assert!(engine.state().expect("read") == after.state().expect("read"), "{case}");
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Fixed>();
}

/// One step by brute force, in which each boid requests its own.
#[test]
fn requests_from_outside_give_the_steps_of_brute_force_in_integers() {
    for case in 0..30 {
        let mut p = parameters(case);
        (p.predators.count, p.alignment.scope) = (0, Scope::Neighbours);
        let (state, outside) = (flock_of(&p), requests(&p));
        let mut rule = Rule::<Fixed>::new(&p);
        rule.terms = rule.terms.with(Term::Formulas);
        let boids: Vec<_> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
        let context = StepContext::new(&rule, 0, None, &[]);
        let senses = Senses::new(&rule);
        let mut engine = cpu::open_as::<Fixed>(&p, &state, None).expect("threads");
        engine.advance_by(&outside, 1).expect("stepped");
        let got = engine.state().expect("read");
        for (id, boid) in boids.iter().enumerate() {
            let sums = brute::sum_neighbours(&rule, &senses, &boids, id);
            let own = Vec3::from(outside[id]).map(|c| rule.scaled(c));
            let next = update(&context, boid, id as u32, &sums, &[own]);
            assert_eq!(rule.quantise(&got.boids[id]), next, "case {case}, boid {id}");
        }
    }
}

/// The views of the three rules, in flocks in clumps.
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

/// True if some cell is dense: where views are round, clusters then stand for boids.
fn has_dense_cell(p: &Parameters, state: &State) -> bool {
    let boids = state.boids.len() as u32;
    let mut whole = RankFlock::<f32>::new(p, boids, boids, Some(1)).expect("fits");
    for (id, boid) in (0..).zip(&state.boids) {
        whole.add(id, whole.rule().quantise(boid), Role::Own);
    }
    whole.begin();
    whole.most_in_cell() >= DENSE
}

#[test]
fn clusters_stand_for_the_very_boids_that_are_perceived() {
    for views in [Views::Shared, Views::Round, Views::Angles] {
        let mut with_clusters = 0;
        for case in 0..48 {
            let (p, state) = dense(case, views);
            let what = format!("{views:?}, case {case}");
            has_the_bits_of_brute_force(&what, &p, &state, 1);
            is_near_brute_force(&what, &p, &state);
            with_clusters += u32::from(has_dense_cell(&p, &state));
        }
        assert!(with_clusters > 12, "{views:?}: clusters had a part in {with_clusters} of 48 cases");
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

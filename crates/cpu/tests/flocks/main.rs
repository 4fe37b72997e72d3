//! The engine against brute force, against itself on other threads and registers, and at the smallest flocks.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

use flock::parameters::{Edges, Falloff, Response, Scope, Sphere};
use flock::perceive::{Senses, Sums};
use flock::random::{draw, unit};
use flock::rule::Term;
use flock::update::{StepContext, update};
use flock::{Boid, Fixed, Parameters, Predator, Rule, Vec3, brute};

use cpu::{Real, Registers, SingleLane, Stepper};
use engine::system::Threads;
use engine::{Engine, State, VectorOf, Vectors};

mod clusters;
mod limits;

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
    p.flock.boids = [3, 50, 300][pick(0, 3) as usize];
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

fn stepper<T: Real>(p: &Parameters, state: &State, with: Registers) -> Stepper<T> {
    let threads = Threads::new(Some(1)).expect("a thread");
    Stepper::new(threads, with, p, engine::rule(p, state.boids.len()).expect("it fits"), state)
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

/// Every number of a state as bits.
fn bits(state: &State) -> Vec<u64> {
    let boid = |b: &Boid<f64>| {
        let [x, y, z] = b.position.map(f64::to_bits);
        let [vx, vy, vz] = b.velocity.map(f64::to_bits);
        [x, y, z, vx, vy, vz, b.bias.to_bits(), u64::from(b.group), b.rest as u64]
    };
    let hunters = state.predators.iter().flat_map(|p| p.position.map(f64::to_bits));
    state.boids.iter().flat_map(boid).chain(hunters).collect()
}

/// True if sums over a flock of `boids` boids differ by more than another order of adding can make them: about N ulp of
/// the largest possible sum.
fn differ<T: Real>(rule: &Rule<T>, a: &Sums<T>, b: &Sums<T>, boids: usize) -> bool {
    let counts = a.separation_count != b.separation_count
        || a.alignment_count != b.alignment_count
        || a.cohesion_count != b.cohesion_count;
    let n = boids as f64;
    let close = |a: Vec3<T>, b: Vec3<T>, most: f64| {
        let ulp = if size_of::<T>() == 4 { 1e-7 } else { 1e-16 };
        (a - b).largest().to_f64() <= most * n * ulp
    };
    let reach = rule.reach.to_f64();
    counts
        || !close(a.cohesion.sum, b.cohesion.sum, n * reach)
        || !close(a.alignment.sum, b.alignment.sum, n * 0.5)
        || !close(a.line_of_sight, b.line_of_sight, n * reach)
        || rule.falloff == Falloff::None && !close(a.separation.sum, b.separation.sum, n * reach)
}

/// In how many of the cases some boid perceives others than by brute force, in a grid for `narrow` times the reach.
fn wrong<T: Real>(narrow: f64) -> u32 {
    let mut wrong = 0;
    for case in 0..300 {
        let p = parameters(case);
        let state = flock_of(&p);
        let rule = Rule::<T>::new(&p);
        let mut stepper = stepper::<T>(&p, &state, Registers::widest());
        stepper.set_grid_for_reach(narrow);
        let sums = stepper.sums();
        let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
        let senses = Senses::new(&rule);
        let differ = boids.iter().enumerate().any(|(id, boid)| {
            if boid.resting() {
                return false;
            }
            differ(&rule, &sums[id], &brute::sum_neighbours(&rule, &senses, &boids, id), boids.len())
        });
        wrong += u32::from(differ);
    }
    wrong
}

#[test]
fn neighbours_are_those_of_brute_force() {
    assert_eq!((wrong::<f64>(1.0), wrong::<f32>(1.0), wrong::<Fixed>(1.0)), (0, 0, 0));
}

#[test]
fn a_grid_too_narrow_would_be_noticed() {
    assert!(wrong::<f64>(0.8) > 30);
}

/// Boids on the points of a lattice, which is also where cells end: nearly every distance is that of several boids.
#[test]
fn all_boids_at_the_distance_of_the_last_are_perceived() {
    for (edges, dimensions) in [(Edges::Open, 2), (Edges::Wrap, 2), (Edges::Open, 3), (Edges::Wrap, 3)] {
        for nearest in [1, 4, 7, 19, 32] {
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
            sums_are_those_of_brute_force(&p, &state);
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
        sums_are_those_of_brute_force(&p, &state);
    }
}

/// The path that suits a rule adds the very bits of the general one: in all registers, with the boids in odd places.
fn nearest_sums_are_those_of_the_general_policy<T: SingleLane>() {
    for case in 0..240 {
        let mut p = parameters(case);
        p.neighbours.nearest = [1, 2, 7, 32][case as usize / 3 % 4];
        if share(case, 27) < 0.7 {
            p.line_of_sight.weight = 0.0;
            for angle in [&mut p.separation.angle, &mut p.alignment.angle, &mut p.cohesion.angle] {
                *angle = 180.0;
            }
        }
        if share(case, 28) < 0.5 {
            (p.separation.falloff, p.cohesion.radius) = (Falloff::None, p.alignment.radius);
        }
        let state = flock_of(&p);
        let text = |sums: Vec<Sums<T>>| -> Vec<String> {
            let flying = sums.iter().zip(&state.boids).filter(|(_, boid)| !boid.resting());
            flying.map(|(sums, _)| format!("{sums:?}")).collect()
        };
        let expected = text(stepper::<T>(&p, &state, Registers::NARROWEST).sums_of_any_nearest());
        for with in Registers::available() {
            let sums = text(stepper::<T>(&p, &state, with).sums());
            assert_eq!(sums, expected, "case {case}, {}", with.name());
        }
    }
}

#[test]
fn the_nearest_have_the_same_bits_on_every_path() {
    nearest_sums_are_those_of_the_general_policy::<f32>();
    nearest_sums_are_those_of_the_general_policy::<f64>();
    nearest_sums_are_those_of_the_general_policy::<Fixed>();
}

/// In all registers, bit for bit.
fn sums_are_those_of_brute_force(p: &Parameters, state: &State) {
    let rule = Rule::<Fixed>::new(p);
    let boids: Vec<Boid<Fixed>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
    let senses = Senses::new(&rule);
    for with in Registers::available() {
        let sums = stepper::<Fixed>(p, state, with).sums();
        for (id, sums) in sums.iter().enumerate() {
            let expected = brute::sum_neighbours(&rule, &senses, &boids, id);
            let bits = |sums: &Sums<Fixed>| {
                let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count];
                (sums.separation, sums.alignment, sums.cohesion, counts)
            };
            assert_eq!(bits(sums), bits(&expected), "{}: {:?}, boid {id}", with.name(), p.neighbours);
        }
    }
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

#[test]
fn a_step_is_that_of_brute_force() {
    for case in 0..60 {
        let p = parameters(case);
        let state = flock_of(&p);
        let mut engine = cpu::open_as::<f64>(&p, &state, Some(2)).expect("two threads");
        engine.advance(1).expect("stepped");
        let got = engine.state().expect("read");
        let mut next = state.boids.clone();
        let mut hunters = state.predators.clone();
        brute::step(&Rule::new(&p), 0, &state.boids, &mut hunters, &mut next).expect("its terms fit");
        let reach = Rule::<f64>::new(&p).reach;
        for (id, (a, b)) in got.boids.iter().zip(&next).enumerate() {
            assert_eq!((a.group, a.rest), (b.group, b.rest), "case {case}, boid {id}");
            for k in 0..3 {
                assert!(
                    (a.velocity[k] - b.velocity[k]).abs() < 1e-9 * (1.0 + reach),
                    "case {case}, boid {id}: {a:?} {b:?}"
                );
            }
        }
        for (a, b) in got.predators.iter().zip(&hunters) {
            assert!((0..3).all(|k| (a.position[k] - b.position[k]).abs() < 1e-9), "case {case}: {a:?} {b:?}");
        }
    }
}

#[test]
fn steps_in_integers_are_those_of_brute_force_bit_for_bit() {
    for case in 0..300 {
        let p = parameters(case);
        let state = flock_of(&p);
        let mut engine = cpu::open_as::<Fixed>(&p, &state, Some(2)).expect("two threads");
        let rule = state.rule::<Fixed>(&p);
        let mut boids: Vec<Boid<Fixed>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
        let mut hunters: Vec<Predator<Fixed>> =
            state.predators.iter().map(|hunter| rule.take_predator(hunter)).collect();
        for step in 0..4 {
            let mut next = boids.clone();
            brute::step(&rule, step, &boids, &mut hunters, &mut next).expect("its terms fit");
            boids = next;
            engine.advance(1).expect("stepped");
            let got = engine.state().expect("read");
            for (id, (a, b)) in got.boids.iter().zip(&boids).enumerate() {
                assert_eq!(rule.take_boid(a), *b, "case {case}, step {step}, boid {id}");
            }
            for (a, b) in got.predators.iter().zip(&hunters) {
                assert_eq!(rule.take_predator(a), *b, "case {case}, step {step}");
            }
        }
    }
}

#[test]
fn updates_in_registers_are_those_of_the_rule_bit_for_bit() {
    for case in 0..300 {
        let mut p = parameters(case);
        (p.predators.count, p.alignment.scope) = (0, Scope::Neighbours);
        let response = |k: u32| {
            [Response::Proportional, Response::Limited, Response::Steer][((case + k) / 3 % 4) as usize % 3]
        };
        (p.separation.response, p.alignment.response, p.cohesion.response) =
            (response(0), response(3), response(6));
        p.attractor.avoid = case % 19 < 5;
        if case % 3 == 0 {
            let sphere = Sphere { position: [1.0, 2.0, -15.0], radius: 2.0 };
            p.obstacles.spheres.push(sphere).expect("room");
        }
        (p.separation.average, p.separation.include_self) = (case % 7 < 3, case % 11 < 5);
        (p.alignment.include_self, p.cohesion.include_self) = (case % 13 < 6, case % 5 < 2);
        if case % 2 == 0 {
            (p.scouts.right, p.scouts.left, p.scouts.dynamic) = (0.2, 0.3, case % 4 == 0);
            (p.home.weight, p.home.half_extent) = (0.01, 1.0);
            (p.attractor.weight, p.attractor.position) = (0.02, [1.0, 2.0, -15.0]);
        } else {
            p.noise.weight = 0.0;
        }
        p.motion.normalize_goal = case % 17 == 0;
        let state = flock_of(&p);
        let rule = Rule::<f32>::new(&p);
        let context = StepContext::new(&rule, 0, None, &[]);
        let mut stepper = stepper::<f32>(&p, &state, Registers::widest());
        let sums = stepper.sums();
        stepper.advance(1).expect("stepped");
        let got = stepper.state().expect("read");
        for (id, boid) in state.boids.iter().enumerate() {
            let next = update(&context, &rule.take_boid(boid), id as u32, &sums[id], &[]);
            assert_eq!(rule.take_boid(&got.boids[id]), next, "case {case}, boid {id}");
        }
    }
}

#[test]
fn the_smallest_flocks_step() {
    fn check<T: Real>() {
        for boids in [0, 1, 2] {
            for case in 0..30 {
                let mut p = parameters(case);
                p.flock.boids = boids;
                let mut engine = cpu::open_as::<T>(&p, &State::start(&p), None).expect("threads");
                engine.advance(20).expect("stepped");
                let state = engine.state().expect("read");
                assert_eq!((state.boids.len() as u32, state.step), (boids, 20));
                assert!(state.boids.iter().all(|b| b.position.iter().all(|c| c.is_finite())));
            }
        }
    }
    check::<f32>();
    check::<Fixed>();
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
            assert!(flown(Registers::widest(), &zeros, &[4]) == none && none != expected, "{case}");
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
        rule.terms = rule.terms.with(Term::Own);
        let boids: Vec<_> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
        let context = StepContext::new(&rule, 0, None, &[]);
        let senses = Senses::new(&rule);
        let mut engine = cpu::open_as::<Fixed>(&p, &state, None).expect("threads");
        engine.advance_by(&outside, 1).expect("stepped");
        let got = engine.state().expect("read");
        for (id, boid) in boids.iter().enumerate() {
            let sums = brute::sum_neighbours(&rule, &senses, &boids, id);
            let own = Vec3::from(outside[id]).map(|c| rule.scaled(c));
            let next = update(&context, boid, id as u32, &sums, &[own]);
            assert_eq!(rule.take_boid(&got.boids[id]), next, "case {case}, boid {id}");
        }
    }
}

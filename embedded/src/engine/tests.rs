use super::*;
use crate::cores::tests::Sequential;
use crate::presets::{PRESETS, find};
use crate::random_flock;
use flock::brute;
use flock::formula::{Each, Formula, Input, Node, Op, OwnParameter, OwnTerm, OwnTerms, Source, TermSet};
use flock::parameters::{Density, Edges, Falloff, Scope};
use std::vec::Vec;

fn arena() -> Vec<Word> {
    (0..26_000).map(|_| Word::new(0)).collect()
}

/// Compares the engine with the reference step by step.
fn compare(parameters: &Parameters, steps: u32) {
    let arena = arena();
    let mut engine = Engine::new(&arena, parameters).expect("fits");
    compare_from(&mut engine, steps);
}

fn compare_from(engine: &mut Engine<'_>, steps: u32) {
    let rule = *engine.rule();
    compare_by(engine, &rule, steps);
}

fn compare_by(engine: &mut Engine<'_>, rule: &Rule<Fixed>, steps: u32) {
    let mut boids: Vec<Boid<Fixed>> = (0..engine.boids()).map(|id| engine.boid(id)).collect();
    let mut hunters = engine.predators().to_vec();
    for step in 0..steps {
        let mut next = boids.clone();
        brute::step(rule, engine.step_number, &boids, &mut hunters, &mut next).expect("its terms fit");
        boids = next;
        engine.step(&Sequential);
        assert_eq!(engine.predators(), hunters, "step {step}");
        for (id, boid) in boids.iter().enumerate() {
            assert_eq!(engine.boid(id), *boid, "step {step}, boid {id}");
        }
    }
}

/// The parameters of a preset.
fn preset(name: &str) -> Parameters {
    find(name).expect("a preset").parameters()
}

#[test]
fn every_preset_has_the_references_bits_in_two_and_three_dimensions() {
    for preset in PRESETS {
        for dimensions in [2, 3] {
            for boids in [1, 2, 150] {
                let mut p = preset.parameters();
                p.flock.dimensions = dimensions;
                p.flock.density = Density::World;
                p.set_boids(boids);
                compare(&p, 60);
            }
        }
    }
}

#[test]
fn drawn_rules_have_the_references_bits() {
    let mut stepped = 0;
    for number in 0..60 {
        let p = random_flock::parameters(number, 80);
        if fixed::check(&p).is_ok() {
            compare(&p, 6);
            stepped += 1;
        }
    }
    assert!(stepped > 50, "only {stepped} flocks fit integers");
}

#[test]
fn the_fast_update_serves_the_presets_that_must_be_fast() {
    let arena = arena();
    for (name, fast) in [("cornell", true), ("murmuration", true), ("yabi", false), ("think", false)] {
        let mut p = preset(name);
        p.set_boids(700);
        assert_eq!(Engine::new(&arena, &p).expect("fits").fast_update.is_some(), fast, "{name}");
    }
}

#[test]
fn strays_and_heaps_have_the_references_bits() {
    for edges in [Edges::Turn, Edges::Open, Edges::Wrap] {
        for (dimensions, falloff) in [(2, Falloff::None), (3, Falloff::None), (2, Falloff::Inverse)] {
            let mut p = preset("cornell");
            (p.flock.dimensions, p.world.edges, p.separation.falloff) = (dimensions, edges, falloff);
            p.set_boids(80);
            let arena = arena();
            let mut engine = Engine::new(&arena, &p).expect("fits");
            for id in 0..40 {
                let mut boid = engine.boid(id);
                // A cluster at one point, one boid at each end of the range, and some just outside the world.
                boid.position[0] = Fixed(match id {
                    0 => (1 << 30) - 1,
                    1 => 1 - (1 << 30),
                    2..20 => 7_000_000,
                    _ => -(id as i32) * 90_000,
                });
                engine.put_boid(id, &boid);
            }
            compare_from(&mut engine, 25);
        }
    }
}

#[test]
fn perching_obstacles_and_hunters_have_the_references_bits() {
    let mut p = preset("cornell");
    p.set_boids(120);
    (p.perching.height, p.perching.steps) = (200.0, 9);
    (p.predators.count, p.predators.attack_weight, p.predators.chase_weight) = (3, 0.1, 0.2);
    (p.predators.sight, p.predators.max_speed, p.noise.weight) = (90.0, 4.0, 0.3);
    let sphere = flock::parameters::Sphere { position: [320.0, 240.0, 0.0], radius: 60.0 };
    p.obstacles.spheres.push(sphere).expect("room");
    compare(&p, 120);
}

#[test]
fn the_nearest_have_the_references_bits_and_no_fast_path_takes_them() {
    for dimensions in [2, 3] {
        for (name, nearest) in [("cornell", 7), ("cornell", 1), ("think", 3), ("holoviews", 32)] {
            let mut p = preset(name);
            (p.flock.dimensions, p.neighbours.nearest) = (dimensions, nearest);
            p.set_boids(150);
            let arena = arena();
            let mut engine = Engine::new(&arena, &p).expect("fits");
            assert!(!engine.packs() && engine.fast_update.is_none(), "{name}");
            // Some at one point, some in a row at equal distances.
            for id in 0..60 {
                let mut boid = engine.boid(id);
                boid.position[0] = Fixed((id as i32 / 2 - 15) * 100_000);
                boid.position[1] = Fixed(0);
                engine.put_boid(id, &boid);
            }
            compare_from(&mut engine, 12);
        }
    }
}

const fn node(op: Op, a: u8, b: u8) -> Node {
    Node { op, operands: [a, b, 0] }
}

/// Each neighbour gives `their.velocity / max(distance, random(0))`; the boid requests as much of the sum as the value says.
static TERMS: TermSet = {
    const THEIRS: u8 = Input::TheirVelocity as u8;
    const SUM: u8 = Input::Sum as u8;
    const EACH: &[Node] = &[
        node(Op::Input, Input::Distance as u8, 0),
        node(Op::Random, 0, 0),
        node(Op::Maximum, 0, 1),
        node(Op::Input, THEIRS, 0),
        node(Op::Input, THEIRS + 1, 0),
        node(Op::Input, THEIRS + 2, 0),
        node(Op::Divide, 3, 2),
        node(Op::Divide, 4, 2),
        node(Op::Divide, 5, 2),
    ];
    const REQUEST: &[Node] = &[
        node(Op::Value, 0, 0),
        node(Op::Input, SUM, 0),
        node(Op::Input, SUM + 1, 0),
        node(Op::Input, SUM + 2, 0),
        node(Op::Multiply, 0, 1),
        node(Op::Multiply, 0, 2),
        node(Op::Multiply, 0, 3),
    ];
    let formula = Formula { text: "", nodes: EACH, values: &[], result: [6, 7, 8] };
    let request = Formula { text: "", nodes: REQUEST, values: &[Source::Constant(0.03)], result: [4, 5, 6] };
    let each = Some(Each { formula, radius: 0, perceived: None, nearest: None });
    let term = "follow";
    let parameter =
        OwnParameter { name: "radius", term, key: "", unit: "", default: 60.0, range: [0.0, 1e3], side: 0 };
    TermSet {
        terms: &[OwnTerm { name: term, help: "", each, request }],
        parameters: &[parameter],
        references: &[],
    }
};

#[test]
fn terms_that_were_sent_have_the_references_bits() {
    for edges in [Edges::Turn, Edges::Open, Edges::Wrap] {
        for (name, dimensions) in [("cornell", 2), ("cornell", 3), ("yabi", 2)] {
            let mut p = preset(name);
            (p.flock.dimensions, p.world.edges) = (dimensions, edges);
            if edges == Edges::Wrap {
                // The coordinates of a torus have no mean.
                p.cohesion.scope = Scope::Neighbours;
            }
            (p.perching.height, p.perching.steps) = (100.0, 5);
            p.set_boids(120);
            let arena = arena();
            let mut engine = Engine::new(&arena, &p).expect("fits");
            let rule = Rule::<Fixed>::new(&Parameters { terms: OwnTerms::new(&TERMS), ..p });
            let prepared = Prepared::new(&rule).expect("fits").expect("a term");
            let sent = engine.make_room(true).expect("room");
            for at in 0..Prepared::WORDS {
                assert_eq!(sent.set_word(at, prepared.word(at)), Some(()));
            }
            engine.adjust(&own::with_terms(&p, 60.0));
            assert!(engine.fast_update.is_none());
            compare_by(&mut engine, &rule, 30);
            // Negative control.
            let with = engine.hash();
            engine.restart(&p);
            compare_from(&mut engine, 30);
            assert_ne!(engine.hash(), with);
        }
    }
}

#[test]
fn a_flock_goes_on_with_other_parameters() {
    let mut p = preset("cornell");
    p.set_boids(50);
    let arena = arena();
    let mut engine = Engine::new(&arena, &p).expect("fits");
    let before: Vec<_> = (0..50).map(|id| engine.rule().give_boid(&engine.boid(id))).collect();
    // A larger world has another unit.
    p.world.max[0] = 1500.0;
    p.predators.count = 2;
    let unit = engine.rule().unit;
    engine.adjust(&p);
    assert_ne!(engine.rule().unit, unit);
    assert_eq!(engine.predators().len(), 2);
    for (id, boid) in before.iter().enumerate() {
        let now = engine.rule().give_boid(&engine.boid(id));
        for k in 0..3 {
            assert!((now.position[k] - boid.position[k]).abs() < 1e-3);
        }
    }
    compare_from(&mut engine, 20);
}

#[test]
fn the_grid_follows_a_flock_that_leaves_the_world() {
    let mut p = preset("cornell");
    (p.flock.dimensions, p.world.edges) = (3, Edges::Open);
    p.set_boids(90);
    let arena = arena();
    let mut engine = Engine::new(&arena, &p).expect("fits");
    for id in 0..90 {
        let mut boid = engine.boid(id);
        boid.position = boid.position.map(|c| Fixed(c.0 + (25 << 20)));
        engine.put_boid(id, &boid);
    }
    assert!(engine.packs());
    let inside = |engine: &Engine<'_>| {
        let place = |id: usize| engine.boid(id).position.map(|c| c.0 >> engine.rule.format.position_shift);
        (0..90).all(|id| engine.cells.cell::<false>(place(id)).1 == cells::INSIDE)
    };
    assert!(!inside(&engine));
    compare_from(&mut engine, 3);
    assert!(inside(&engine) && engine.packs());
    compare_from(&mut engine, 200);
}

use super::*;
use crate::cores::tests::Sequential;
use crate::presets::{PRESETS, find};
use crate::random_flock;
use flock::brute;
use flock::parameters::{Density, Edges, Falloff};
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
    let mut boids: Vec<Boid<Fixed>> = (0..engine.boids()).map(|id| engine.boid(id)).collect();
    let mut hunters = engine.predators().to_vec();
    for step in 0..steps {
        let mut next = boids.clone();
        brute::step(&rule, engine.step_number, &boids, &mut hunters, &mut next).expect("its terms fit");
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
            for boids in [2, 150] {
                let mut p = preset.parameters();
                p.flock.dimensions = dimensions;
                p.flock.density = Density::World;
                p.set_boids(boids);
                compare(&p, 30);
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

/// Boids at one point, at each end of the range, just outside the world, and in a row at equal distances.
#[test]
fn strays_and_heaps_have_the_references_bits() {
    for (edges, dimensions, falloff, nearest) in [
        (Edges::Turn, 2, Falloff::None, 0),
        (Edges::Open, 3, Falloff::None, 0),
        (Edges::Wrap, 2, Falloff::None, 0),
        (Edges::Turn, 3, Falloff::Inverse, 0),
        (Edges::Turn, 2, Falloff::None, 7),
        (Edges::Open, 3, Falloff::None, 32),
    ] {
        let mut p = preset("cornell");
        (p.flock.dimensions, p.world.edges, p.separation.falloff) = (dimensions, edges, falloff);
        p.neighbours.nearest = nearest;
        p.set_boids(90);
        let arena = arena();
        let mut engine = Engine::new(&arena, &p).expect("fits");
        assert!(nearest == 0 || !engine.packs() && engine.fast_update.is_none());
        for id in 0..60 {
            let mut boid = engine.boid(id);
            boid.position[0] = Fixed(match id {
                0 => (1 << 30) - 1,
                1 => 1 - (1 << 30),
                2..20 => 7_000_000,
                20..40 => -(id as i32) * 90_000,
                _ => id as i32 / 2 * 100_000,
            });
            if id >= 40 {
                boid.position[1] = Fixed(0);
            }
            engine.put_boid(id, &boid);
        }
        compare_from(&mut engine, 20);
    }
}

#[test]
fn a_flock_goes_on_with_other_parameters() {
    let mut p = preset("cornell");
    p.set_boids(50);
    let arena = arena();
    let mut engine = Engine::new(&arena, &p).expect("fits");
    let before: Vec<_> = (0..50).map(|id| engine.rule().dequantise(&engine.boid(id))).collect();
    // A larger world has another unit.
    p.world.max[0] = 1500.0;
    p.predators.count = 2;
    let unit = engine.rule().unit;
    engine.adjust(&p);
    assert_ne!(engine.rule().unit, unit);
    assert_eq!(engine.predators().len(), 2);
    for (id, boid) in before.iter().enumerate() {
        let now = engine.rule().dequantise(&engine.boid(id));
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

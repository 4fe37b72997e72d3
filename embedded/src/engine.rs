//! The engine on the chip: a flock in the arena, stepped by both cores with the bits of [`flock::brute`].
//!
//! A step sorts the boids by cell, packs positions and velocities in that order, and then sums over neighbours and
//! updates boid by boid. Both cores take boids from one queue.

mod cells;
pub mod formulas;
mod kernel;
mod packed;
mod search;
mod step;

use crate::cores::CORES;
use crate::memory::{self, Arrays, CELLS, Word, put_vector, read, vector, write};
use cells::Cells;
use flock::fixed::fast_update::Moved;
use flock::formula::Prepared;
use flock::parameters::Refused;
use flock::perceive::Senses;
use flock::state::split_tag;
use flock::{Boid, Fixed, Parameters, Predator, Rule, fixed, fixed::FastUpdate, hash, start};

pub use step::Cost;

/// The largest number of predators.
const PREDATORS: usize = 64;

/// A flock and its rule.
#[derive(Debug)]
pub struct Engine<'m> {
    arena: &'m [Word],
    arrays: Arrays<'m>,
    rule: Rule<Fixed>,
    senses: Senses<Fixed>,
    cells: Cells,
    /// True if the grid covers the world; otherwise it was fitted to a flock that has left the world.
    over_world: bool,
    boids: usize,
    /// Index of this step's positions.
    now: usize,
    /// Number of steps made.
    pub step_number: u64,
    predators: [Predator<Fixed>; PREDATORS],
    predator_count: usize,
    /// The cost of the last step, by core.
    pub costs: [Cost; CORES],
    /// The update in single words; `None` unless it supports every term of the rule and the numbers fit.
    fast_update: Option<FastUpdate>,
    /// The custom terms at the end of the arena, which are in use if the rule has any.
    terms: Option<&'m mut Prepared<Fixed>>,
    /// True to use the assembly loop, if the rule allows it.
    pub assembly: bool,
}

impl<'m> Engine<'m> {
    /// Creates a flock at its start.
    ///
    /// # Errors
    /// See [`check`].
    #[inline(never)]
    pub fn new(arena: &'m [Word], parameters: &Parameters) -> Result<Self, Refused> {
        check(parameters)?;
        let (rule, arrays) = (Rule::new(parameters), Arrays::new(arena, 0, true, false));
        let mut engine = Engine {
            arena,
            arrays,
            senses: Senses::new(&rule),
            cells: Cells::new(&rule, CELLS[0]),
            over_world: true,
            rule,
            boids: 0,
            now: 0,
            step_number: 0,
            predators: [Predator::default(); PREDATORS],
            predator_count: 0,
            costs: Default::default(),
            fast_update: None,
            terms: None,
            assembly: true,
        };
        engine.restart(parameters);
        Ok(engine)
    }

    /// Restarts the flock with other parameters, which have passed [`check`].
    #[inline(never)]
    pub fn restart(&mut self, parameters: &Parameters) {
        self.boids = (parameters.flock.boids as usize).min(capacity(self.words(), parameters));
        self.set_rule(Rule::new(parameters));
        (self.now, self.step_number) = (0, 0);
        for id in 0..self.boids {
            let boid = self.rule.quantise(&start::boid(parameters, id as u32));
            self.put_boid(id, &boid);
        }
        self.predator_count = 0;
        self.set_predators(parameters);
    }

    /// Changes the parameters to others, which have passed [`check`], and keeps the state of the flock.
    #[inline(never)]
    pub fn adjust(&mut self, parameters: &Parameters) {
        let old = self.rule;
        self.set_rule(Rule::new(parameters));
        if old.unit != self.rule.unit {
            for id in 0..self.boids {
                let boid = self.rule.quantise(&old.dequantise(&self.boid(id)));
                self.put_boid(id, &boid);
            }
            for predator in &mut self.predators[..self.predator_count] {
                *predator = self.rule.quantise_predator(&old.dequantise_predator(predator));
            }
        }
        self.set_predators(parameters);
    }

    #[inline(never)]
    fn set_rule(&mut self, rule: Rule<Fixed>) {
        let arena = &self.arena[..self.words()];
        self.arrays = Arrays::new(arena, self.boids, rule.flat, rule.format.exact_alignment);
        self.senses = Senses::new(&rule);
        self.over_world = true;
        // `starts` has one more entry than cells.
        self.cells = Cells::new(&rule, self.arrays.starts.len().saturating_sub(1));
        self.rule = rule;
    }

    /// Adds or removes predators; new ones begin at their start positions.
    fn set_predators(&mut self, parameters: &Parameters) {
        let count = (parameters.predators.count as usize).min(PREDATORS);
        for index in self.predator_count..count {
            self.predators[index] = self.rule.quantise_predator(&start::predator(parameters, index as u32));
        }
        self.predator_count = count;
        self.fast_update = FastUpdate::new(&self.rule, count);
    }

    /// Number of boids.
    pub fn boids(&self) -> usize {
        self.boids
    }

    /// The rule in fixed point.
    pub fn rule(&self) -> &Rule<Fixed> {
        &self.rule
    }

    /// The predators.
    pub fn predators(&self) -> &[Predator<Fixed>] {
        &self.predators[..self.predator_count]
    }

    /// Replaces a predator.
    pub fn put_predator(&mut self, index: usize, predator: Predator<Fixed>) {
        if index < self.predator_count {
            self.predators[index] = predator;
        }
    }

    /// A boid.
    #[inline]
    pub fn boid(&self, id: usize) -> Boid<Fixed> {
        if self.rule.flat { self.boid_of::<true>(id) } else { self.boid_of::<false>(id) }
    }

    #[inline(always)]
    fn boid_of<const FLAT: bool>(&self, id: usize) -> Boid<Fixed> {
        let (group, rest) = split_tag(read(self.arrays.states, id) as u32);
        Boid {
            position: vector::<FLAT>(self.positions(), id).map(Fixed),
            velocity: vector::<FLAT>(self.arrays.velocities, id).map(Fixed),
            bias: Fixed(read(self.arrays.biases, id)),
            group,
            rest,
        }
    }

    /// The positions at this step.
    #[inline(always)]
    fn positions(&self) -> &[Word] {
        self.arrays.positions[self.now]
    }

    /// A vector of one of the arrays.
    fn vector(&self, array: &[Word], at: usize) -> [i32; 3] {
        if self.rule.flat { vector::<true>(array, at) } else { vector::<false>(array, at) }
    }

    /// Replaces a boid.
    #[inline(never)]
    pub fn put_boid(&self, id: usize, boid: &Boid<Fixed>) {
        self.put_boid_to(self.now, id, boid);
    }

    fn put_boid_to(&self, buffer: usize, id: usize, boid: &Boid<Fixed>) {
        let Boid { position, velocity, bias, .. } = *boid;
        let moved = Moved { position: position.map(|c| c.0), velocity: velocity.map(|c| c.0), bias: bias.0 };
        let state = boid.tag() as i32;
        if self.rule.flat {
            self.put::<true>(buffer, id, &moved, state);
        } else {
            self.put::<false>(buffer, id, &moved, state);
        }
    }

    #[inline(always)]
    fn put<const FLAT: bool>(&self, buffer: usize, id: usize, moved: &Moved, state: i32) {
        let Arrays { positions, velocities, next_velocities, biases, states, .. } = &self.arrays;
        let in_place = buffer == self.now || next_velocities.is_empty();
        put_vector::<FLAT>(positions[buffer], id, moved.position);
        put_vector::<FLAT>(if in_place { velocities } else { next_velocities }, id, moved.velocity);
        write(biases, id, moved.bias);
        write(states, id, state);
    }

    /// The flock's hash, as every backend computes it.
    pub fn hash(&self) -> u64 {
        hash::flock((0..self.boids).map(|id| self.boid(id)))
    }
}

/// Checks the parameters against each other and against the integers.
///
/// # Errors
/// The first parameter that does not fit, and its allowed values.
pub fn check(parameters: &Parameters) -> Result<(), Refused> {
    parameters.check()?;
    fixed::check(parameters)
}

/// The largest number of boids that fit into `words` with these parameters.
#[inline(never)]
pub fn capacity(words: usize, parameters: &Parameters) -> usize {
    memory::capacity(words, parameters.flat(), Rule::<Fixed>::new(parameters).format.exact_alignment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::tests::Sequential;
    use crate::image::{PRESETS, find};
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
            let place =
                |id: usize| engine.boid(id).position.map(|c| c.0 >> engine.rule.format.position_shift);
            (0..90).all(|id| engine.cells.cell::<false>(place(id)).1 == cells::INSIDE)
        };
        assert!(!inside(&engine));
        compare_from(&mut engine, 3);
        assert!(inside(&engine) && engine.packs());
        compare_from(&mut engine, 200);
    }
}

//! The engine on the chip: a flock in the arena, stepped by both cores with the bits of [`flock::brute`].
//!
//! A step: the boids are sorted by cell, what others see of them is packed in that order, then every boid looks around
//! and moves, whichever core comes to it first.

mod cells;
#[cfg(target_arch = "arm")]
mod kernel;
mod look;
mod packed;
mod sort;
mod step;

use crate::memory::{Arrays, CELLS, Word, load, most, store};
use cells::Cells;
use flock::parameters::Refused;
use flock::perceive::Senses;
use flock::state::group;
use flock::{Boid, Fixed, Parameters, Predator, Rule, fixed, fixed::brisk::Brisk, hash::Hash, start};

pub use step::Cycles;

/// The most predators.
const PREDATORS: usize = 64;

/// A flock and its rule.
#[derive(Debug)]
pub struct Engine<'m> {
    arena: &'m [Word],
    arrays: Arrays<'m>,
    rule: Rule<Fixed>,
    senses: Senses<Fixed>,
    cells: Cells,
    /// The grid lies over the world, not over a flock that has left it.
    over_world: bool,
    boids: usize,
    /// Which of the positions are this step's.
    now: usize,
    step: u64,
    predators: [Predator<Fixed>; PREDATORS],
    predator_count: usize,
    cycles: Cycles,
    /// The rule in single words, where it fits them.
    brisk: Option<Brisk>,
    /// Whether the innermost loop is the one in assembly, where there is one for the rule.
    pub assembly: bool,
}

impl<'m> Engine<'m> {
    /// A flock at its start.
    ///
    /// # Errors
    /// As [`Engine::restart`].
    #[inline(never)]
    pub fn new(arena: &'m [Word], parameters: &Parameters) -> Result<Self, Refused> {
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
            step: 0,
            predators: [Predator::default(); PREDATORS],
            predator_count: 0,
            cycles: Cycles::default(),
            brisk: None,
            assembly: true,
        };
        engine.restart(parameters)?;
        Ok(engine)
    }

    /// The most boids for which the arena has room, with these parameters.
    #[must_use]
    pub fn most(&self, parameters: &Parameters) -> usize {
        most_boids(self.arena.len(), parameters)
    }

    /// Whether a flock with these parameters can fly here.
    ///
    /// # Errors
    /// Names the first parameter that does not fit, and what is allowed.
    pub fn check(&self, parameters: &Parameters) -> Result<(), Refused> {
        parameters.check()?;
        fixed::check(parameters)
    }

    /// Begins anew with other parameters.
    ///
    /// # Errors
    /// As [`Engine::check`]; nothing is changed then.
    #[inline(never)]
    pub fn restart(&mut self, parameters: &Parameters) -> Result<(), Refused> {
        self.check(parameters)?;
        self.boids = (parameters.flock.boids as usize).min(self.most(parameters));
        self.take_rule(Rule::new(parameters));
        (self.now, self.step) = (0, 0);
        for id in 0..self.boids {
            let boid = self.rule.take_boid(&start::boid(parameters, id as u32));
            self.put_boid(id, &boid);
        }
        self.predator_count = 0;
        self.set_predators(parameters);
        Ok(())
    }

    /// Goes on with other parameters: the flock stays where it is.
    ///
    /// # Errors
    /// As [`Engine::check`]; nothing is changed then.
    #[inline(never)]
    pub fn adjust(&mut self, parameters: &Parameters) -> Result<(), Refused> {
        self.check(parameters)?;
        let (old, new) = (self.rule, Rule::new(parameters));
        self.take_rule(new);
        if old.unit != new.unit {
            for id in 0..self.boids {
                let boid = new.take_boid(&old.give_boid(&self.boid(id)));
                self.put_boid(id, &boid);
            }
            for predator in &mut self.predators[..self.predator_count] {
                *predator = new.take_predator(&old.give_predator(predator));
            }
        }
        self.set_predators(parameters);
        Ok(())
    }

    #[inline(never)]
    fn take_rule(&mut self, rule: Rule<Fixed>) {
        self.arrays = Arrays::new(self.arena, self.boids, rule.flat, rule.format.exact_join);
        self.senses = Senses::new(&rule);
        // One more than there are cells.
        self.over_world = true;
        self.cells = Cells::new(&rule, self.arrays.starts.len().saturating_sub(1));
        self.rule = rule;
    }

    /// As many predators as asked for; those who join begin where they would have.
    fn set_predators(&mut self, parameters: &Parameters) {
        let count = (parameters.predators.count as usize).min(PREDATORS);
        for index in self.predator_count..count {
            self.predators[index] = self.rule.take_predator(&start::predator(parameters, index as u32));
        }
        self.predator_count = count;
        self.brisk = Brisk::new(&self.rule, count);
    }

    /// Number of boids.
    #[must_use]
    pub fn boids(&self) -> usize {
        self.boids
    }

    /// Number of the step at which the flock stands.
    #[must_use]
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// Puts the flock at another step.
    pub fn set_step_number(&mut self, step: u64) {
        self.step = step;
    }

    /// The rule, in the units of the boids.
    #[must_use]
    pub fn rule(&self) -> &Rule<Fixed> {
        &self.rule
    }

    /// What the last step cost.
    #[must_use]
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }

    /// The predators.
    #[must_use]
    pub fn predators(&self) -> &[Predator<Fixed>] {
        &self.predators[..self.predator_count]
    }

    /// Puts a predator in the place of another.
    pub fn put_predator(&mut self, index: usize, predator: Predator<Fixed>) {
        if index < self.predator_count {
            self.predators[index] = predator;
        }
    }

    /// A boid.
    #[must_use]
    pub fn boid(&self, id: usize) -> Boid<Fixed> {
        if self.rule.flat { self.boid_of::<true>(id) } else { self.boid_of::<false>(id) }
    }

    #[inline(always)]
    fn boid_of<const FLAT: bool>(&self, id: usize) -> Boid<Fixed> {
        let ([vx, vy, vz], bias, state) = self.motion::<FLAT>(id);
        Boid {
            position: self.position::<FLAT>(id).map(Fixed),
            velocity: [vx, vy, vz].map(Fixed),
            bias: Fixed(bias),
            group: state as u32 & 3,
            rest: state >> 2,
        }
    }

    /// A boid's position at this step.
    #[inline(always)]
    fn position<const FLAT: bool>(&self, id: usize) -> [i32; 3] {
        let array = self.arrays.positions[self.now];
        if FLAT {
            let [x, y] = load(array, id);
            [x, y, 0]
        } else {
            load(array, id)
        }
    }

    /// A boid's velocity, bias, and group and rest in a word.
    #[inline(always)]
    fn motion<const FLAT: bool>(&self, id: usize) -> ([i32; 3], i32, i32) {
        if FLAT {
            let [vx, vy, bias, state] = load(self.arrays.motions, id);
            ([vx, vy, 0], bias, state)
        } else {
            let [vx, vy, vz, bias, state] = load(self.arrays.motions, id);
            ([vx, vy, vz], bias, state)
        }
    }

    /// What is to be seen of a boid: its position, its velocity and its group.
    #[inline]
    #[must_use]
    pub fn sight(&self, id: usize) -> ([i32; 3], [i32; 3], u32) {
        let (position, (velocity, _, state)) = if self.rule.flat {
            (self.position::<true>(id), self.motion::<true>(id))
        } else {
            (self.position::<false>(id), self.motion::<false>(id))
        };
        (position, velocity, state as u32 & 3)
    }

    /// Puts a boid in the place of another.
    #[inline(never)]
    pub fn put_boid(&self, id: usize, boid: &Boid<Fixed>) {
        self.put_boid_to(self.now, id, boid);
    }

    fn put_boid_to(&self, buffer: usize, id: usize, boid: &Boid<Fixed>) {
        let (position, velocity) = (boid.position.map(|c| c.0), boid.velocity.map(|c| c.0));
        let state = boid.rest << 2 | boid.group.min(group::LEFT) as i32;
        if self.rule.flat {
            self.write::<true>(buffer, id, position, velocity, boid.bias.0, state);
        } else {
            self.write::<false>(buffer, id, position, velocity, boid.bias.0, state);
        }
    }

    #[inline(always)]
    fn write<const FLAT: bool>(
        &self,
        buffer: usize,
        id: usize,
        [x, y, z]: [i32; 3],
        [vx, vy, vz]: [i32; 3],
        bias: i32,
        state: i32,
    ) {
        let (mut v, apart) = ([vx, vy, vz], self.arrays.velocities);
        if buffer != self.now && !apart.is_empty() {
            if FLAT {
                store(apart, id, [vx, vy]);
            } else {
                store(apart, id, v);
            }
            (v, ..) = self.motion::<FLAT>(id);
        }
        if FLAT {
            store(self.arrays.positions[buffer], id, [x, y]);
            store(self.arrays.motions, id, [v[0], v[1], bias, state]);
        } else {
            store(self.arrays.positions[buffer], id, [x, y, z]);
            store(self.arrays.motions, id, [v[0], v[1], v[2], bias, state]);
        }
    }

    /// Puts the velocities of the next step, where they were kept apart, in the place of this step's.
    fn take_velocities(&self) {
        let (apart, flat) = (self.arrays.velocities, self.rule.flat);
        for id in (0..self.boids).filter(|_| !apart.is_empty()) {
            if flat {
                let ([vx, vy], (_, bias, state)) = (load(apart, id), self.motion::<true>(id));
                store(self.arrays.motions, id, [vx, vy, bias, state]);
            } else {
                let ([vx, vy, vz], (_, bias, state)) = (load(apart, id), self.motion::<false>(id));
                store(self.arrays.motions, id, [vx, vy, vz, bias, state]);
            }
        }
    }

    /// The flock's hash, as every backend computes it.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = Hash::new();
        (0..self.boids).for_each(|id| hash.boid(&self.boid(id)));
        hash.finish()
    }
}

/// The most boids with these parameters for which so many words have room.
#[must_use]
#[inline(never)]
pub fn most_boids(words: usize, parameters: &Parameters) -> usize {
    most(words, parameters.flat(), Rule::<Fixed>::new(parameters).format.exact_join)
}

#[cfg(test)]
mod tests;

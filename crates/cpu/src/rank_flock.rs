//! A part of a flock on some cores: boids of its own, and a halo of boids that those may perceive, with their ids in
//! the whole flock. A step has two halves: between them the sums over the own boids become those over the flock.

use flock::{Boid, Parameters, Predator, Rule};

use super::reduce::Totals;
use super::registers::{Real, Registers};
use super::step::{Stepper, divided};
use engine::{Engine, Result, State, rule};

/// The role of a boid of a part from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is one of the part's own.
    Own,
    /// It is only perceived.
    Halo,
    /// It leaves.
    Gone,
}

/// Steps a part of a flock. Without a halo of all that its own boids may perceive their steps are wrong.
#[derive(Debug)]
pub struct RankFlock<T: Real> {
    flock: Stepper<T>,
}

impl<T: Real> RankFlock<T> {
    /// A part without boids of a flock of `boids`; its grid has at most about `cells` cells. `threads` is one a core by
    /// default.
    ///
    /// # Errors
    /// When the threads cannot be started, or the parameters do not fit the number type.
    pub fn new(parameters: &Parameters, boids: u32, cells: u32, threads: Option<usize>) -> Result<Self> {
        let threads = engine::system::Threads::new(threads)?;
        let rule = rule::<T>(parameters, boids as usize)?;
        let grid = divided(&rule.rule, boids as usize, cells);
        let mut flock = Stepper::new(threads, Registers::widest(), parameters, rule, &State::default());
        flock.set_grid(grid);
        Ok(RankFlock { flock })
    }

    /// Steps dense cells boid by boid, too. The order of a sum then depends only on the perceived boids, not on where
    /// clusters end, so that any part has the bits of the whole.
    pub fn use_no_clusters(&mut self) {
        self.flock.dense_from = usize::MAX;
    }

    /// Threads and registers, for people.
    pub fn describe(&self) -> String {
        let threads = self.flock.threads.count();
        format!("{threads} thread{}, {}", if threads == 1 { "" } else { "s" }, self.flock.registers.name())
    }

    /// The rule of the whole flock.
    pub fn rule(&self) -> &Rule<T> {
        &self.flock.rule
    }

    /// The step the part stands at.
    pub fn step(&self) -> u64 {
        self.flock.step
    }

    /// The predators, which all parts of a flock have.
    pub fn predators(&self) -> Vec<Predator<f64>> {
        self.flock.predators.iter().map(|predator| self.rule().dequantise_predator(predator)).collect()
    }

    /// Restarts at a step
    pub fn restart(&mut self, step: u64, predators: &[Predator<f64>]) {
        self.flock.step = step;
        self.flock.predators =
            predators.iter().map(|predator| self.flock.rule.quantise_predator(predator)).collect();
        self.retain(|_, _| Role::Gone);
    }

    /// See [`Engine::steer_predator`]; all parts must do the same.
    ///
    /// # Errors
    /// None on cores.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        self.flock.steer_predator(index, position)
    }

    /// Adds a boid.
    pub fn add(&mut self, id: u32, boid: Boid<T>, role: Role) {
        if role != Role::Gone {
            self.flock.boids.push(boid);
            self.flock.ids.push(id);
            self.flock.counted.push(role == Role::Own);
        }
    }

    /// The own boids with their ids, in the order of the last step.
    pub fn local(&self) -> impl Iterator<Item = (u32, &Boid<T>)> {
        let Stepper { boids, ids, counted, .. } = &self.flock;
        let all = ids.iter().zip(boids).zip(counted);
        all.filter(|(_, local)| **local).map(|((id, boid), _)| (*id, boid))
    }

    /// Drops the halo, and calls `role` for each own boid. The last boids take the places of removed ones: a step sorts
    /// them.
    pub fn retain(&mut self, mut role: impl FnMut(u32, &Boid<T>) -> Role) {
        let Stepper { boids, ids, counted, .. } = &mut self.flock;
        let mut k = 0;
        while k < boids.len() {
            let becomes = if counted[k] { role(ids[k], &boids[k]) } else { Role::Gone };
            if becomes == Role::Gone {
                boids.swap_remove(k);
                ids.swap_remove(k);
                counted.swap_remove(k);
            } else {
                counted[k] = becomes == Role::Own;
                k += 1;
            }
        }
    }

    /// The first half of a step. The sums are over the local boids; the caller replaces them with those over the flock.
    pub fn begin(&mut self) -> &mut Totals<T> {
        self.flock.resize();
        self.flock.threads.clone().install(|| self.flock.begin())
    }

    /// The most boids in a cell at the last step, of those that are here.
    pub fn most_in_cell(&self) -> usize {
        self.flock.most_in_cell()
    }

    /// The second half of a step, only for the local boids: the halo cannot serve another step.
    pub fn finish(&mut self) {
        self.flock.threads.clone().install(|| self.flock.finish(&[]));
    }

    /// The sum of the hashes of the own boids; none where a number is not finite.
    pub fn hash(&self) -> Option<u64> {
        self.flock.threads.install(|| self.flock.hash_sum())
    }
}

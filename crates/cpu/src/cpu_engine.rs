//! The CPU engine: the operations of every engine on the flock of `step.rs`, on its threads.

use std::fmt::Debug;
use std::marker::PhantomData;

use flock::{Boid, Fixed, Parameters, Predator, Vec3, hash, start};
use rayon::prelude::*;

use super::registers::{Real, Registers};
use super::step::{Stepper, divided};
use engine::system::Threads;
use engine::{
    Engine, HostInstances, Numeric, PassEvent, PreparedRule, Result, State, Timed, VectorOf, Vectors, rule,
};

/// Boids that one task writes for drawing, copies or hashes, or whose requests it scales.
const BLOCK: usize = 4096;

/// The CPU engine in any number type: its flock is drawn from memory.
pub trait CpuEngine: Timed + Debug + Send {
    /// Replaces the instances with those of the flock.
    fn instances_into(&self, drawn: &mut HostInstances);

    /// The predators, for drawing.
    fn predators(&self) -> Vec<Predator<f32>>;
}

/// Opens an engine in a number type on these threads, which many flocks can share. The bits are the same with all
/// registers. Not generic, so that an engine is compiled in this crate, with the flags of a step.
///
/// # Errors
/// When the parameters do not fit the number type.
pub fn open(
    numeric: Numeric,
    threads: Threads,
    registers: Registers,
    parameters: &Parameters,
    state: &State,
) -> Result<Box<dyn CpuEngine>> {
    fn typed<T: Real>(
        threads: Threads,
        registers: Registers,
        parameters: &Parameters,
        state: &State,
    ) -> Result<Box<dyn CpuEngine>> {
        let rule = rule::<T>(parameters, state.boids.len())?;
        Ok(Box::new(Stepper::new(threads, registers, parameters, rule, state)))
    }
    match numeric {
        Numeric::F32 => typed::<f32>(threads, registers, parameters, state),
        Numeric::F64 => typed::<f64>(threads, registers, parameters, state),
        Numeric::Fixed => typed::<Fixed>(threads, registers, parameters, state),
    }
}

/// Opens an engine with threads of its own, one a core by default, and the widest registers.
///
/// # Errors
/// Also when the threads cannot be started.
pub fn open_as<T: Real>(
    parameters: &Parameters,
    state: &State,
    threads: Option<usize>,
) -> Result<Box<dyn CpuEngine>> {
    open(T::NUMERIC, Threads::new(threads)?, Registers::widest(), parameters, state)
}

impl<T: Real> CpuEngine for Stepper<T> {
    fn instances_into(&self, HostInstances { position, velocity, tag }: &mut HostInstances) {
        position.resize(self.boids.len(), [0.0; 4]);
        velocity.resize(self.boids.len(), [0.0; 4]);
        tag.resize(self.boids.len(), [0; 2]);
        let length = |number: T| self.rule.unscaled(number) as f32;
        let held = self.boids.par_iter().zip(&self.ids).zip(&self.neighbours);
        let drawn = position.par_iter_mut().zip(velocity).zip(tag);
        let both = held.zip(drawn).with_min_len(BLOCK);
        self.threads.install(|| {
            both.for_each(|(((boid, id), near), ((position, velocity), tag))| {
                let [x, y, z] = boid.position.map(length);
                *position = [x, y, z, boid.bias.to_f64() as f32];
                let [x, y, z] = boid.velocity.map(length);
                *velocity = [x, y, z, if boid.resting() { -1.0 } else { *near as f32 }];
                *tag = [*id, boid.tag()];
            });
        });
    }

    fn predators(&self) -> Vec<Predator<f32>> {
        self.predators.iter().map(|predator| self.rule.dequantise_predator(predator).convert()).collect()
    }
}

impl<T: Real> Stepper<T> {
    /// Writes a value read from each boid to the place of its id, if there is one; returns true if all are sound.
    fn scatter<V: Copy + Send>(&self, all: &mut [V], read: impl Fn(&Boid<T>) -> (V, bool) + Sync) -> bool {
        let all = Scattered::new(all);
        let scatter_block = |boids: &[Boid<T>], ids: &[u32]| {
            let mut sound = true;
            let values = boids.iter().map(|boid| {
                let (value, is_sound) = read(boid);
                sound &= is_sound;
                value
            });
            // SAFETY: the ids of a flock are a permutation, so no two blocks have one in common.
            unsafe { all.fill(ids, values) };
            sound
        };
        // To wake the threads takes longer than to read one block.
        if self.boids.len() <= BLOCK {
            return scatter_block(&self.boids, &self.ids);
        }
        let blocks = self.boids.par_chunks(BLOCK).zip(self.ids.par_chunks(BLOCK));
        self.threads.install(|| blocks.all(|(boids, ids)| scatter_block(boids, ids)))
    }

    /// The fingerprint of the boids that count; none where a number is not finite.
    pub fn hash_sum(&self) -> Option<u64> {
        let blocks = self.boids.par_chunks(BLOCK).zip(self.ids.par_chunks(BLOCK)).enumerate();
        let of_block = |(block, (boids, ids)): (usize, (&[Boid<T>], &[u32]))| {
            let counted = self.counted.get(block * BLOCK..).unwrap_or_default();
            let mut sum = 0_u64;
            for (k, (boid, id)) in boids.iter().zip(ids).enumerate() {
                if counted.get(k).is_some_and(|counts| !counts) {
                    continue;
                }
                if boid.position.iter().chain(&boid.velocity).any(|c| !c.to_f64().is_finite()) {
                    return None;
                }
                sum = sum.wrapping_add(hash::boid(*id, boid));
            }
            Some(sum)
        };
        self.threads.install(|| blocks.map(of_block).try_reduce(|| 0, |a, b| Some(a.wrapping_add(b))))
    }
}

impl<T: Real> Timed for Stepper<T> {
    /// Wall-clock times: `sort` orders the boids, `move_predators` sums over the flock and moves the predators,
    /// `formula_terms` evaluates formulas, `step` searches and updates.
    fn time_every_step(&mut self, on: bool) -> Result {
        self.clock.run(on);
        Ok(())
    }

    fn take_events(&mut self) -> Result<Vec<PassEvent>> {
        Ok(self.clock.take())
    }

    fn traffic(&self, pass: &str) -> Result<u64> {
        let state = size_of_val(&self.boids[..]) + size_of_val(&self.ids[..]);
        let positions = 3 * size_of_val(&self.positions[0][..]);
        let arranged = size_of_val(&self.cells[..]) + size_of_val(&self.candidates[..]) + positions;
        let bytes = match pass {
            // Reads the old order of the boids and writes the new one.
            "sort" => 2 * state + arranged + self.bins.bytes(),
            "move_predators" => size_of_val(&self.boids[..]),
            "formula_terms" => state + size_of_val(&self.cells[..]) + size_of_val(&self.requested[..]),
            "step" => 2 * state - size_of_val(&self.ids[..]) + arranged + size_of_val(&self.neighbours[..]),
            _ => 0,
        };
        Ok(bytes as u64)
    }
}

impl<T: Real> Engine for Stepper<T> {
    fn describe(&self) -> String {
        let numeric = T::NUMERIC.name();
        let threads = self.threads.count();
        let plural = if threads == 1 { "" } else { "s" };
        let registers = self.registers.name();
        format!("cpu, {threads} thread{plural}, {registers}, {numeric}")
    }

    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }

    fn boids(&self) -> u32 {
        self.boids.len() as u32
    }

    fn step_number(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u32) -> Result {
        self.advance_by(&[], steps)
    }

    fn advance_by(&mut self, requests: &[[f64; 3]], steps: u32) -> Result {
        self.threads.clone().install(|| {
            let scaled = |request: &[f64; 3]| Vec3::from(*request).map(|c| self.rule.scaled(c));
            let requests: Vec<Vec3<T>> = requests.par_iter().with_min_len(BLOCK).map(scaled).collect();
            for _ in 0..steps {
                self.begin();
                self.finish(&requests);
            }
        });
        Ok(())
    }

    fn state(&mut self) -> Result<State> {
        let mut boids = vec![Boid::default(); self.boids.len()];
        self.scatter(&mut boids, |boid| (self.rule.dequantise(boid), true));
        let predators =
            self.predators.iter().map(|predator| self.rule.dequantise_predator(predator)).collect();
        let state = State { step: self.step, boids, predators };
        self.threads.install(|| state.finite(T::NUMERIC))
    }

    fn vectors(&mut self, of: VectorOf, into: Vectors<'_>) -> Result {
        let read = |boid: &Boid<T>| of.read(boid).map(|c| self.rule.unscaled(c));
        let finite = match into {
            Vectors::F32(all) => self.scatter(all, |boid| {
                let vector = read(boid).map(|c| c as f32);
                (vector, vector.iter().all(|c| c.is_finite()))
            }),
            Vectors::F64(all) => self.scatter(all, |boid| {
                let vector = read(boid);
                (vector, vector.iter().all(|c| c.is_finite()))
            }),
        };
        // The error names the boid.
        if finite { Ok(()) } else { self.state().map(drop) }
    }

    fn hash(&mut self) -> Result<u64> {
        match self.hash_sum() {
            Some(hash) => Ok(hash),
            // The error names the boid.
            None => self.state().map(|state| state.hash(T::NUMERIC, &self.parameters)),
        }
    }

    fn set_state(&mut self, state: &State) -> Result {
        let rule = rule::<T>(&self.parameters, state.boids.len())?;
        *self = Stepper::new(self.threads.clone(), self.registers, &self.parameters, rule, state);
        Ok(())
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result {
        let PreparedRule { rule, formulas } = rule::<T>(parameters, self.boids.len())?;
        let before = std::mem::replace(&mut self.rule, rule);
        self.parameters = *parameters;
        if (before.unit, before.flat) != (self.rule.unit, self.rule.flat) {
            // The same flock in other units, or on a plane; what they cannot hold is rounded.
            for boid in &mut self.boids {
                *boid = self.rule.quantise(&before.dequantise(boid));
            }
            for predator in &mut self.predators {
                *predator = self.rule.quantise_predator(&before.dequantise_predator(predator));
            }
        }
        self.set_grid(divided(&self.rule, self.boids.len(), self.boids.len() as u32));
        let here = self.predators.len() as u32;
        self.predators.truncate(parameters.predators.count as usize);
        let new = (here..parameters.predators.count)
            .map(|index| self.rule.quantise_predator(&start::predator(parameters, index)));
        self.predators.extend(new);
        self.set_formulas(formulas);
        Ok(())
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        if let Some(predator) = self.predators.get_mut(index) {
            predator.position = self.rule.quantise_vector(position.map(f64::from));
        }
        Ok(())
    }
}

/// Values by id, written in any order by many threads: from the order of a step to id order.
#[derive(Debug)]
struct Scattered<'a, V> {
    first: *mut V,
    count: usize,
    from: PhantomData<&'a mut [V]>,
}

// SAFETY: it only writes, and no two threads write the same place, as `fill` demands.
unsafe impl<V: Send> Sync for Scattered<'_, V> {}

impl<'a, V: Copy> Scattered<'a, V> {
    fn new(all: &'a mut [V]) -> Self {
        Scattered { first: all.as_mut_ptr(), count: all.len(), from: PhantomData }
    }

    /// Writes each value to the place of its id, as far as there is one.
    ///
    /// # Safety
    /// No other thread writes the place of one of these ids meanwhile.
    unsafe fn fill(&self, ids: &[u32], values: impl Iterator<Item = V>) {
        for (id, value) in ids.iter().zip(values) {
            let id = *id as usize;
            if id < self.count {
                // SAFETY: the place is within the slice, which is borrowed for as long as this; the caller sees to it
                // that no other thread writes it.
                unsafe { self.first.add(id).write(value) };
            }
        }
    }
}

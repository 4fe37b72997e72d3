//! Requests by custom terms: a pass before the step, so that it slows no loop over neighbours. The sums run over
//! neighbours in the order of memory, as all sums do.
//!
//! The boids near the box around a run are kept; each boid of the run takes those of them that it perceives, a register
//! of them at a time.

use std::ops::Range;

use flock::formula::{
    CHUNK, Draws, Evaluator, Input, Instruction, OF_OTHERS, Perceiver, Prepared, Registers, Table,
};
use flock::perceive::Senses;
use flock::{Boid, Number, Vec3};
use rayon::prelude::*;

use super::cull::Cull;
use super::vector::{MAX_LANES, Vector};
use super::walk::{CellRow, Sorted, Walk};

/// Boids of a run at most: they share the boids around.
const RUN: usize = 8;

/// Boids that are kept at most.
const CAPACITY: usize = 512;

/// Boids that one task evaluates at least.
const BLOCK: usize = 16 * CHUNK;

/// Boids that one task evaluates: each task clears its registers, so tasks are few, but enough for all threads.
pub fn block(boids: usize) -> usize {
    (boids / (8 * rayon::current_num_threads())).next_multiple_of(CHUNK).max(BLOCK)
}

/// Writes the requests of a block of boids.
pub type Block<T> = fn(&Scene<'_, T>, usize, &mut [Vec3<T>]);

/// The inputs of the requests of a step.
#[derive(Debug)]
pub struct Scene<'a, T: Number> {
    pub flock: &'a Sorted<'a, T>,
    pub prepared: &'a Prepared<T>,
    pub step: u64,
    /// The sorted boids, and their ids.
    pub boids: &'a [Boid<T>],
    pub ids: &'a [u32],
    pub known: &'a NeighbourInputs<T>,
}

/// The inputs that formulas read of other boids, by sorted index: an array per slot, for loads of consecutive boids.
#[derive(Debug)]
pub struct NeighbourInputs<T>(Vec<(usize, Vec<T>)>);

impl<T: Number> NeighbourInputs<T> {
    /// The slots that the formulas of a flock read.
    pub fn new(prepared: Option<&Prepared<T>>) -> Self {
        let slots = prepared.into_iter().flat_map(Prepared::read_of_others);
        NeighbourInputs(slots.map(|slot| (slot, Vec::new())).collect())
    }

    /// Makes room for the boids and [`MAX_LANES`] more: a register may be filled from the last boid on.
    pub fn resize(&mut self, boids: usize) {
        self.0.iter_mut().for_each(|(_, numbers)| numbers.resize(boids + MAX_LANES, T::ZERO));
    }

    /// Fills it.
    pub fn fill(&mut self, prepared: &Prepared<T>, boids: &[Boid<T>], ids: &[u32]) {
        for (slot, numbers) in &mut self.0 {
            let all = numbers.par_iter_mut().zip(boids).zip(ids).with_min_len(BLOCK);
            all.for_each(|((number, boid), id)| *number = prepared.known_of(*slot, boid, *id));
        }
    }
}

/// A formula's code, compiled with the registers' instructions.
fn run<V: Vector>(
    table: &Table<V::Scalar>,
    registers: &mut Registers<V::Scalar>,
    code: &[Instruction],
    values: &[V::Scalar],
    draws: Draws,
) {
    V::vectorize(
        #[inline(always)]
        || table.evaluate::<V>(registers, code, values, draws),
    );
}

/// Writes the requests of the boids from sorted index `first` on.
pub fn requests<V: Vector>(scene: &Scene<'_, V::Scalar>, first: usize, requests: &mut [Vec3<V::Scalar>]) {
    V::vectorize(
        #[inline(always)]
        || {
            let Scene { flock, prepared, step, boids, ids, .. } = scene;
            let mut evaluator = Evaluator::<V>::new(flock.rule, prepared, *step as u32, run::<V>);
            let mut near = Near::<V>::new(scene, first);
            for (chunk, requests) in requests.chunks_mut(CHUNK).enumerate() {
                let first = first + chunk * CHUNK;
                let here = first..first + requests.len();
                let (boids, ids) = (&boids[here.clone()], &ids[here.clone()]);
                evaluator.requests(
                    boids,
                    ids,
                    requests,
                    #[inline(always)]
                    |k, me| near.visit(first + k, here.end, me),
                );
            }
        },
    );
}

/// The boids near a run: near the box around it, by the radius of a term.
struct Near<'a, V: Vector> {
    scene: &'a Scene<'a, V::Scalar>,
    row: CellRow,
    /// The boids near this run are kept, for this walk.
    run: Range<usize>,
    walk: (usize, bool),
    kept: Nearby<'a, V>,
}

impl<'a, V: Vector> Near<'a, V> {
    #[inline(always)]
    fn new(scene: &'a Scene<'a, V::Scalar>, first: usize) -> Self {
        let flock = scene.flock;
        Near {
            scene,
            row: CellRow::of(flock, flock.cells[first]),
            run: 0..0,
            walk: (0, false),
            kept: Nearby::new(flock, first),
        }
    }

    /// Adds all that the boid at a sorted index, before `end`, perceives.
    #[inline(always)]
    fn visit(&mut self, index: usize, end: usize, me: &mut Perceiver<'_, V>) {
        let walk = (me.row, me.ranks);
        if !self.run.contains(&index) || self.walk != walk {
            self.walk = walk;
            if !self.search(index, end, me) {
                return;
            }
        }
        self.kept.offer(index, self.scene, me);
    }

    /// Keeps all near a run that begins with a boid and lies in its row of cells. If they are too many, the boid takes those it perceives; none is
    /// kept.
    #[inline(always)]
    fn search(&mut self, index: usize, end: usize, me: &mut Perceiver<'_, V>) -> bool {
        let flock = self.scene.flock;
        let (cell, width) = (flock.cells[index], flock.grid.dims[0]);
        if cell < self.row.first || cell >= self.row.first + width {
            self.row = CellRow::of(flock, cell);
        }
        self.run = index..flock.bins.start(self.row.first + width).min(index + RUN).min(end);
        let mut walk = Walk::new(flock, &self.row, self.run.clone());
        self.kept.begin(flock, self.run.clone(), me.formula.radius);
        if self.kept.fill(self.scene, &mut walk) {
            return true;
        }
        self.run = 0..0;
        let mut alone = Walk::new(flock, &self.row, index..index + 1);
        self.kept.begin(flock, index..index + 1, me.formula.radius);
        loop {
            let all = self.kept.fill(self.scene, &mut alone);
            self.kept.offer(index, self.scene, me);
            if all {
                return false;
            }
        }
    }
}

/// Boids that are near the box around a run.
struct Nearby<'a, V: Vector> {
    /// Some boid may perceive another across the edge of a world that wraps.
    seam: bool,
    /// The rest of the range of cells that is being searched.
    left: Range<usize>,
    cull: Cull<'a, V, CAPACITY>,
    /// The positions of the boids that the cull has kept, and the other inputs that formulas read of them.
    positions: [[V::Scalar; CAPACITY]; 3],
    known: [[V::Scalar; CAPACITY]; OF_OTHERS.end - OF_OTHERS.start],
    /// Index from which the next boid of the run is kept.
    next: usize,
    /// The number of the kept boid in each pair.
    numbers: [u32; CHUNK],
}

impl<'a, V: Vector> Nearby<'a, V> {
    #[inline(always)]
    fn new(flock: &Sorted<'a, V::Scalar>, first: usize) -> Self {
        Nearby {
            cull: Cull::new(flock.positions, first..first + 1, &Senses::new(flock.rule), false),
            seam: false,
            left: 0..0,
            positions: [[V::Scalar::ZERO; CAPACITY]; 3],
            known: [[V::Scalar::ZERO; CAPACITY]; OF_OTHERS.end - OF_OTHERS.start],
            next: 0,
            numbers: [0; CHUNK],
        }
    }

    /// For a run and a radius; nothing is kept.
    #[inline(always)]
    fn begin(&mut self, flock: &Sorted<'a, V::Scalar>, run: Range<usize>, radius: V::Scalar) {
        self.seam = flock.at_seam(&run);
        self.cull.most = V::splat(V::Scalar::blurred_square(radius, &flock.rule.format));
        self.cull.surround(run, false);
        self.left = 0..0;
    }

    /// Keeps the boids along a walk, replacing earlier ones; true if there was room for all.
    #[inline(always)]
    fn fill(&mut self, scene: &Scene<'_, V::Scalar>, walk: &mut Walk<'_>) -> bool {
        let known = &mut self.known;
        self.next = 0;
        let all = self.cull.fill(
            walk,
            &mut self.left,
            &mut self.positions,
            self.seam,
            #[inline(always)]
            |bits, first, count| {
                for (slot, numbers) in &scene.known.0 {
                    let to = &mut known[slot - OF_OTHERS.start][count..];
                    V::load(&numbers[first..]).write_lanes(bits, to);
                }
            },
        );
        let [xs, ys, zs] = &mut self.positions;
        // In integers the cull has compared coarse positions, where a perched boid is not infinitely far away.
        if V::Scalar::ZERO < V::Scalar::blur(&scene.flock.rule.format) {
            self.cull.retain(
                #[inline(always)]
                |before, k, index| {
                    let boid = &scene.boids[index as usize];
                    (xs[k], ys[k], zs[k]) = boid.position.into();
                    // The other inputs are in place already, unless a boid was dropped.
                    if k < before {
                        known.iter_mut().for_each(|numbers| numbers[k] = numbers[before]);
                    }
                    !boid.resting()
                },
            );
        }
        all
    }

    /// Adds those that the boid at a sorted index perceives.
    #[inline(always)]
    fn offer(&mut self, index: usize, scene: &Scene<'_, V::Scalar>, me: &mut Perceiver<'_, V>) {
        let here = Vec3::<V>::splat(scene.boids[index].position.into());
        let kept = self.cull.kept();
        // The boids of a run come in their order, though a perched one may be missing.
        let place = kept[self.next..].iter().position(|other| *other as usize == index);
        let itself = place.map_or(CAPACITY, |place| self.next + place);
        self.next = itself % CAPACITY;
        let ([x, y, z], radius, reads) = (&self.positions, me.formula.radius, me.formula.reads);
        let identifies = me.identifies();
        let mut first = 0;
        while first < kept.len() {
            let (known, held) = (&mut me.table.known, &mut me.held);
            let (begin, mut count) = (*held, *held);
            while first < kept.len() && count + MAX_LANES <= CHUNK {
                let mut offset = Vec3::new(
                    V::load(&x[first..]).minus(here.x),
                    V::load(&y[first..]).minus(here.y),
                    V::load(&z[first..]).minus(here.z),
                );
                if self.seam {
                    offset = scene.flock.rule.nearest_image(offset);
                }
                let mut all = u32::MAX >> (32 - V::LANES.min(kept.len() - first));
                let own = itself.wrapping_sub(first);
                all &= !(u32::from(own < V::LANES) << (own % 32));
                let bits = all & V::bits(V::near(offset, radius));
                for (slot, lanes) in (Input::Offset as usize..).zip(offset.to_array()) {
                    lanes.write_lanes(bits, &mut known[slot][count..]);
                }
                for (numbers, slot) in self.known.iter().zip(OF_OTHERS) {
                    if reads >> slot & 1 == 1 {
                        V::load(&numbers[first..]).write_lanes(bits, &mut known[slot][count..]);
                    }
                }
                if identifies {
                    V::write_set(bits, first as u32, &mut self.numbers[count..]);
                }
                count += bits.count_ones() as usize;
                first += V::LANES;
            }
            *held = count;
            if identifies {
                for (pair, number) in (begin..count).zip(&self.numbers[begin..]) {
                    let other = kept[*number as usize] as usize;
                    me.identify(pair, scene.boids[other].position.into(), scene.ids[other]);
                }
            }
            if first < kept.len() {
                me.add();
            }
        }
    }
}

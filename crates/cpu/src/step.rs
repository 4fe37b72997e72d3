//! The arrays of a flock, and the passes of a step over them.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use engine::system::Threads;
use engine::{PassEvent, PreparedRule, State};
use flock::formula::Prepared;
use flock::rule::{Term, Terms};
use flock::update::StepContext;
use flock::{Boid, Grid, Number, Parameters, Predator, Rule, Vec3};
use rayon::prelude::*;
use web_time::Instant;

use super::bins::{Bins, DENSE};
use super::clusters::{Candidate, Clusters, CoarsePositions};
use super::formulas;
use super::neighbours::Update;
use super::reduce::{Reduction, Totals};
use super::registers::{Real, Registers};
use super::vector::MAX_LANES;
use super::walk::Sorted;

/// Boids that one task steps: few enough to share clumped flocks evenly.
const BLOCK: usize = 256;

/// Boids whose vectors one task copies or adds up.
const COPIED: usize = 4096;

/// A boid is fetched from memory this many sorted indices before it is put in order.
const AHEAD: usize = 12;

/// The grid that suits a rule and a number of boids. On a plane there are few rows: cells half as wide keep the boids
/// of a register together, unless there are too few boids in them. There are about as many cells as `most` at most.
pub fn divided<T: Number>(rule: &Rule<T>, boids: usize, most: u32) -> Grid<T> {
    let reach = rule.reach.to_f64();
    let discs = rule.size.x.to_f64() / reach * (rule.size.y.to_f64() / reach);
    let parts = if rule.flat && boids as f64 > 4.0 * discs { 2 } else { 1 };
    Grid::divided(rule, most, [parts; 3])
}

/// A flock, and the room a step needs: stepping allocates nothing.
#[derive(Debug)]
pub struct Stepper<T: Number> {
    pub threads: Threads,
    pub parameters: Parameters,
    pub registers: Registers,
    pub step: u64,
    pub predators: Vec<Predator<T>>,
    /// The boids in the order of the last step, their ids, and the number of boids that each perceived in it.
    pub boids: Vec<Boid<T>>,
    pub ids: Vec<u32>,
    pub neighbours: Vec<u32>,
    /// True for each boid that counts in sums over the flock; empty where all do.
    pub counted: Vec<bool>,
    pub clock: Clock,
    /// The rule of the parameters; [`Stepper::set_formulas`] follows a change.
    pub rule: Rule<T>,
    /// Custom terms; the requests of each boid by them and from outside, empty if there are neither.
    prepared: Option<Box<Prepared<T>>>,
    pub requested: Vec<Vec3<T>>,
    known: formulas::NeighbourInputs<T>,
    grid: Grid<T>,
    /// The boids in the order of this step, with their cells and what other boids perceive of them.
    sorted: Vec<Boid<T>>,
    sorted_ids: Vec<u32>,
    sorted_counted: Vec<bool>,
    pub cells: Vec<u32>,
    pub candidates: Vec<Candidate<T>>,
    pub positions: CoarsePositions<T>,
    /// Every boid is inside the world.
    inside: AtomicBool,
    pub bins: Bins,
    /// A cell with at least this many boids is dense: [`DENSE`], or more than there are where clusters are not used.
    pub dense_from: usize,
    /// Filled where some cell is dense.
    clusters: Clusters<T>,
    reduction: Reduction<T>,
}

impl<T: Real> Stepper<T> {
    /// Takes over a flock in id order, with the rule of the parameters for its size.
    pub fn new(
        threads: Threads,
        registers: Registers,
        parameters: &Parameters,
        rule: PreparedRule<T>,
        state: &State,
    ) -> Self {
        let PreparedRule { rule, formulas } = rule;
        let count = state.boids.len();
        let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
        let ids: Vec<u32> = (0..count as u32).collect();
        let grid = divided(&rule, count, count as u32);
        let mut stepper = Stepper {
            threads,
            parameters: *parameters,
            registers,
            step: state.step,
            predators: state.predators.iter().map(|predator| rule.quantise_predator(predator)).collect(),
            neighbours: Vec::new(),
            counted: Vec::new(),
            clock: Clock::default(),
            sorted: Vec::new(),
            sorted_ids: Vec::new(),
            sorted_counted: Vec::new(),
            boids,
            ids,
            cells: Vec::new(),
            candidates: Vec::new(),
            positions: CoarsePositions::default(),
            inside: AtomicBool::new(false),
            bins: Bins::new(&grid),
            dense_from: DENSE,
            clusters: Clusters::default(),
            reduction: Reduction::new(),
            prepared: None,
            requested: Vec::new(),
            known: formulas::NeighbourInputs::new(None),
            rule,
            grid,
        };
        stepper.set_formulas(formulas);
        stepper
    }

    /// Sorts into the cells of another grid from now on.
    pub fn set_grid(&mut self, grid: Grid<T>) {
        if grid.cells() != self.grid.cells() {
            self.bins = Bins::new(&grid);
            self.bins.resize(self.boids.len());
        }
        self.grid = grid;
    }

    /// Makes room for as many boids as there are now.
    pub fn resize(&mut self) {
        let count = self.boids.len();
        self.neighbours.resize(count, 0);
        self.sorted.resize(count, Boid::default());
        self.sorted_ids.resize(count, 0);
        self.sorted_counted.resize(self.counted.len(), true);
        self.cells.resize(count, 0);
        self.candidates.resize(count, Candidate { position: Vec3::zero(), velocity: Vec3::zero() });
        self.positions.iter_mut().for_each(|axis| axis.resize(count + MAX_LANES, T::ZERO));
        self.bins.resize(count);
        self.clusters.resize(count);
        self.reduction.resize(count);
        self.requested.resize(if self.prepared.is_some() { count } else { 0 }, Vec3::zero());
        self.known.resize(count);
    }

    /// Takes the formulas of the custom terms, and makes room for all.
    pub fn set_formulas(&mut self, formulas: Option<Box<Prepared<T>>>) {
        self.known = formulas::NeighbourInputs::new(formulas.as_deref());
        self.prepared = formulas;
        self.resize();
    }

    /// The first half of a step: the boids in order, and sums over those that count. Others may add to them.
    pub fn begin(&mut self) -> &mut Totals<T> {
        self.clock.begin();
        self.arrange();
        self.clock.end("sort", self.step);
        self.reduction.sum_up(&self.rule, &self.sorted, &self.sorted_counted, &self.predators);
        &mut self.reduction.totals
    }

    /// The second half, of the boids that count. `outside` has each boid's additional request by id, besides its terms;
    /// empty if there are none.
    pub fn finish(&mut self, outside: &[Vec3<T>]) {
        let means = self.reduction.means(&self.rule);
        self.reduction.move_predators(&self.rule, self.step, means, &mut self.predators);
        if self.rule.means || !self.predators.is_empty() {
            self.clock.end("move_predators", self.step);
        }

        let mut with_outside = self.rule;
        if !outside.is_empty() {
            // Requests from outside enter with the custom terms.
            with_outside.terms = with_outside.terms.with(Term::Formulas);
        }
        let context = StepContext::new(&with_outside, self.step, means, &self.predators);
        let rule = &self.rule;
        let flock = Sorted {
            rule,
            grid: &self.grid,
            bins: &self.bins,
            cells: &self.cells,
            candidates: &self.candidates,
            positions: &self.positions,
            clusters: self.dense().then_some(&self.clusters),
            inside: self.inside.load(Relaxed),
        };
        let step_range = T::step_range(self.registers, rule, flock.clusters.is_some());
        let counted = &self.sorted_counted[..];
        if let Some(prepared) = &self.prepared {
            let (boids, ids) = (&self.sorted[..], &self.sorted_ids[..]);
            self.known.fill(prepared, boids, ids);
            let known = &self.known;
            let scene = formulas::Scene { flock: &flock, prepared, step: self.step, boids, ids, known };
            let (requests_of, length) = (T::formula_requests(self.registers), formulas::block(boids.len()));
            let tasks = self.requested.par_chunks_mut(length).enumerate().with_max_len(1);
            tasks.for_each(|(k, requests)| {
                let first = k * length;
                for run in runs(counted, first, requests.len()) {
                    requests_of(&scene, run.start, &mut requests[run.start - first..run.end - first]);
                }
            });
        } else {
            self.requested.clear();
            self.requested.resize(outside.len().min(self.sorted.len()), Vec3::zero());
        }
        if !outside.is_empty() {
            let both = self.requested.par_iter_mut().zip(&self.sorted_ids).with_min_len(COPIED);
            both.for_each(|(requested, id)| {
                *requested = *requested + outside.get(*id as usize).copied().unwrap_or_default();
            });
        }
        if !self.requested.is_empty() {
            self.clock.end("formula_terms", self.step);
        }
        let requested = &self.requested[..];
        let blocks = (
            self.sorted.par_chunks_mut(BLOCK),
            self.sorted_ids.par_chunks(BLOCK),
            self.neighbours.par_chunks_mut(BLOCK),
        );
        let tasks = blocks.into_par_iter().enumerate().with_max_len(1);
        tasks.for_each(|(block, (boids, ids, neighbours))| {
            for run in runs(counted, block * BLOCK, boids.len()) {
                let here = run.start % BLOCK..(run.end - 1) % BLOCK + 1;
                let mut update = Update {
                    context: &context,
                    first: run.start,
                    boids: &mut boids[here.clone()],
                    ids: &ids[here.clone()],
                    requested: requested.get(run.clone()).unwrap_or_default(),
                    neighbours: &mut neighbours[here],
                };
                if T::ZERO < rule.reach_square {
                    step_range(&flock, run, &mut update);
                } else {
                    update.isolated();
                }
            }
        });
        std::mem::swap(&mut self.boids, &mut self.sorted);
        std::mem::swap(&mut self.ids, &mut self.sorted_ids);
        std::mem::swap(&mut self.counted, &mut self.sorted_counted);
        self.clock.end("step", self.step);
        self.step += 1;
    }

    /// Brings the boids into the order of this step.
    fn arrange(&mut self) {
        self.bins.sort(&self.grid, &self.boids, &self.ids, self.dense_from);
        let (bins, boids, rule) = (&self.bins, &self.boids, &self.rule);
        self.inside = AtomicBool::new(true);
        let inside = &self.inside;
        let [xs, ys, zs] = self.positions.each_mut().map(|axis| axis.par_chunks_mut(BLOCK));
        let blocks = (
            self.sorted.par_chunks_mut(BLOCK),
            self.sorted_ids.par_chunks_mut(BLOCK),
            self.cells.par_chunks_mut(BLOCK),
            self.candidates.par_chunks_mut(BLOCK),
            xs,
            ys,
            zs,
        );
        blocks.into_par_iter().enumerate().for_each(
            |(block, (sorted, ids, cells, candidates, xs, ys, zs))| {
                let boids_here =
                    sorted.iter_mut().zip(ids).zip(cells).zip(candidates).zip(xs).zip(ys).zip(zs);
                for (index, ((((((boid, id), cell), candidate), x), y), z)) in
                    (block * BLOCK..).zip(boids_here)
                {
                    let before;
                    bins.fetch(index + AHEAD, boids);
                    (before, *id, *cell) = bins.source(index);
                    let here = boids[before];
                    if !rule.inside(here.position.into()) {
                        inside.store(false, Relaxed);
                    }
                    *boid = here;
                    // A perched boid is out of every boid's reach.
                    let nowhere = [T::from_f64(f64::INFINITY); 3];
                    let position = Vec3::from(if here.resting() { nowhere } else { here.position });
                    *candidate = Candidate { position, velocity: here.velocity.into() };
                    let coarse = T::coarse_position(position, &rule.format);
                    (*x, *y, *z) = (coarse.x, coarse.y, coarse.z);
                }
            },
        );
        let counted = &self.counted;
        let sorted_counted = self.sorted_counted.par_chunks_mut(COPIED).enumerate();
        sorted_counted.for_each(|(block, sorted)| {
            (block * COPIED..).zip(sorted).for_each(|(index, to)| *to = counted[bins.source(index).0]);
        });
        if self.dense() {
            self.clusters.sum_up(&self.candidates, &self.rule.format);
        }
    }

    /// The most boids in a cell at the last step.
    pub fn most_in_cell(&self) -> usize {
        self.bins.most as usize
    }

    /// True if some cell is dense enough for clusters to pay.
    fn dense(&self) -> bool {
        let pairwise = self.rule.terms.within(Terms::PAIRWISE) && !self.rule.needs_general_sums;
        self.most_in_cell() >= self.dense_from && pairwise
    }
}

/// The runs of boids that count among those of a block; one of all where `counted` is empty.
fn runs(counted: &[bool], first: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    let counts = move |index: &usize| counted.get(*index).is_none_or(|counts| *counts);
    let (end, mut next) = (first + length, first);
    std::iter::from_fn(move || {
        let start = (next..end).find(counts)?;
        next = (start..end).find(|index| !counts(index)).unwrap_or(end);
        Some(start..next)
    })
}

/// A clock that runs only once it is started.
#[derive(Debug, Default)]
pub struct Clock {
    /// The times of its start and of the last phase's end; none while it is stopped.
    times: Option<[Instant; 2]>,
    events: Vec<PassEvent>,
}

impl Clock {
    /// Starts or stops the clock, and clears it.
    pub fn run(&mut self, on: bool) {
        *self = Clock { times: on.then(|| [Instant::now(); 2]), events: Vec::new() };
    }

    /// The phases since the last call.
    pub fn take(&mut self) -> Vec<PassEvent> {
        std::mem::take(&mut self.events)
    }

    /// The first phase of a step begins.
    pub fn begin(&mut self) {
        if let Some([_, last]) = &mut self.times {
            *last = Instant::now();
        }
    }

    /// A phase of a step has ended, and the next begins.
    pub fn end(&mut self, pass: &'static str, step: u64) {
        if let Some([zero, last]) = &mut self.times {
            let now = Instant::now();
            let since = |at: Instant| at.duration_since(*zero).as_nanos() as f64;
            self.events.push(PassEvent { pass, step, begin: since(*last), end: since(now) });
            *last = now;
        }
    }
}

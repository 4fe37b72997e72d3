//! One step.

use super::Engine;
use super::cells::Cells;
use super::cost::{Cost, SharedCost, Stopwatch};
use super::packed::Radii;
use super::search::{Candidates, SearchMode};
use super::sort::Strays;
use crate::cores::{CORES, Cores};
use crate::memory::read_half;
use core::array::from_fn;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use flock::fixed::FastUpdate;
use flock::perceive::Sums;
use flock::update::{Means, StepContext, update};
use flock::{Boid, Fixed, brute};

/// Sorted boids that no core has taken yet. Core 0 takes from the front and core 1 from the back, so both finish at the
/// same time however the flock is distributed.
struct Queue {
    front: AtomicUsize,
    back: AtomicUsize,
}

/// Boids taken at a time.
const CHUNK: usize = 8;

/// Steps between two fits of the grid, once the flock has left the world.
const FIT_INTERVAL: u64 = 64;

impl Queue {
    fn take(&self, core: usize) -> Range<usize> {
        let (front, back) = (self.front.load(Relaxed), self.back.load(Relaxed));
        let count = CHUNK.min(back - front);
        if core == 0 {
            self.front.store(front + count, Relaxed);
            front..front + count
        } else {
            self.back.store(back - count, Relaxed);
            back - count..back
        }
    }
}

/// One core's part of searching and updating.
struct Worker<'e, C> {
    engine: &'e Engine<'e>,
    context: &'e StepContext<'e, Fixed>,
    mode: SearchMode,
    /// Number of sorted boids.
    sorted: usize,
    candidates: Candidates,
    watch: Stopwatch<'e, C>,
    cost: Cost,
}

impl<C: Cores> Worker<'_, C> {
    fn work(&mut self, core: usize, queue: &Queue) -> Cost {
        loop {
            let slots = self.watch.cores.exclusive(|| queue.take(core));
            if slots.is_empty() {
                break;
            }
            self.cost.boids += slots.len() as u32;
            slots.for_each(|slot| self.step_boid(slot));
        }
        self.cost.total = self.cost.search + self.cost.update + self.watch.lap();
        self.cost
    }

    #[inline(always)]
    fn step_boid(&mut self, slot: usize) {
        let engine = self.engine;
        let id = read_half(engine.arrays.order, slot);
        let cell = read_half(engine.arrays.cells, id);
        if self.candidates.cell != Some(cell) {
            engine.find_candidates(&mut self.candidates, self.mode, cell, self.sorted);
        }
        self.cost.candidates += self.candidates.slots;
        match (self.mode, &engine.fast_update) {
            (SearchMode::Packed(radii), Some(fast)) if engine.rule.flat => {
                self.step_packed::<true>(fast, &radii, slot, id);
            }
            (SearchMode::Packed(radii), Some(fast)) => self.step_packed::<false>(fast, &radii, slot, id),
            (mode, _) => {
                let sums = engine.search(mode, &self.candidates, slot, id);
                self.cost.search += self.watch.lap();
                self.cost.neighbours += neighbours(&sums);
                engine.update(self.context, id, &engine.boid(id), sums);
                self.cost.update += self.watch.lap();
            }
        }
    }

    /// Searches and updates in single words.
    #[inline(never)]
    fn step_packed<const FLAT: bool>(&mut self, fast: &FastUpdate, radii: &Radii, slot: usize, id: usize) {
        let (engine, context) = (self.engine, self.context);
        let sums = engine.sum_packed::<FLAT>(radii, &self.candidates, slot);
        self.cost.search += self.watch.lap();
        self.cost.neighbours +=
            (sums.alignment_count.max(sums.cohesion_count) + sums.separation_count) as u32;
        let boid = engine.boid_of::<FLAT>(id);
        match fast.update::<FLAT>(context, id, &boid, &sums) {
            Some(moved) => {
                let state = boid.group as i32;
                engine.write::<FLAT>(1 - engine.now, id, moved.position, moved.velocity, moved.bias, state);
            }
            None => engine.update(context, id, &boid, sums.sums(engine.rule.format.position_shift)),
        }
        self.cost.update += self.watch.lap();
    }
}

impl Engine<'_> {
    /// Makes one step.
    pub fn step(&mut self, cores: &impl Cores) {
        let mut watch = Stopwatch::new(cores);
        let means = if self.rule.means { brute::means(&self.rule, self.first(self.boids)) } else { None };
        self.move_predators(means);
        let engine = &*self;
        let context = StepContext::new(&engine.rule, engine.step, means, engine.predators());
        let (strays, costs) = (Strays::default(), [SharedCost::default(), SharedCost::default()]);
        let mut total = watch.lap();
        let sorted = engine.sort(cores, &context, &strays, &costs);
        total += watch.lap();

        let mode = engine.search_mode(strays.beyond.load(Relaxed));
        let queue = Queue { front: AtomicUsize::new(0), back: AtomicUsize::new(sorted) };
        cores.run(&|core| {
            let (watch, context, candidates) = (Stopwatch::new(cores), &context, Candidates::new());
            let mut worker =
                Worker { engine, context, mode, sorted, candidates, watch, cost: Cost::default() };
            costs[core].add(worker.work(core, &queue));
        });
        let mut costs = costs.map(|cost| cost.get());
        let longest = costs.iter().map(|cost| cost.total).max().unwrap_or_default();
        costs.iter_mut().for_each(|cost| cost.total = total + longest);
        self.store_velocities();
        // Fit the grid before any boid is too far outside for packed offsets.
        let leaves = strays.outside.load(Relaxed) || strays.beyond.load(Relaxed);
        self.costs = costs;
        (self.now, self.step) = (1 - self.now, self.step.wrapping_add(1));
        if leaves || !self.over_world && self.step.is_multiple_of(FIT_INTERVAL) {
            self.fit_grid();
        }
    }

    /// Sorts and packs the boids that are visible to others, and lets perched boids rest. Returns the number of sorted
    /// boids.
    fn sort(
        &self,
        cores: &impl Cores,
        context: &StepContext<'_, Fixed>,
        strays: &Strays,
        costs: &[SharedCost; CORES],
    ) -> usize {
        let timed = |work: &(dyn Fn(usize) + Sync)| {
            cores.run(&|core| {
                let mut watch = Stopwatch::new(cores);
                work(core);
                costs[core].add(Cost { sort: watch.lap(), ..Cost::default() });
            });
        };
        let rest = |id: usize, boid: &Boid<Fixed>| self.update(context, id, boid, Sums::new());
        timed(&|core| match self.rule.flat {
            true => self.find_cells::<true>(core, strays, rest),
            false => self.find_cells::<false>(core, strays, rest),
        });
        let sorted = self.order();
        timed(&|core| match self.rule.flat {
            true => self.pack::<true>(core, sorted),
            false => self.pack::<false>(core, sorted),
        });
        sorted
    }

    /// Lays the grid over the flock, with a margin, instead of over the world.
    fn fit_grid(&mut self) {
        if self.cells.wraps() || self.boids == 0 {
            return;
        }
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for id in 0..self.boids {
            let (position, ..) = self.drawn(id);
            low = from_fn(|k| low[k].min(position[k]));
            high = from_fn(|k| high[k].max(position[k]));
        }
        let place = self.rule.format.position_shift;
        let margin = self.rule.reach.0 >> place;
        let (low, high) = (low.map(|c| (c >> place) - margin), high.map(|c| (c >> place) + margin));
        self.cells = Cells::over(&self.rule, low, high, self.arrays.starts.len().saturating_sub(1));
        self.over_world = false;
    }

    /// Updates a boid by the general rule; one on its perch rests.
    #[inline(never)]
    fn update(&self, context: &StepContext<'_, Fixed>, id: usize, boid: &Boid<Fixed>, sums: Sums<Fixed>) {
        let after = update(context, boid, id as u32, &sums);
        self.put_boid_to(1 - self.now, id, &after);
    }

    /// The boids with ids below `count`.
    fn first(&self, count: usize) -> impl Iterator<Item = Boid<Fixed>> {
        (0..count).map(|id| self.boid(id))
    }

    fn move_predators(&mut self, means: Option<Means<Fixed>>) {
        // Without attacks no prey is needed.
        let prey = if self.rule.attack_weight == Fixed(0) { 0 } else { self.boids };
        for index in 0..self.predator_count {
            let hunter = &self.predators[index];
            let moved = brute::hunt(&self.rule, self.step, index, hunter, means, self.first(prey));
            self.predators[index] = moved;
        }
    }
}

/// The number of distinct boids in the sums.
fn neighbours(sums: &Sums<Fixed>) -> u32 {
    (sums.alignment_count.0.max(sums.cohesion_count.0) + sums.separation_count.0) as u32
}

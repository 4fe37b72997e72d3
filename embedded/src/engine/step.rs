//! One step: a counting sort of the boids by cell, then the search and the update of each; and its cost in cycles.

use super::Engine;
use super::cells::{BEYOND, Cells, INSIDE};
use super::kernel::Kernel;
use super::packed::{Radii, pack_boid};
use super::search::{Candidates, SearchMode};
use crate::cores::{CORES, Cores, elapsed, part};
use crate::memory::{put_vector, read, read_half, vector, write_half};
use core::array::from_fn;
use core::fmt;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use flock::perceive::Sums;
use flock::rule::Term;
use flock::state::split_tag;
use flock::update::{Means, StepContext, update};
use flock::{Boid, Fixed, brute};

/// A sum of one core's contributions.
#[derive(Debug, Default)]
pub struct Counter(AtomicU32);

impl Counter {
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    pub fn add(&self, more: u32) {
        self.0.store(self.get().wrapping_add(more), Relaxed);
    }
}

/// Cycles that one core spent in a step, and the number of items processed.
#[derive(Debug, Default)]
pub struct Cost {
    /// The whole step, including the wait for the other core.
    pub total: Counter,
    /// Sorting and packing.
    pub sort: Counter,
    /// Summing over neighbours.
    pub search: Counter,
    /// Evaluating custom terms.
    pub terms: Counter,
    /// Updating boids.
    pub update: Counter,
    pub boids: Counter,
    pub candidates: Counter,
    pub neighbours: Counter,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [total, sort, terms, search, update] =
            [&self.total, &self.sort, &self.terms, &self.search, &self.update].map(Counter::get);
        write!(f, "total {total} sort {sort} terms {terms} search {search} update {update} ")?;
        let [boids, candidates, neighbours] =
            [&self.boids, &self.candidates, &self.neighbours].map(Counter::get);
        write!(f, "boids {boids} candidates {candidates} neighbours {neighbours}")
    }
}

/// Measures the cycles between laps.
pub struct Stopwatch<'c, C> {
    pub cores: &'c C,
    last: u32,
}

impl<'c, C: Cores> Stopwatch<'c, C> {
    pub fn new(cores: &'c C) -> Self {
        Stopwatch { cores, last: cores.clock() }
    }

    pub fn lap(&mut self) -> u32 {
        let now = self.cores.clock();
        let passed = elapsed(self.last, now);
        self.last = now;
        passed
    }
}

/// Sorted boids that no core has claimed yet. Core 0 claims from the front and core 1 from the back, so both finish at the
/// same time however the flock is distributed.
pub(super) struct Queue {
    front: AtomicUsize,
    back: AtomicUsize,
}

/// Boids taken at a time.
const CHUNK: usize = 8;

/// Steps between two fits of the grid, once the flock has left the world.
const FIT_INTERVAL: u64 = 64;

impl Queue {
    pub fn new(sorted: usize) -> Self {
        Queue { front: AtomicUsize::new(0), back: AtomicUsize::new(sorted) }
    }

    pub fn take(&self, core: usize) -> Range<usize> {
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
    mode: &'e SearchMode,
    /// Number of sorted boids.
    sorted: usize,
    candidates: Candidates,
    kernel: Option<Kernel<'e>>,
    watch: Stopwatch<'e, C>,
    cost: &'e Cost,
}

impl<C: Cores> Worker<'_, C> {
    fn work<const FLAT: bool>(&mut self, core: usize, queue: &Queue) {
        let Cost { total, search, update, boids, .. } = self.cost;
        loop {
            let slots = self.watch.cores.exclusive(|| queue.take(core));
            if slots.is_empty() {
                break;
            }
            boids.add(slots.len() as u32);
            slots.for_each(|slot| self.step_boid::<FLAT>(slot));
        }
        total.add(search.get() + update.get() + self.watch.lap());
    }

    #[inline(always)]
    fn step_boid<const FLAT: bool>(&mut self, slot: usize) {
        let engine = self.engine;
        let id = read_half(engine.arrays.order, slot);
        if let SearchMode::Packed(radii) = self.mode {
            return self.step_packed::<FLAT>(radii, slot, id);
        }
        self.find_candidates(id);
        let sums = engine.search(self.mode, &self.candidates, slot, id);
        let (separation, alignment) = (sums.separation_count, sums.alignment_count);
        self.searched([separation.0, alignment.0, sums.cohesion_count.0]);
        engine.update(self.context, id, &engine.boid(id), sums);
        self.cost.update.add(self.watch.lap());
    }

    /// Searches and, if possible, updates in single words.
    #[inline(never)]
    fn step_packed<const FLAT: bool>(&mut self, radii: &Radii, slot: usize, id: usize) {
        let (engine, context) = (self.engine, self.context);
        let kernel = self.kernel.as_mut().filter(|_| FLAT);
        let sums = if let Some((sums, candidates)) = kernel.and_then(|kernel| kernel.search(slot, id)) {
            self.cost.candidates.add(candidates);
            sums
        } else {
            self.find_candidates(id);
            let sum = if FLAT { Engine::sum_flat } else { Engine::sum_packed::<false> };
            sum(engine, radii, &self.candidates, slot)
        };
        self.searched([sums.separation_count, sums.alignment_count, sums.cohesion_count]);
        let boid = engine.boid_of::<FLAT>(id);
        match engine.fast_update.as_ref().and_then(|fast| fast.update::<FLAT>(context, id, &boid, &sums)) {
            Some(moved) => engine.put::<FLAT>(1 - engine.now, id, &moved, boid.group as i32),
            None => engine.update(context, id, &boid, sums.sums(engine.rule.format.position_shift)),
        }
        self.cost.update.add(self.watch.lap());
    }

    fn find_candidates(&mut self, id: usize) {
        self.engine.find_candidates(&mut self.candidates, self.mode, id, self.sorted);
        self.cost.candidates.add(self.candidates.slots);
    }

    /// Ends the search of a boid, with its number of neighbours of each kind.
    #[inline(always)]
    fn searched(&mut self, [separation, alignment, cohesion]: [i32; 3]) {
        self.cost.search.add(self.watch.lap());
        self.cost.neighbours.add((alignment.max(cohesion) + separation) as u32);
    }
}

impl Engine<'_> {
    /// Makes one step.
    pub fn step(&mut self, cores: &impl Cores) {
        let flags =
            if self.rule.flat { self.step_boids::<true>(cores) } else { self.step_boids::<false>(cores) };
        for (now, next) in self.arrays.velocities.iter().zip(self.arrays.next_velocities) {
            now.store(next.load(Relaxed), Relaxed);
        }
        (self.now, self.step_number) = (1 - self.now, self.step_number.wrapping_add(1));
        // Fit the grid before any boid is too far outside for packed offsets.
        if flags != INSIDE || !self.over_world && self.step_number.is_multiple_of(FIT_INTERVAL) {
            self.fit_grid();
        }
    }

    /// Moves the predators and all boids. Returns flags: whether a boid was [`OUTSIDE`](super::cells::OUTSIDE) or
    /// [`BEYOND`] the grid.
    fn step_boids<const FLAT: bool>(&mut self, cores: &impl Cores) -> u32 {
        let mut watch = Stopwatch::new(cores);
        self.costs = Default::default();
        let means = if self.rule.means { brute::means(&self.rule, self.first(self.boids)) } else { None };
        self.move_predators(means);
        let engine = &*self;
        let context = StepContext::new(&engine.rule, engine.step_number, means, engine.predators());
        let mut total = watch.lap();
        let (sorted, flags) = engine.sort::<FLAT>(cores, &context);
        total += watch.lap();

        let mode = &engine.search_mode(flags & BEYOND != 0);
        if engine.rule.terms.has(Term::Formulas) {
            total += engine.request_own::<FLAT>(cores, &context, mode, sorted);
        }
        let queue = Queue::new(sorted);
        cores.run(&|core| {
            let (watch, context, candidates) = (Stopwatch::new(cores), &context, Candidates::new());
            let cost = &engine.costs[core];
            let kernel = Kernel::new(engine, mode);
            Worker { engine, context, mode, sorted, candidates, kernel, watch, cost }
                .work::<FLAT>(core, &queue);
        });
        let longest = self.costs.iter().map(|cost| cost.total.get()).max().unwrap_or_default();
        self.costs.iter().for_each(|cost| cost.total.add(total + longest - cost.total.get()));
        flags
    }

    /// Sorts and packs the boids that are visible to others, and lets perched boids rest. Returns the number of sorted
    /// boids, and whether some lie outside the grid.
    fn sort<const FLAT: bool>(&self, cores: &impl Cores, context: &StepContext<'_, Fixed>) -> (usize, u32) {
        let timed = |work: &(dyn Fn(usize) + Sync)| {
            cores.run(&|core| {
                let mut watch = Stopwatch::new(cores);
                work(core);
                self.costs[core].sort.add(watch.lap());
            });
        };
        let rest = |id: usize| self.update(context, id, &self.boid_of::<FLAT>(id), Sums::new());
        let flags = [const { AtomicU32::new(INSIDE) }; CORES];
        timed(&|core| flags[core].store(self.find_cells::<FLAT>(core, rest), Relaxed));
        let sorted = self.order();
        timed(&|core| self.pack::<FLAT>(core, sorted));
        (sorted, flags.iter().fold(INSIDE, |all, flags| all | flags.load(Relaxed)))
    }

    /// Lays the grid over the flock, with a margin, instead of over the world.
    fn fit_grid(&mut self) {
        if self.cells.wraps || self.boids == 0 {
            return;
        }
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for id in 0..self.boids {
            let position = self.vector(self.positions(), id);
            low = from_fn(|k| low[k].min(position[k]));
            high = from_fn(|k| high[k].max(position[k]));
        }
        let place = self.rule.format.position_shift;
        let margin = self.rule.reach.0 >> place;
        let (low, high) = (low.map(|c| (c >> place) - margin), high.map(|c| (c >> place) + margin));
        self.cells = Cells::over(&self.rule, low, high, self.arrays.starts.len().saturating_sub(1));
        self.over_world = false;
    }

    /// Updates a boid by the general rule; a perching boid rests.
    #[inline(never)]
    fn update(&self, context: &StepContext<'_, Fixed>, id: usize, boid: &Boid<Fixed>, sums: Sums<Fixed>) {
        let after = update(context, boid, id as u32, &sums, self.formula_request(id).as_slice());
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
            let moved =
                brute::move_predator(&self.rule, self.step_number, index, hunter, means, self.first(prey));
            self.predators[index] = moved;
        }
    }
}

/// The cell of a perching boid, which other boids do not perceive.
const NO_CELL: usize = 0xffff;

impl Engine<'_> {
    /// Finds the cells of a core's boids, and whether one lies outside the grid. Perching boids are passed to `rest`.
    fn find_cells<const FLAT: bool>(&self, core: usize, rest: impl Fn(usize)) -> u32 {
        let mut flags = INSIDE;
        for id in part(core, self.boids) {
            if split_tag(read(self.arrays.states, id) as u32).1 > 0 {
                write_half(self.arrays.cells, id, NO_CELL);
                rest(id);
                continue;
            }
            let position = vector::<FLAT>(self.positions(), id).map(|c| self.coarse_position(c));
            let (cell, outside) = self.cells.cell::<FLAT>(position);
            write_half(self.arrays.cells, id, cell);
            flags |= outside;
        }
        flags
    }

    /// A coordinate in coarse units: [`flock::Lanes::coarse_position`] for the coordinates that a boid can have.
    #[inline(always)]
    pub(super) fn coarse_position(&self, coordinate: i32) -> i32 {
        let shift = self.rule.format.position_shift;
        (coordinate + ((1 << shift) >> 1)) >> shift
    }

    /// A component of a velocity in coarse units, as in [`flock::fixed`].
    #[inline(always)]
    fn coarse_velocity(&self, component: i32) -> i32 {
        let (shift, most) = (self.rule.format.velocity_shift, self.rule.format.max_velocity);
        ((component + ((1 << shift) >> 1)) >> shift).clamp(-most, most)
    }

    /// Sorts the boids by cell, and returns the number of boids that have a cell.
    fn order(&self) -> usize {
        let arrays = &self.arrays;
        let count = self.cells.count();
        let starts = arrays.starts.get(..=count).unwrap_or_default();
        starts.iter().for_each(|start| start.store(0, Relaxed));
        // Entry c + 1 first counts cell c, then holds its start. Placing its boids advances it to its end, which is the
        // start of cell c + 1.
        for cell in arrays.cells {
            // `NO_CELL` is beyond all cells.
            if let Some(start) = starts.get(usize::from(cell.load(Relaxed)) + 1) {
                start.store(start.load(Relaxed) + 1, Relaxed);
            }
        }
        let mut begin = 0;
        for start in starts {
            let many = start.load(Relaxed);
            start.store(begin, Relaxed);
            begin += many;
        }
        for (id, cell) in arrays.cells.iter().enumerate() {
            if let Some(start) = starts.get(usize::from(cell.load(Relaxed)) + 1) {
                let slot = start.load(Relaxed);
                start.store(slot + 1, Relaxed);
                write_half(arrays.order, slot.into(), id);
            }
        }
        begin.into()
    }

    /// Packs a core's share of the sorted boids.
    fn pack<const FLAT: bool>(&self, core: usize, count: usize) {
        for slot in part(core, count) {
            let id = read_half(self.arrays.order, slot);
            let position = vector::<FLAT>(self.positions(), id).map(|c| self.coarse_position(c));
            let velocity = vector::<FLAT>(self.arrays.velocities, id).map(|c| self.coarse_velocity(c));
            put_vector::<FLAT>(self.arrays.packed, slot, pack_boid(position, velocity));
        }
    }
}

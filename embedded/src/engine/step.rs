//! One step, and what it costs.

use super::Engine;
use super::cells::Cells;
use super::look::{Candidates, Way};
use super::packed::Radii;
use super::sort::Strays;
use crate::crew::{Crew, WORKERS, elapsed};
use crate::memory::read_half;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use flock::fixed::brisk::Brisk;
use flock::perceive::Sums;
use flock::update::{Means, Surroundings, update};
use flock::{Boid, Fixed, brute};

/// What one worker spent in a step, in cycles of its core, and what it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// From the beginning to the end, waiting for the other included.
    pub total: u32,
    /// Sorting and packing.
    pub sort: u32,
    /// Looking around.
    pub look: u32,
    /// Moving.
    pub update: u32,
    pub boids: u32,
    pub candidates: u32,
    /// Boids perceived.
    pub neighbours: u32,
}

/// What a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    pub shares: [Share; WORKERS],
}

/// A share under way.
#[derive(Debug, Default)]
struct Meter {
    total: AtomicU32,
    sort: AtomicU32,
    look: AtomicU32,
    update: AtomicU32,
    boids: AtomicU32,
    candidates: AtomicU32,
    neighbours: AtomicU32,
}

/// Adds to a number that one worker alone changes.
fn add(to: &AtomicU32, more: u32) {
    to.store(to.load(Relaxed).wrapping_add(more), Relaxed);
}

impl Meter {
    fn read(&self) -> Share {
        let [total, sort, look, update, boids, candidates, neighbours] = [
            &self.total,
            &self.sort,
            &self.look,
            &self.update,
            &self.boids,
            &self.candidates,
            &self.neighbours,
        ]
        .map(|number| number.load(Relaxed));
        Share { total, sort, look, update, boids, candidates, neighbours }
    }
}

/// A clock that gives the cycles since it was last asked.
struct Watch<'c, C> {
    crew: &'c C,
    last: u32,
}

impl<'c, C: Crew> Watch<'c, C> {
    fn new(crew: &'c C) -> Self {
        Watch { crew, last: crew.clock() }
    }

    fn lap(&mut self) -> u32 {
        let now = self.crew.clock();
        let passed = elapsed(self.last, now);
        self.last = now;
        passed
    }
}

/// Slots that nobody has taken yet: one worker takes from the front, the other from the back, so that neither waits
/// for the other however the flock is spread.
struct Slots {
    front: AtomicUsize,
    back: AtomicUsize,
}

/// Steps from one look where the flock has flown to the next, once it has left the world.
const REST: u64 = 64;

/// Slots taken at a time.
const PORTION: usize = 8;

impl Slots {
    fn take(&self, worker: usize) -> (usize, usize) {
        let (front, back) = (self.front.load(Relaxed), self.back.load(Relaxed));
        let many = PORTION.min(back - front);
        if worker == 0 {
            self.front.store(front + many, Relaxed);
            (front, front + many)
        } else {
            self.back.store(back - many, Relaxed);
            (back - many, back)
        }
    }
}

impl Engine<'_> {
    /// Makes one step.
    pub fn step(&mut self, crew: &impl Crew) {
        let meters = [Meter::default(), Meter::default()];
        let mut watch = Watch::new(crew);
        let means = if self.rule.means { brute::means(&self.rule, self.first(self.boids)) } else { None };
        self.move_predators(means);
        let mut total = watch.lap();
        let engine = &*self;
        let around = Surroundings {
            step: engine.step as u32,
            means,
            predators: engine.predators(),
            senses: engine.senses,
        };

        let strays = Strays::default();
        crew.share(&|worker| {
            let mut watch = Watch::new(crew);
            let rest = |id: usize, boid: &Boid<Fixed>| engine.advance(&around, id, boid, Sums::new());
            if engine.rule.flat {
                engine.find_cells::<true>(worker, &strays, rest);
            } else {
                engine.find_cells::<false>(worker, &strays, rest);
            }
            add(&meters[worker].sort, watch.lap());
        });
        let seen = engine.order();
        crew.share(&|worker| {
            let mut watch = Watch::new(crew);
            if engine.rule.flat {
                engine.pack::<true>(worker, seen);
            } else {
                engine.pack::<false>(worker, seen);
            }
            add(&meters[worker].sort, watch.lap());
        });
        total += watch.lap();

        let way = engine.way(strays.beyond.load(Relaxed));
        let slots = Slots { front: AtomicUsize::new(0), back: AtomicUsize::new(seen) };
        crew.share(&|worker| {
            let mut watch = Watch::new(crew);
            let mut share = Share::default();
            let mut candidates = Candidates::new();
            loop {
                let (first, end) = crew.alone(|| slots.take(worker));
                if first == end {
                    break;
                }
                for slot in first..end {
                    let id = read_half(engine.arrays.order, slot);
                    let cell = read_half(engine.arrays.cells, id);
                    if candidates.cell != Some(cell) {
                        engine.find_candidates(&mut candidates, way, cell, seen);
                    }
                    share.candidates += candidates.slots;
                    match (way, &engine.brisk) {
                        (Way::Packed(radii), Some(brisk)) if engine.rule.flat => {
                            engine.fly::<true>(
                                brisk,
                                &radii,
                                &around,
                                &candidates,
                                slot,
                                id,
                                &mut watch,
                                &mut share,
                            );
                        }
                        (Way::Packed(radii), Some(brisk)) => {
                            engine.fly::<false>(
                                brisk,
                                &radii,
                                &around,
                                &candidates,
                                slot,
                                id,
                                &mut watch,
                                &mut share,
                            );
                        }
                        _ => {
                            let sums = engine.look(way, &candidates, slot, id);
                            share.look += watch.lap();
                            share.neighbours += neighbours(&sums);
                            engine.advance(&around, id, &engine.boid(id), sums);
                            share.update += watch.lap();
                        }
                    }
                }
                share.boids += (end - first) as u32;
            }
            share.total = share.look + share.update + watch.lap();
            let meter = &meters[worker];
            for (to, more) in [
                (&meter.look, share.look),
                (&meter.update, share.update),
                (&meter.boids, share.boids),
                (&meter.candidates, share.candidates),
                (&meter.neighbours, share.neighbours),
                (&meter.total, share.total),
            ] {
                add(to, more);
            }
        });
        let mut shares = [meters[0].read(), meters[1].read()];
        let longest = shares[0].total.max(shares[1].total);
        shares.iter_mut().for_each(|share| share.total = total + longest);
        self.take_velocities();
        // Before anybody is so far out that it matters.
        let leaves = strays.outside.load(Relaxed) || strays.beyond.load(Relaxed);
        self.cycles = Cycles { shares };
        (self.now, self.step) = (1 - self.now, self.step.wrapping_add(1));
        if leaves || !self.over_world && self.step.is_multiple_of(REST) {
            self.follow();
        }
    }

    /// Lays the grid over the flock, wherever it is, with room to fly on.
    fn follow(&mut self) {
        if self.cells.wraps() || self.boids == 0 {
            return;
        }
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for id in 0..self.boids {
            let (position, ..) = self.sight(id);
            low = core::array::from_fn(|k| low[k].min(position[k]));
            high = core::array::from_fn(|k| high[k].max(position[k]));
        }
        let place = self.rule.format.place;
        let room = self.rule.reach.0 >> place;
        let (low, high) = (low.map(|c| (c >> place) - room), high.map(|c| (c >> place) + room));
        self.cells = Cells::over(&self.rule, low, high, self.arrays.starts.len().saturating_sub(1));
        self.over_world = false;
    }

    /// Moves a boid, or lets it rest.
    #[inline(never)]
    fn advance(&self, around: &Surroundings<'_, Fixed>, id: usize, boid: &Boid<Fixed>, sums: Sums<Fixed>) {
        let after = update(&self.rule, around, boid, id as u32, sums);
        self.put_boid_to(1 - self.now, id, &after);
    }

    /// Looks around and moves, in single words.
    #[expect(clippy::too_many_arguments, reason = "what a step holds for all boids, and one boid")]
    #[inline(never)]
    fn fly<const FLAT: bool>(
        &self,
        brisk: &Brisk,
        radii: &Radii,
        around: &Surroundings<'_, Fixed>,
        candidates: &Candidates,
        slot: usize,
        id: usize,
        watch: &mut Watch<'_, impl Crew>,
        share: &mut Share,
    ) {
        let tally = self.look_at_packed::<FLAT>(radii, candidates, slot);
        share.look += watch.lap();
        share.neighbours += (tally.alignment_count.max(tally.cohesion_count) + tally.separation_count) as u32;
        let boid = self.boid_of::<FLAT>(id);
        match brisk.update::<FLAT>(around.step, around.predators, id, &boid, &tally) {
            Some(moved) => {
                let state = boid.group as i32;
                self.write::<FLAT>(1 - self.now, id, moved.position, moved.velocity, moved.bias, state);
            }
            None => self.advance(around, id, &boid, tally.sums(self.rule.format.place)),
        }
        share.update += watch.lap();
    }

    /// The boids with ids below a number, one after the other.
    fn first(&self, many: usize) -> impl Iterator<Item = Boid<Fixed>> {
        (0..many).map(|id| self.boid(id))
    }

    fn move_predators(&mut self, means: Option<Means<Fixed>>) {
        // Who does not attack need not look at anybody.
        let prey = if self.rule.attack_weight == Fixed(0) { 0 } else { self.boids };
        for index in 0..self.predator_count {
            let hunter = &self.predators[index];
            let moved = brute::hunt(&self.rule, self.step, index, hunter, means, self.first(prey));
            self.predators[index] = moved;
        }
    }
}

/// How many boids the sums are over.
fn neighbours(sums: &Sums<Fixed>) -> u32 {
    (sums.alignment_count.0.max(sums.cohesion_count.0) + sums.separation_count.0) as u32
}

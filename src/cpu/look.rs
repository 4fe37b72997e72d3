//! Looking around: the sums over the neighbours of sorted boids, a register of observers at a time.
//!
//! As many consecutive boids of one row of cells as a register has lanes look at one other boid after the next,
//! which is the same for all lanes. Whom a lane does not perceive adds nothing to it, bit for bit: so each boid
//! meets its own neighbours in the order of the sorted flock, whoever looks with it.

use std::ops::Range;

use flock::grid::{RUN, Spans};
use flock::number::Total;
use flock::perceive::{Observer, Senses, Sums};
use flock::{Grid, Number, Rule, Vec3};

use super::bins::Bins;
use super::vector::Vector;

/// What others see of a boid. One on its perch is seen by nobody: it is out of everybody's reach.
#[derive(Clone, Copy, Debug)]
pub struct Seen<T> {
    pub position: Vec3<T>,
    pub velocity: Vec3<T>,
}

/// A sorted flock to look around in.
#[derive(Debug)]
pub struct Flock<'a, T: Number> {
    pub rule: &'a Rule<T>,
    pub grid: &'a Grid<T>,
    pub bins: &'a Bins,
    /// Cell and appearance of the boid at each place.
    pub cells: &'a [u32],
    pub seen: &'a [Seen<T>],
    /// Every boid is inside the world.
    pub inside: bool,
}

/// The sums of the boids at the places from `first` on.
#[inline(always)]
pub fn look<V: Vector>(flock: &Flock<'_, V::Scalar>, first: usize, sums: &mut [Sums<V::Scalar>]) {
    if flock.rule.detailed {
        look_around::<V, true>(flock, first, sums);
    } else {
        look_around::<V, false>(flock, first, sums);
    }
}

#[inline(always)]
fn look_around<V: Vector, const DETAILED: bool>(
    flock: &Flock<'_, V::Scalar>,
    mut first: usize,
    mut sums: &mut [Sums<V::Scalar>],
) {
    let senses = Senses::<V>::new(flock.rule);
    let inner = senses.away_from_seams();
    let width = flock.grid.dims[0];
    while !sums.is_empty() {
        let row = flock.cells[first] / width * width;
        let most = sums.len().min(V::Array::default().as_ref().len());
        let run = first..flock.bins.start(row + width).min(first + most);
        first = run.end;
        let (now, later) = sums.split_at_mut(run.len());
        let (low, high) = (flock.cells[run.start], flock.cells[run.end - 1]);
        let seam = !flock.inside || flock.grid.at_seam(low, high, flock.rule.flat);
        look_together::<V, DETAILED>(flock, if seam { &senses } else { &inner }, row, run, now);
        sums = later;
    }
}

/// The sums of a run of boids whose cells lie in the row that begins with cell `row`.
#[inline(always)]
fn look_together<V: Vector, const DETAILED: bool>(
    flock: &Flock<'_, V::Scalar>,
    senses: &Senses<V>,
    row: u32,
    run: Range<usize>,
    sums: &mut [Sums<V::Scalar>],
) {
    let us = &flock.seen[run.clone()];
    let lanes = |component: fn(&Seen<V::Scalar>) -> V::Scalar| lanes::<V>(us.iter().map(component));
    let position = Vec3::new(lanes(|s| s.position.x), lanes(|s| s.position.y), lanes(|s| s.position.z));
    let velocity = Vec3::new(lanes(|s| s.velocity.x), lanes(|s| s.velocity.y), lanes(|s| s.velocity.z));
    let me = senses.observer(position, velocity, DETAILED);
    let number = lanes_numbered::<V>();

    let mut all = Sums::<V>::new();
    let mut waiting = Waiting { others: [&flock.seen[run.start]; 2 * BATCH], count: 0 };
    let spans = Spans::new(flock.grid.dims[0], flock.cells[run.clone()].iter().map(|cell| cell - row));
    for beside in flock.grid.rows(row).as_slice() {
        for [begin, end] in spans.as_slice() {
            let (from, to) = (flock.bins.start(beside + begin), flock.bins.start(beside + end));
            // Our own run, where a lane must not meet itself, splits the others in two.
            let (low, high) = (run.start.clamp(from, to), run.end.clamp(from, to));
            waiting.pick::<V, DETAILED>(senses, &mut all, &me, &flock.seen[from..low]);
            if low < high {
                waiting.meet::<V, DETAILED>(senses, &mut all, &me);
                for place in low..high {
                    let k = V::splat(V::Scalar::from_f64((place - run.start) as f64));
                    let others = number.lt(k) | k.lt(number);
                    meet::<V, DETAILED>(senses, &mut all, &me, &flock.seen[place], Some(others));
                }
            }
            waiting.pick::<V, DETAILED>(senses, &mut all, &me, &flock.seen[high..to]);
        }
    }
    waiting.meet::<V, DETAILED>(senses, &mut all, &me);
    unpack(&all, sums);
}

/// Boids within reach of some lane, to be met later: picked without a branch that would be guessed wrong for
/// every other boid.
struct Waiting<'a, T> {
    others: [&'a Seen<T>; 2 * BATCH],
    count: usize,
}

const BATCH: usize = 32;

impl<'a, T: Number> Waiting<'a, T> {
    #[inline(always)]
    fn pick<V: Vector<Scalar = T>, const DETAILED: bool>(
        &mut self,
        senses: &Senses<V>,
        sums: &mut Sums<V>,
        me: &Observer<V>,
        others: &'a [Seen<T>],
    ) {
        for others in others.chunks(BATCH) {
            for other in others {
                self.others[self.count % (2 * BATCH)] = other;
                self.count += usize::from(senses.reach(me, Vec3::splat(other.position)));
            }
            if self.count >= BATCH {
                self.meet::<V, DETAILED>(senses, sums, me);
            }
        }
    }

    /// Adds those waiting to the sums.
    #[inline(always)]
    fn meet<V: Vector<Scalar = T>, const DETAILED: bool>(
        &mut self,
        senses: &Senses<V>,
        sums: &mut Sums<V>,
        me: &Observer<V>,
    ) {
        for other in &self.others[..self.count] {
            meet::<V, DETAILED>(senses, sums, me, other, None);
        }
        self.count = 0;
    }
}

#[inline(always)]
fn meet<V: Vector, const DETAILED: bool>(
    senses: &Senses<V>,
    sums: &mut Sums<V>,
    me: &Observer<V>,
    other: &Seen<V::Scalar>,
    present: Option<V::Mask>,
) {
    let velocity = || Vec3::splat(other.velocity);
    senses.add::<DETAILED>(sums, me, Vec3::splat(other.position), velocity, present);
}

/// One number a lane; lanes left over stay zero.
#[inline(always)]
fn lanes<V: Vector>(numbers: impl Iterator<Item = V::Scalar>) -> V {
    let mut array = V::Array::default();
    for (lane, number) in array.as_mut().iter_mut().zip(numbers) {
        *lane = number;
    }
    V::from_array(array)
}

/// 0, 1, 2, …
#[inline(always)]
fn lanes_numbered<V: Vector>() -> V {
    lanes((0..RUN).map(|k| V::Scalar::from_f64(k as f64)))
}

/// From one register a sum to one struct a boid.
#[inline(always)]
fn unpack<V: Vector>(all: &Sums<V>, sums: &mut [Sums<V::Scalar>]) {
    let vector = |v: Vec3<V>| [v.x.to_array(), v.y.to_array(), v.z.to_array()];
    let totals = [all.separation, all.alignment, all.cohesion].map(|t| [vector(t.sum), vector(t.rest)]);
    let line_of_sight = vector(all.line_of_sight);
    let counts = [all.separation_count, all.alignment_count, all.cohesion_count].map(Vector::to_array);
    for (k, sums) in sums.iter_mut().enumerate() {
        let lane = |v: &[V::Array; 3]| Vec3::from([v[0].as_ref()[k], v[1].as_ref()[k], v[2].as_ref()[k]]);
        let [separation, alignment, cohesion] =
            [0, 1, 2].map(|t| Total { sum: lane(&totals[t][0]), rest: lane(&totals[t][1]) });
        let [separation_count, alignment_count, cohesion_count] = lane(&counts).to_array();
        *sums = Sums {
            separation,
            separation_count,
            alignment,
            alignment_count,
            cohesion,
            cohesion_count,
            line_of_sight: lane(&line_of_sight),
        };
    }
}

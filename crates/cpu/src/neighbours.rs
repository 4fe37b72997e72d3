//! The neighbour search: the sums over the neighbours of sorted boids, a register of observers at a time, and their update.
//!
//! A run is as many consecutive boids of one row of cells as a register has lanes. All lanes of a run visit the same
//! candidate, then the next one. Masked lanes add zero, bit for bit: so each boid sums over its own neighbours in
//! sorted order, independent of the other lanes.
//!
//! Candidates are culled first, a register of them at a time: those out of reach of the box around the run are skipped.

use std::ops::Range;

use flock::parameters::Falloff;
use flock::perceive::{Observer, Policy, Ranking, Senses, Sums};
use flock::update::{BoidLanes, StepContext};
use flock::{Boid, Lanes, Number, Rule, Vec3};

use super::clusters::Candidate;
use super::cull::Cull;
use super::vector::{Vector, update_one};
use super::walk::{CellRow, Sorted, Walk};
use clusters::visit_clusters;
use nearest::{CAPACITY, Near, rank_each};

mod clusters;
mod nearest;

/// Alignment and cohesion share their neighbourhood, separation has no falloff, and none ranks the nearest.
#[derive(Debug)]
pub struct Plain<const FLAT: bool>;

impl<const FLAT: bool> Policy for Plain<FLAT> {
    const FLAT: bool = FLAT;
    const SHARED_NEIGHBOURHOOD: bool = true;
    const SEPARATION: Option<Falloff> = Some(Falloff::None);
}

/// Alignment and cohesion share their neighbourhood, and none ranks the nearest: holoviews takes a fifth less than by
/// [`AllRound`](flock::perceive::AllRound).
#[derive(Debug)]
pub struct Shared;

impl Policy for Shared {
    const SHARED_NEIGHBOURHOOD: bool = true;
}

/// Steps a range of boids; one function a policy.
pub type StepRange<T> = fn(&Sorted<'_, T>, Range<usize>, &mut Update<'_, T>);

/// Sums over the neighbours of the boids in a range of sorted indices, and updates these boids; in a dense flock by its
/// clusters.
#[inline(always)]
pub fn step_runs<V: Vector, P: Policy, const DENSE: bool>(
    flock: &Sorted<'_, V::Scalar>,
    range: Range<usize>,
    update: &mut Update<'_, V::Scalar>,
) {
    let width = flock.grid.dims[0];
    if range.is_empty() {
        return;
    }
    let mut near = Near::<V>::new();
    let mut ranking = Senses::new(flock.rule).ranking();
    let mut first = range.start;
    let mut row = CellRow::of(flock, flock.cells[first]);
    while first < range.end {
        let cell = flock.cells[first];
        if cell >= row.first + width {
            row = CellRow::of(flock, cell);
        }
        let run = first..flock.bins.start(row.first + width).min(first + V::LANES).min(range.end);
        first = run.end;
        let seam = flock.at_seam(&run);
        let (me, sums) = if DENSE {
            let Some(clusters) = flock.clusters else { return };
            visit_clusters::<V, P>(flock, clusters, seam, &row, run.clone())
        } else if P::NEAREST {
            // Twice as long, and ranking takes most of its time: one function for both.
            visit_row::<V, P>(flock, &row, run.clone(), seam, &mut near, &mut ranking)
        } else if seam {
            visit_row::<V, P>(flock, &row, run.clone(), true, &mut near, &mut ranking)
        } else {
            visit_row::<V, P>(flock, &row, run.clone(), false, &mut near, &mut ranking)
        };
        update.take(run, &me, &sums);
    }
}

/// The sums of a run of boids whose cells lie in a row.
#[inline(always)]
fn visit_row<V: Vector, P: Policy>(
    flock: &Sorted<'_, V::Scalar>,
    row: &CellRow,
    run: Range<usize>,
    seam: bool,
    near: &mut Near<V>,
    ranking: &mut Ranking<V>,
) -> (Observer<V>, Sums<V>) {
    let senses = senses::<V, P>(flock, seam);
    let mut me = observer::<V, P>(flock, &senses, run.clone());
    let mut cull = Cull::<V, CAPACITY>::new(flock.positions, run.clone(), &senses, P::FLAT);
    let mut sums = Sums::new();
    if P::NEAREST {
        senses.begin(ranking);
        // Lists only hold squares, between boids of one image.
        let few = !flock.rule.needs_general_sums
            && !seam
            && cull.fill(
                &mut Walk::new(flock, row, run.clone()),
                &mut (0..0),
                &mut near.positions,
                false,
                #[inline(always)]
                |_, _, _| {},
            );
        if few {
            near.rank(run.clone(), &senses, ranking, cull.kept());
        } else {
            rank_each::<V, P>(flock, row, run.clone(), &senses, &me, &mut cull, ranking);
        }
        me = senses.nearest(me, ranking);
        if few {
            near.visit(
                senses.farthest(ranking),
                run.len(),
                cull.kept(),
                #[inline(always)]
                |index| {
                    let others = run.contains(&index).then(|| others::<V>(V::numbers(), index, run.start));
                    add::<V, P>(&senses, &mut sums, &me, &flock.candidates[index], others);
                },
            );
            return (me, sums);
        }
    }
    visit_each::<V, P>(
        flock,
        row,
        run,
        seam,
        &mut cull,
        #[inline(always)]
        |candidate, present| add::<V, P>(&senses, &mut sums, &me, candidate, present),
    );
    (me, sums)
}

/// Visits all boids that may be within reach of a run, its own among them, in the order of memory. Each boid of the run
/// is masked in its own lane.
#[inline(always)]
fn visit_each<V: Vector, P: Policy>(
    flock: &Sorted<'_, V::Scalar>,
    row: &CellRow,
    run: Range<usize>,
    seam: bool,
    cull: &mut Cull<'_, V, CAPACITY>,
    mut visit: impl FnMut(&Candidate<V::Scalar>, Option<V::Mask>),
) {
    let number = V::numbers();
    let mut walk = Walk::new(flock, row, run.clone());
    let mut part = walk.next();
    loop {
        // Ends when the cull is full, at the own run, or at the end.
        while let Some(others) = part.as_mut().filter(|part| !part.own) {
            cull.keep(&mut others.range, seam, P::FLAT);
            if !others.range.is_empty() {
                break;
            }
            part = walk.next();
        }
        for index in cull.take() {
            visit(&flock.candidates[*index as usize], None);
        }
        match &part {
            None => return,
            Some(own) if own.own => {
                for index in own.range.clone() {
                    let others = others::<V>(number, index, run.start);
                    visit(&flock.candidates[index], Some(others));
                }
                part = walk.next();
            }
            Some(_) => {}
        }
    }
}

#[inline(always)]
fn senses<V: Vector, P: Policy>(flock: &Sorted<'_, V::Scalar>, seam: bool) -> Senses<V> {
    let senses = Senses::new(flock.rule).specialised::<P>();
    if seam { senses } else { senses.away_from_seams() }
}

/// All lanes but that of the boid at a sorted index, in a run that begins at `first`: no boid perceives itself.
#[inline(always)]
fn others<V: Vector>(number: V, index: usize, first: usize) -> V::Mask {
    let k = V::splat(V::Scalar::counted(index.wrapping_sub(first) as i32));
    number.lt(k) | k.lt(number)
}

#[inline(always)]
fn observer<V: Vector, P: Policy>(
    flock: &Sorted<'_, V::Scalar>,
    senses: &Senses<V>,
    run: Range<usize>,
) -> Observer<V> {
    let us = &flock.candidates[run];
    let (position, velocity) = (lanes::<V, P>(us, |s| s.position), lanes::<V, P>(us, |s| s.velocity));
    senses.observer(position, velocity, P::FIELD_OF_VIEW)
}

/// Adds a candidate to the sums of the lanes that perceive it.
#[inline(always)]
fn add<V: Vector, P: Policy>(
    senses: &Senses<V>,
    sums: &mut Sums<V>,
    me: &Observer<V>,
    candidate: &Candidate<V::Scalar>,
    present: Option<V::Mask>,
) {
    let Candidate { mut position, mut velocity } = *candidate;
    if P::FLAT {
        (position.z, velocity.z) = (V::Scalar::ZERO, V::Scalar::ZERO);
    }
    let (position, velocity) = (Vec3::splat(position), Vec3::splat(velocity));
    senses.add::<P>(sums, me, position, || velocity, present);
}

/// One vector per lane. Unused lanes are zero; where boids are ranked they repeat the last boid, to reach no farther.
#[inline(always)]
fn lanes<V: Vector, P: Policy>(
    us: &[Candidate<V::Scalar>],
    vector: fn(&Candidate<V::Scalar>) -> Vec3<V::Scalar>,
) -> Vec3<V> {
    let mut v = Vec3::<V>::zero();
    for (k, candidate) in us.iter().enumerate() {
        v.set_lane(k, vector(candidate));
    }
    if P::NEAREST {
        (us.len()..V::LANES).for_each(|k| v.set_lane(k, vector(&us[us.len() - 1])));
    }
    if P::FLAT { Vec3 { z: V::splat(V::Scalar::ZERO), ..v } } else { v }
}

/// Updates the boids of a block.
#[derive(Debug)]
pub struct Update<'a, T: Number> {
    pub context: &'a StepContext<'a, T>,
    /// The sorted index of the first.
    pub first: usize,
    pub boids: &'a mut [Boid<T>],
    pub ids: &'a [u32],
    /// The request of each by custom terms; empty if there are none.
    pub requested: &'a [Vec3<T>],
    pub neighbours: &'a mut [u32],
}

impl<T: Number> Update<'_, T> {
    /// All boids, none of which perceives another.
    pub fn isolated(&mut self) {
        let sums = Sums::<T>::new();
        for (k, (boid, id)) in self.boids.iter_mut().zip(self.ids).enumerate() {
            let requested = self.requested.get(k..=k).unwrap_or_default();
            *boid = update_one(self.context, boid, *id, &sums, requested);
        }
        self.neighbours.fill(0);
    }

    /// Updates the boids in a range of sorted indices, one per lane, from their observers and sums.
    #[inline(always)]
    pub fn take<V: Vector<Scalar = T>>(&mut self, run: Range<usize>, me: &Observer<V>, sums: &Sums<V>) {
        let here = run.start - self.first..run.end - self.first;
        let (boids, ids) = (&mut self.boids[here.clone()], &self.ids[here.clone()]);
        let requested = self.requested.get(here.clone()).unwrap_or_default();
        let flyers = BoidLanes { boids, ids, position: me.position, velocity: me.velocity, requested };
        V::update(self.context, sums, flyers);
        let perceived = perceived(self.context.rule, sums);
        for (near, count) in self.neighbours[here].iter_mut().zip(perceived.lanes()) {
            *near = count.count();
        }
    }
}

/// Number of perceived boids, for drawing: twin of the one in `shaders/common/step.wgsl`.
#[inline(always)]
fn perceived<L: Lanes>(rule: &Rule<L::Scalar>, sums: &Sums<L>) -> L {
    let (close, one, other) = (sums.separation_count, sums.alignment_count, sums.cohesion_count);
    let far = other.select(one.lt(other), one);
    if rule.exclusive { close + far } else { far.select(close.lt(far), close) }
}

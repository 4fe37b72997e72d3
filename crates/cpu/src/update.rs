//! The update of a block of boids, from their sums.

use std::ops::Range;

use flock::perceive::{Observer, Sums};
use flock::update::{BoidLanes, StepContext};
use flock::{Boid, Lanes, Number, Rule, Vec3};

use super::vector::{Vector, update_one};

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

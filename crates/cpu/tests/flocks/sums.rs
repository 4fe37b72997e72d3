//! The sums of each boid in a step, for tests.

use std::sync::atomic::Ordering::Relaxed;

use flock::perceive::{NearestOnly, Sums};
use flock::update::StepContext;
use flock::{Fixed, Grid, Requests, Rule, Vec3};

use super::Stepper;
use crate::bins::Bins;
use crate::clusters::Clusters;
use crate::neighbours::{StepRange, step_runs};
use crate::registers::Real;
use crate::sorted::Sorted;
use crate::update::Update;
use crate::vector::{Vector, write_each};

/// Single numbers in place of registers.
pub trait SingleLane: Real {
    /// The loop for rules with a number of neighbours.
    const LOOP: StepRange<Self>;
}

macro_rules! single_lane {
    ($($type:ty),*) => {$(
        impl Vector for $type {
            fn near(offset: Vec3<$type>, radius: $type) -> bool {
                <$type>::within(offset, radius)
            }
            fn bits(mask: bool) -> u32 {
                u32::from(mask)
            }
            fn vectorize<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
            fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
                write_each(bits, [first].into_iter(), numbers)
            }
            fn write_lanes(self, bits: u32, numbers: &mut [Self]) {
                write_each(bits, [self].into_iter(), numbers);
            }
        }

        impl SingleLane for $type {
            const LOOP: StepRange<Self> = step_runs::<$type, NearestOnly>;
        }
    )*};
}

single_lane!(f32, f64, Fixed);

impl<T: Real> Stepper<T> {
    /// Makes the grid for a part of the rule's reach only.
    pub fn set_grid_for_reach(&mut self, part: f64) {
        let reach = T::from_f64(self.rule.reach.to_f64() * part);
        self.grid = Grid::new(&Rule { reach, ..self.rule }, self.boids.len() as u32);
        self.bins = Bins::new(&self.grid);
        self.bins.resize(self.boids.len());
    }

    /// The sums of every boid, in id order.
    pub fn sums(&mut self) -> Vec<Sums<T>> {
        self.sums_with(|_| ())
    }

    /// The same with the clusters of a dense flock altered first.
    pub fn sums_with(&mut self, alter: impl FnOnce(&mut Clusters<T>)) -> Vec<Sums<T>> {
        self.sums_by(T::step_range(self.registers, &self.rule), alter)
    }

    /// The same by the loop for any rule with a number of neighbours, with a single lane.
    pub fn sums_of_any_nearest(&mut self) -> Vec<Sums<T>>
    where
        T: SingleLane,
    {
        self.sums_by(T::LOOP, |_| ())
    }

    fn sums_by(&mut self, step_range: StepRange<T>, alter: impl FnOnce(&mut Clusters<T>)) -> Vec<Sums<T>> {
        self.arrange();
        alter(&mut self.clusters);
        let (rule, grid, bins, cells) = (&self.rule, &self.grid, &self.bins, &self.cells[..]);
        let (candidates, positions) = (&self.candidates[..], &self.positions);
        let (clusters, inside) = (self.dense().then_some(&self.clusters), self.inside.load(Relaxed));
        let flock = Sorted { rule, grid, bins, cells, candidates, positions, clusters, inside };
        let mut sums = vec![Sums::new(); self.boids.len()];
        let context = StepContext::new(&self.rule, self.step, None, &[]);
        let mut update = Update {
            context: &context,
            first: 0,
            boids: &mut self.sorted.clone(),
            ids: &self.sorted_ids,
            own: &[],
            neighbours: &mut self.neighbours,
            sums: Some(&mut sums),
        };
        step_range(&flock, 0..self.boids.len(), &mut update);
        let mut by_id = sums.clone();
        for (id, sums) in self.sorted_ids.iter().zip(sums) {
            by_id[*id as usize] = sums;
        }
        by_id
    }
}

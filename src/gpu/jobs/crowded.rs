//! The jobs of a flock that is crowded on the whole: its boids take crowds for what they are together.

use super::{BUDGET, Job, Plan};
use crate::gpu::layout::{DispatchParameters, FAN_SHIFT, GROUP, LEVELS};
use crate::gpu::passes::Stage;

/// The most rounds that a step is cut into: fewer dispatches than a submit takes, and than can be timed.
const ROUNDS: f64 = 512.0;

impl Plan {
    /// Whether so many boids share their cells that crowds are worth summing up. It follows from the state alone, for
    /// the order of the boids and the sums in f32 follow from it.
    #[must_use]
    pub fn crowded(&self) -> bool {
        self.visited > 0 && self.load.squares() > u64::from(self.crowded_beyond) * u64::from(self.boids)
    }

    /// Sums up the crowds, level by level, steps the boids, and counts them where they arrive.
    pub(super) fn step_in_crowds(&self, jobs: &mut Vec<Job>, step: u32) {
        for level in 1..=LEVELS {
            let crowds = self.boids >> (FAN_SHIFT * level);
            if crowds == 0 {
                break;
            }
            let parameters =
                DispatchParameters { end: crowds, round: level, ..DispatchParameters::default() };
            let cost = f64::from(crowds << FAN_SHIFT) * self.pace.1;
            jobs.push(Job { stage: Stage::Clusters, groups: self.fold(crowds), parameters, cost });
        }
        self.rounds(jobs, step);
        self.count(jobs);
    }

    /// Steps the boids in rounds, each of which takes every so many-th workgroup: were all crowds opened, a round would
    /// take no longer than the [`BUDGET`], or there are as many as can be.
    fn rounds(&self, jobs: &mut Vec<Job>, step: u32) {
        let boids = f64::from(self.boids);
        let (met, all) = self.candidates();
        let cost = (boids * met).min(all) * self.pace.0 + boids * self.pace.1;
        let groups = self.boids.div_ceil(GROUP);
        let rounds = ((cost / BUDGET).ceil().clamp(1.0, ROUNDS) as u32).min(groups);
        for round in 0..rounds {
            let invocations = (groups - round).div_ceil(rounds) * GROUP;
            let parameters =
                DispatchParameters { end: self.boids, step, round, rounds, ..DispatchParameters::default() };
            jobs.push(Job {
                stage: Stage::ClusteredStep,
                groups: self.fold(invocations),
                parameters,
                cost: cost / f64::from(rounds),
            });
        }
    }

    /// Sorts the boids of each cell along a curve, and brings them into that order.
    pub(super) fn order_in_crowds(&self, jobs: &mut Vec<Job>) {
        self.over_boids(jobs, Stage::MortonKeys, DispatchParameters::default(), 0.0, 0.0);
        // Runs of 4^rounds boids hold the fullest cell.
        let rounds = self.load.most.max(2).next_power_of_two().ilog2().div_ceil(2);
        for round in 0..rounds {
            self.over_boids(
                jobs,
                Stage::Merge,
                DispatchParameters { round, rounds, ..DispatchParameters::default() },
                0.0,
                0.0,
            );
        }
        self.over_boids(
            jobs,
            Stage::Order,
            DispatchParameters { round: 1, ..DispatchParameters::default() },
            0.0,
            0.0,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::jobs::next_submit;
    use crate::gpu::layout::Load;
    use crate::gpu::pace::Pace;

    fn plan(boids: u32) -> Plan {
        let squares = u64::from(boids) * u64::from(boids);
        Plan {
            boids,
            cells: boids,
            visited: 45,
            load: Load { most: boids, squares_low: squares as u32, squares_high: (squares >> 32) as u32 },
            crowded_beyond: 192,
            means: false,
            predators: 0,
            attack: false,
            side: 65535,
            pace: Pace::of(false).seconds(),
        }
    }

    #[test]
    fn rounds_take_every_workgroup_once() {
        for boids in [50_000, 700, 50_001] {
            let plan = plan(boids);
            assert!(plan.crowded());
            let mut jobs = Vec::new();
            plan.step_in_crowds(&mut jobs, 3);
            let mut taken = Vec::new();
            for job in jobs.iter().filter(|job| job.stage == Stage::ClusteredStep) {
                let DispatchParameters { first, end, round, rounds, .. } = job.parameters;
                // As shaders/common/write_only.wgsl has it.
                let turns = 0..job.groups[0] * job.groups[1];
                let begins = turns.map(|turn| first + (turn * rounds + round) * GROUP);
                taken.extend(begins.filter(|begin| *begin < end));
                assert!(job.in_rounds() == (rounds > 1) && f64::from(rounds) <= ROUNDS);
            }
            taken.sort_unstable();
            let expected: Vec<u32> = (0..boids.div_ceil(GROUP)).map(|group| group * GROUP).collect();
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn the_first_round_goes_alone_and_tells_how_many_of_the_rest_go_together() {
        let mut jobs = Vec::new();
        plan(50_000).step_in_crowds(&mut jobs, 3);
        let before = jobs.iter().take_while(|job| !job.in_rounds()).count();
        assert_eq!(next_submit(&jobs[before..], 1024, None), 1);
        let first = before + 1;
        let left = jobs[first..].iter().filter(|job| job.in_rounds()).count();
        assert!(left > 50);
        assert_eq!(next_submit(&jobs[first..], 1024, Some(BUDGET / 10.5)), 10);
        assert!(next_submit(&jobs[first..], 1024, Some(1e-6)) > left);
    }

    #[test]
    fn merged_runs_hold_the_fullest_cell() {
        for most in [1, 2, 4, 5, 64, 65, 1 << 20, (1 << 31) - 1] {
            let mut jobs = Vec::new();
            let mut plan = plan(1000);
            plan.load.most = most;
            plan.order_in_crowds(&mut jobs);
            let rounds = jobs.iter().filter(|job| job.stage == Stage::Merge).count() as u32;
            assert!(
                1_u64 << (2 * rounds) >= u64::from(most) && 1_u64 << (2 * (rounds - 1)) <= u64::from(most)
            );
        }
    }
}

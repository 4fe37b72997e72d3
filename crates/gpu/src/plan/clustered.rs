//! The dispatches of a clustered flock: where cells are dense, boids meet clusters of boids, not single boids.

use super::{BUDGET, Dispatch, Plan};
use crate::layout::{DispatchParameters, FAN_SHIFT, GROUP, LEVELS};
use crate::passes::Pass;

/// The most rounds of a step: fewer than the dispatches of a submit, and than can be timed.
const MAX_ROUNDS: f64 = 512.0;

impl Plan {
    /// Whether the cells are so dense that clustering is faster. This follows from the state alone, as the order of the
    /// boids and the sums in f32 follow from it.
    #[must_use]
    pub fn clustered(&self) -> bool {
        self.visited > 0 && self.load.squares() > u64::from(self.cluster_occupancy) * u64::from(self.boids)
    }

    /// Builds the clusters level by level, steps the boids, and counts them in their new cells.
    pub(super) fn clustered_step(&self, dispatches: &mut Vec<Dispatch>, step: u32) {
        for level in 1..=LEVELS {
            let clusters = self.boids >> (FAN_SHIFT * level);
            if clusters == 0 {
                break;
            }
            let parameters =
                DispatchParameters { end: clusters, round: level, ..DispatchParameters::default() };
            let cost = f64::from(clusters << FAN_SHIFT) * self.costs.boid;
            let groups = self.workgroups(clusters);
            dispatches.push(Dispatch { pass: Pass::Clusters, groups, parameters, cost });
        }
        self.rounds(dispatches, step);
        self.count(dispatches);
    }

    /// Steps the boids in rounds; a round takes workgroups at a fixed stride. There are enough rounds that each fits the
    /// [`BUDGET`] even if no cluster is met as a whole, up to [`MAX_ROUNDS`].
    fn rounds(&self, dispatches: &mut Vec<Dispatch>, step: u32) {
        let cost = self.step_cost();
        let groups = self.boids.div_ceil(GROUP);
        let rounds = ((cost / BUDGET).ceil().clamp(1.0, MAX_ROUNDS) as u32).min(groups);
        for round in 0..rounds {
            let groups = self.workgroups((groups - round).div_ceil(rounds) * GROUP);
            let parameters =
                DispatchParameters { end: self.boids, step, round, rounds, ..DispatchParameters::default() };
            let cost = cost / f64::from(rounds);
            dispatches.push(Dispatch { pass: Pass::ClusteredStep, groups, parameters, cost });
        }
    }

    /// Sorts the boids of each cell along a curve, and moves them to that order.
    pub(super) fn clustered_order(&self, dispatches: &mut Vec<Dispatch>) {
        let mut over_boids = |pass, round, rounds| {
            let parameters = DispatchParameters { round, rounds, ..DispatchParameters::default() };
            self.over_boids(dispatches, pass, parameters, (0.0, 0.0));
        };
        over_boids(Pass::MortonKeys, 0, 0);
        // After the last round, runs of 4^rounds boids hold the fullest cell.
        let rounds = self.load.most.max(2).next_power_of_two().ilog2().div_ceil(2);
        for round in 0..rounds {
            over_boids(Pass::Merge, round, rounds);
        }
        over_boids(Pass::Order, 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostModel;
    use crate::layout::Load;
    use crate::plan::next_submit;

    fn plan(boids: u32) -> Plan {
        let squares = u64::from(boids) * u64::from(boids);
        Plan {
            boids,
            cells: boids,
            visited: 45,
            load: Load { most: boids, squares_low: squares as u32, squares_high: (squares >> 32) as u32 },
            cluster_occupancy: 192,
            means: false,
            predators: 0,
            wanders: false,
            attack: false,
            side: 65535,
            costs: CostModel::new(false).costs(),
        }
    }

    #[test]
    fn rounds_take_every_workgroup_once() {
        for boids in [50_000, 700, 50_001] {
            let plan = plan(boids);
            assert!(plan.clustered());
            let mut dispatches = Vec::new();
            plan.clustered_step(&mut dispatches, 3);
            let mut taken = Vec::new();
            for dispatch in dispatches.iter().filter(|dispatch| dispatch.pass == Pass::ClusteredStep) {
                let DispatchParameters { first, end, round, rounds, .. } = dispatch.parameters;
                // As `shaders/common/write_only.wgsl` has it.
                let turns = 0..dispatch.groups[0] * dispatch.groups[1];
                let begins = turns.map(|turn| first + (turn * rounds + round) * GROUP);
                taken.extend(begins.filter(|begin| *begin < end));
                assert!(dispatch.in_rounds() == (rounds > 1) && f64::from(rounds) <= MAX_ROUNDS);
            }
            taken.sort_unstable();
            let expected: Vec<u32> = (0..boids.div_ceil(GROUP)).map(|group| group * GROUP).collect();
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn the_time_of_the_first_round_decides_how_many_share_a_submit() {
        let mut dispatches = Vec::new();
        plan(50_000).clustered_step(&mut dispatches, 3);
        let before = dispatches.iter().take_while(|dispatch| !dispatch.in_rounds()).count();
        assert_eq!(next_submit(&dispatches[before..], 1024, None), 1);
        let first = before + 1;
        let left = dispatches[first..].iter().filter(|dispatch| dispatch.in_rounds()).count();
        assert!(left > 50);
        assert_eq!(next_submit(&dispatches[first..], 1024, Some(BUDGET / 10.5)), 10);
        assert!(next_submit(&dispatches[first..], 1024, Some(1e-6)) > left);
    }

    #[test]
    fn merged_runs_hold_the_fullest_cell() {
        for most in [1, 2, 4, 5, 64, 65, 1 << 20, (1 << 31) - 1] {
            let mut dispatches = Vec::new();
            let mut plan = plan(1000);
            plan.load.most = most;
            plan.clustered_order(&mut dispatches);
            let rounds = dispatches.iter().filter(|dispatch| dispatch.pass == Pass::Merge).count() as u32;
            assert!(
                1_u64 << (2 * rounds) >= u64::from(most) && 1_u64 << (2 * (rounds - 1)) <= u64::from(most)
            );
        }
    }
}

//! The plan of a step: its dispatches in order, and how they are cut into submits short enough for the driver's watchdog.

use super::buffers::{ROWS, blocks};
use super::cost::Costs;
use super::layout::{BLOCK_CELLS, DispatchParameters, GROUP, Guard, Load};
use super::passes::Pass;

mod clustered;

/// Planned seconds of a submit, at most.
pub const BUDGET: f64 = 0.25;

/// Planned seconds of a pass in one dispatch, at most. Chunks are sized for the fullest cell, so a job is split as late as
/// possible: where only that cell is full, the chunks are far too small.
const MAX_WHOLE: f64 = 2.0 * BUDGET;

/// How much the load may grow within a batch of steps before the guard stops it: a submit then takes at most twice the
/// planned time.
const MARGIN: f64 = 2.0;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dispatch {
    pub pass: Pass,
    pub groups: [u32; 3],
    pub parameters: DispatchParameters,
    /// Planned seconds, at most.
    pub cost: f64,
}

impl Dispatch {
    /// True if it is one of several rounds over the flock, which all take equally long.
    #[must_use]
    pub fn in_rounds(&self) -> bool {
        self.pass == Pass::ClusteredStep && self.parameters.rounds > 1
    }
}

/// What the sizes and costs of the dispatches follow from.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub boids: u32,
    pub cells: u32,
    /// Cells that are searched for a boid's neighbours; zero where boids do not interact.
    pub visited: u32,
    /// As last counted.
    pub load: Load,
    /// Mean occupancy of a boid's own cell above which the flock is clustered.
    pub cluster_occupancy: u32,
    /// The rule needs the flock's means.
    pub means: bool,
    pub predators: u32,
    /// Home moves from step to step.
    pub wanders: bool,
    /// Predators search for prey.
    pub attack: bool,
    /// The most workgroups per dimension.
    pub side: u32,
    pub costs: Costs,
}

impl Plan {
    /// The most candidates of a boid, and of the whole flock.
    #[must_use]
    pub fn candidates(&self) -> (f64, f64) {
        let visited = f64::from(self.visited);
        let of_boid = (visited * f64::from(self.load.most)).min(f64::from(self.boids));
        (of_boid, (visited * self.load.squares() as f64).min(of_boid * f64::from(self.boids)))
    }

    /// Planned seconds of a step, at most.
    #[must_use]
    pub fn step_cost(&self) -> f64 {
        self.candidates().1 * self.costs.candidate + f64::from(self.boids) * self.costs.boid
    }

    /// Workgroups for so many invocations, folded into two dimensions.
    #[must_use]
    pub fn workgroups(&self, invocations: u32) -> [u32; 3] {
        let groups = invocations.div_ceil(GROUP).max(1);
        let wide = groups.min(self.side);
        [wide, groups.div_ceil(wide), 1]
    }

    /// A pass over all boids, cut into several dispatches where candidates make it too long: `of_boid` is the most
    /// candidates of a boid, `of_flock` of the flock.
    fn over_boids(
        &self,
        dispatches: &mut Vec<Dispatch>,
        pass: Pass,
        parameters: DispatchParameters,
        (of_boid, of_flock): (f64, f64),
    ) {
        let Costs { candidate, boid } = self.costs;
        let cost = |count: f64| (count * of_boid).min(of_flock) * candidate + count * boid;
        let whole = f64::from(self.boids);
        let chunks = if cost(whole) <= MAX_WHOLE {
            1.0
        } else {
            (whole * (of_boid * candidate + boid) / BUDGET).ceil()
        };
        let chunk = ((whole / chunks).ceil() as u32).next_multiple_of(GROUP).max(GROUP);
        let mut first = 0;
        while first < self.boids {
            let end = first.saturating_add(chunk).min(self.boids);
            let groups = self.workgroups(end - first);
            let parameters = DispatchParameters { first, end, ..parameters };
            dispatches.push(Dispatch { pass, groups, parameters, cost: cost(f64::from(end - first)) });
            first = end;
        }
    }

    /// Reduces the partial sums of some rows.
    fn reduce_rows(&self, dispatches: &mut Vec<Dispatch>, pass: Pass, first: u32, rows: u32) {
        let parameters =
            DispatchParameters { first, end: blocks(self.boids), ..DispatchParameters::default() };
        dispatches.push(Dispatch { pass, groups: [rows, 1, 1], parameters, cost: 0.0 });
    }

    /// One step; `turn` is its index in the batch. A clustered flock is not sorted at its end: how that is done depends
    /// on the load that the step counts.
    pub fn step(&self, dispatches: &mut Vec<Dispatch>, step: u32, turn: u32) {
        let parameters = DispatchParameters { step, turn, ..DispatchParameters::default() };
        if self.boids > 0 && (self.means || self.attack) {
            let attacks = if self.attack { self.predators } else { 0 };
            let [x, y, _] = self.workgroups(blocks(self.boids));
            let cost = f64::from(self.boids) * f64::from(1 + attacks) * self.costs.candidate;
            dispatches.push(Dispatch {
                pass: Pass::ReducePartials,
                groups: [x, y, 1 + attacks],
                parameters,
                cost,
            });
            self.reduce_rows(dispatches, Pass::ReduceTotals, 0, 2 + attacks);
        }
        if self.means || self.predators > 0 || self.wanders {
            dispatches.push(Dispatch { pass: Pass::MovePredators, groups: [1; 3], parameters, cost: 0.0 });
        }
        if self.clustered() {
            self.clustered_step(dispatches, step);
            self.bin(dispatches, turn);
            return;
        }
        self.over_boids(dispatches, Pass::Step, parameters, self.candidates());
        if self.visited > 0 {
            self.bin(dispatches, turn);
        }
        self.order(dispatches);
    }

    /// The load that a batch of so many steps may reach. Up to it, all steps together take at most twice the [`BUDGET`],
    /// or each takes at most twice its planned time, and the flock is not [`Plan::clustered`].
    #[must_use]
    pub fn guard(&self, steps: u32) -> Guard {
        if self.visited == 0 || self.clustered() {
            return Guard::OPEN;
        }
        let Costs { candidate, boid } = self.costs;
        let boids = f64::from(self.boids);
        let clustered = u64::from(self.cluster_occupancy) * u64::from(self.boids);
        let seconds = MARGIN * BUDGET / f64::from(steps.max(1)) - boids * boid;
        if boids * boids * candidate <= seconds {
            // Even with all boids in one cell the batch is short enough.
            return Guard::new(u32::MAX, clustered);
        }
        let affordable = seconds / (f64::from(self.visited) * candidate);
        let squares = affordable.max(MARGIN * self.load.squares() as f64);
        // Chunks are sized for the fullest cell.
        let cut = self.step_cost() > MAX_WHOLE;
        let most = if cut { (MARGIN * f64::from(self.load.most)) as u32 } else { u32::MAX };
        Guard::new(most, (squares as u64).min(clustered))
    }

    /// Lists the boids of each cell, from the counts of the cells.
    pub fn bin(&self, dispatches: &mut Vec<Dispatch>, turn: u32) {
        let blocks = self.workgroups(self.cells.div_ceil(BLOCK_CELLS));
        for (pass, groups) in
            [(Pass::ScanReduce, blocks), (Pass::ScanBlocks, [1; 3]), (Pass::ScanStarts, blocks)]
        {
            dispatches.push(Dispatch { pass, groups, parameters: DispatchParameters::default(), cost: 0.0 });
        }
        self.over_boids(
            dispatches,
            Pass::Scatter,
            DispatchParameters { turn, ..DispatchParameters::default() },
            (0.0, 0.0),
        );
    }

    /// Counts the boids of each cell.
    pub fn count(&self, dispatches: &mut Vec<Dispatch>) {
        self.over_boids(dispatches, Pass::Count, DispatchParameters::default(), (0.0, 0.0));
    }

    /// Sorts the boids, from the lists of the cells.
    pub fn order(&self, dispatches: &mut Vec<Dispatch>) {
        if self.clustered() {
            self.clustered_order(dispatches);
        } else {
            // Each boid is compared with those of its own cell.
            let visited = f64::from(self.visited.max(1));
            let (of_boid, of_flock) = self.candidates();
            let compared = (of_boid / visited, of_flock / visited);
            self.over_boids(dispatches, Pass::Order, DispatchParameters::default(), compared);
        }
    }

    /// Converts the boids for drawing.
    pub fn publish(&self, dispatches: &mut Vec<Dispatch>) {
        self.over_boids(dispatches, Pass::ConvertForDrawing, DispatchParameters::default(), (0.0, 0.0));
    }

    /// Measures the flock, into the first [`ROWS`] totals.
    pub fn measure(&self, dispatches: &mut Vec<Dispatch>) {
        let groups = self.workgroups(blocks(self.boids));
        let over_flock =
            |pass| Dispatch { pass, groups, parameters: DispatchParameters::default(), cost: 0.0 };
        dispatches.push(over_flock(Pass::Measure));
        self.reduce_rows(dispatches, Pass::MeasureTotals, 0, 3);
        dispatches.push(over_flock(Pass::MeasureSpread));
        self.reduce_rows(dispatches, Pass::MeasureTotals, 3, ROWS - 3);
    }
}

/// The number of dispatches in the next submit: as many as the [`BUDGET`] allows, at least one and at most `most`. `round`
/// is the measured time of a round; until it is known, a submit ends after the first round.
#[must_use]
pub fn next_submit(dispatches: &[Dispatch], most: usize, round: Option<f64>) -> usize {
    let (mut cost, mut count) = (0.0, 0);
    for dispatch in dispatches.iter().take(most) {
        cost += round.filter(|_| dispatch.in_rounds()).unwrap_or(dispatch.cost);
        if count > 0 && cost > BUDGET {
            break;
        }
        count += 1;
        if dispatch.in_rounds() && round.is_none() {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostModel;

    fn plan(boids: u32, load: Load) -> Plan {
        let costs = CostModel::new(true).costs();
        Plan {
            boids,
            cells: boids,
            visited: 27,
            load,
            cluster_occupancy: 192,
            means: true,
            predators: 2,
            wanders: false,
            attack: true,
            side: 65535,
            costs,
        }
    }

    fn submits(dispatches: &[Dispatch]) -> Vec<&[Dispatch]> {
        let mut rest = dispatches;
        let mut all = Vec::new();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(next_submit(rest, 1024, None));
            all.push(now);
            rest = later;
        }
        all
    }

    fn covered(dispatches: &[Dispatch], pass: Pass) -> u32 {
        let mut next = 0;
        for dispatch in dispatches.iter().filter(|dispatch| dispatch.pass == pass) {
            assert_eq!(dispatch.parameters.first, next);
            next = dispatch.parameters.end;
        }
        next
    }

    #[test]
    fn an_even_flock_is_one_dispatch_a_pass() {
        let mut dispatches = Vec::new();
        plan(1_000_000, Load { most: 10, squares_low: 3_000_000, squares_high: 0 }).step(
            &mut dispatches,
            5,
            0,
        );
        assert_eq!(dispatches.len(), 9);
        assert_eq!(covered(&dispatches, Pass::Step), 1_000_000);
        assert_eq!(submits(&dispatches).len(), 1);
    }

    #[test]
    fn a_nearly_clustered_flock_is_cut_into_short_submits() {
        let boids = 1_000_000;
        let mut dispatches = Vec::new();
        let plan = plan(boids, load(13_000, 190_000_000));
        assert!(!plan.clustered());
        plan.step(&mut dispatches, 5, 0);
        assert_eq!((covered(&dispatches, Pass::Step), covered(&dispatches, Pass::Order)), (boids, boids));
        let submits = submits(&dispatches);
        assert!(submits.len() > 100, "{}", submits.len());
        for submit in &submits {
            assert!(submit.iter().map(|dispatch| dispatch.cost).sum::<f64>() < 2.0 * BUDGET);
        }
        assert_eq!(submits.iter().map(|submit| submit.len()).sum::<usize>(), dispatches.len());
    }

    /// Seconds of a plan's longest submit under another load than planned for.
    fn longest(planned: &Plan, batch: u32, load: Load) -> f64 {
        let mut dispatches = Vec::new();
        (0..batch).for_each(|turn| planned.step(&mut dispatches, turn, turn));
        let found = Plan { load, ..*planned };
        let (of_boid, of_flock) = found.candidates();
        let cost = |dispatch: &Dispatch| {
            let boids = f64::from(dispatch.parameters.end - dispatch.parameters.first);
            let of_boid = if dispatch.pass == Pass::Step { of_boid } else { 0.0 };
            (boids * of_boid).min(of_flock) * found.costs.candidate + boids * found.costs.boid
        };
        let seconds = |submit: &[Dispatch]| {
            submit.iter().filter(|dispatch| dispatch.pass == Pass::Step).map(cost).sum::<f64>()
        };
        submits(&dispatches).into_iter().map(seconds).fold(0.0, f64::max)
    }

    fn load(most: u32, squares: u64) -> Load {
        Load { most, squares_low: squares as u32, squares_high: (squares >> 32) as u32 }
    }

    #[test]
    fn within_the_guard_a_submit_takes_less_than_a_second() {
        let boids = 1_000_000;
        for (most, squares, batch) in
            [(10, 3_000_000, 4), (10, 3_000_000, 1), (500, 30_000_000, 1), (13_000, 190_000_000, 1)]
        {
            let planned = Plan { means: false, attack: false, ..plan(boids, load(most, squares)) };
            let guard = planned.guard(batch);
            let fullest = load(guard.most.min(boids), guard.squares());
            let taken = longest(&planned, batch, fullest);
            assert!(taken <= 1.0, "{most} {squares}: {taken}");
            // Without the guard the time of a submit is unbounded.
            let collapsed = load(boids, u64::from(boids).pow(2));
            let cut = planned.step_cost() > MAX_WHOLE;
            assert!(cut || longest(&planned, batch, collapsed) > 1.0, "{most} {squares}");
        }
        let alone = Plan { visited: 0, ..plan(boids, Load::default()) };
        assert_eq!(alone.guard(64), Guard::OPEN);
    }

    #[test]
    fn one_full_cell_in_an_even_flock_cuts_nothing() {
        let mut dispatches = Vec::new();
        plan(1_000_000, Load { most: 10_000, squares_low: 30_000_000, squares_high: 0 }).step(
            &mut dispatches,
            5,
            0,
        );
        assert_eq!(dispatches.len(), 9);
    }

    #[test]
    fn dispatches_fold_into_two_dimensions() {
        let mut plan = plan(100_000, Load::default());
        plan.side = 100;
        let [x, y, _] = plan.workgroups(100_000);
        assert!(x <= 100 && x * y * GROUP >= 100_000 && x * (y - 1) * GROUP < 100_000);
        assert_eq!(plan.workgroups(1), [1, 1, 1]);
    }
}

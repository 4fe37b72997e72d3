//! What is to be dispatched, in order, and how it is cut into submits that no driver takes for a hung device.

use super::buffers::{ROWS, blocks};
use super::layout::{BLOCK_CELLS, DispatchParameters, GROUP, Guard, Load};
use super::passes::Stage;

mod crowded;

/// Seconds that one submit is planned to take at most.
pub const BUDGET: f64 = 0.25;

/// Seconds that a pass may take in one piece. Pieces are made for the fullest cell: where only that one is full they
/// come out far too small, so that little is cut before it must be.
const WHOLE: f64 = 2.0 * BUDGET;

/// How far a flock may become more crowded than it was when a batch of steps was planned, before the batch stops: so
/// that a submit takes at most twice what it was planned to take.
const MARGIN: f64 = 2.0;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    pub stage: Stage,
    pub groups: [u32; 3],
    pub parameters: DispatchParameters,
    /// Seconds it may take.
    pub cost: f64,
}

impl Job {
    /// It is one of several rounds over the flock, each of which takes as long as the others.
    #[must_use]
    pub fn in_rounds(&self) -> bool {
        self.stage == Stage::ClusteredStep && self.parameters.rounds > 1
    }
}

/// What the sizes and costs of the dispatches follow from.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub boids: u32,
    pub cells: u32,
    /// Cells that a boid's neighbours are looked for in; zero where nobody looks.
    pub visited: u32,
    /// As last counted.
    pub load: Load,
    /// The flock is crowded where the mean of the boids in a boid's own cell is more than this.
    pub crowded_beyond: u32,
    /// The flock's means are needed.
    pub means: bool,
    pub predators: u32,
    /// Predators look for boids.
    pub attack: bool,
    /// Workgroups a dimension.
    pub side: u32,
    /// Seconds a candidate and seconds a boid, on the slow side for this kind of device.
    pub pace: (f64, f64),
}

impl Plan {
    /// Candidates that a boid meets at most, and the whole flock.
    #[must_use]
    pub fn candidates(&self) -> (f64, f64) {
        let visited = f64::from(self.visited);
        let met = (visited * f64::from(self.load.most)).min(f64::from(self.boids));
        (met, (visited * self.load.squares() as f64).min(met * f64::from(self.boids)))
    }

    /// Seconds that a step may take.
    #[must_use]
    pub fn step_cost(&self) -> f64 {
        self.candidates().1 * self.pace.0 + f64::from(self.boids) * self.pace.1
    }

    /// Groups for so many invocations, folded into two dimensions.
    fn fold(&self, invocations: u32) -> [u32; 3] {
        let groups = invocations.div_ceil(GROUP).max(1);
        let wide = groups.min(self.side);
        [wide, groups.div_ceil(wide), 1]
    }

    /// A dispatch over all boids, cut where the boids could meet too many others: `met` is how many one meets at
    /// most, `all` how many the flock meets.
    fn over_boids(
        &self,
        jobs: &mut Vec<Job>,
        stage: Stage,
        parameters: DispatchParameters,
        met: f64,
        all: f64,
    ) {
        let cost = |boids: f64| (boids * met).min(all) * self.pace.0 + boids * self.pace.1;
        let whole = f64::from(self.boids);
        let pieces = if cost(whole) <= WHOLE {
            1.0
        } else {
            (whole * (met * self.pace.0 + self.pace.1) / BUDGET).ceil()
        };
        let piece = ((whole / pieces).ceil() as u32).next_multiple_of(GROUP).max(GROUP);
        let mut first = 0;
        while first < self.boids {
            let end = first.saturating_add(piece).min(self.boids);
            let groups = self.fold(end - first);
            jobs.push(Job {
                stage,
                groups,
                parameters: DispatchParameters { first, end, ..parameters },
                cost: cost(f64::from(end - first)),
            });
            first = end;
        }
    }

    /// Sums each of some rows.
    fn fold_rows(&self, jobs: &mut Vec<Job>, stage: Stage, first: u32, rows: u32) {
        let parameters =
            DispatchParameters { first, end: blocks(self.boids), ..DispatchParameters::default() };
        jobs.push(Job { stage, groups: [rows, 1, 1], parameters, cost: 0.0 });
    }

    /// One step: `turn` is its place among those whose knots were put in. Where the flock is crowded its boids are not
    /// in order afterwards: that takes what their count says.
    pub fn step(&self, jobs: &mut Vec<Job>, step: u32, turn: u32) {
        let parameters = DispatchParameters { step, turn, ..DispatchParameters::default() };
        if self.boids > 0 && (self.means || self.attack) {
            let attacks = if self.attack { self.predators } else { 0 };
            let [x, y, _] = self.fold(blocks(self.boids));
            let cost = f64::from(self.boids) * f64::from(1 + attacks) * self.pace.0;
            jobs.push(Job { stage: Stage::ReducePartials, groups: [x, y, 1 + attacks], parameters, cost });
            self.fold_rows(jobs, Stage::ReduceTotals, 0, 2 + attacks);
        }
        if self.means || self.predators > 0 {
            jobs.push(Job { stage: Stage::MovePredators, groups: [1; 3], parameters, cost: 0.0 });
        }
        if self.crowded() {
            self.step_in_crowds(jobs, step);
            self.bin(jobs, turn);
            return;
        }
        let (met, all) = self.candidates();
        self.over_boids(jobs, Stage::Step, parameters, met, all);
        if self.visited > 0 {
            self.bin(jobs, turn);
        }
        self.order(jobs);
    }

    /// How crowded the flock may become in a batch of so many steps: so much that all of them together take at most
    /// twice the [`BUDGET`], or each twice what it was planned to take; and not so much that it is [`Plan::crowded`].
    #[must_use]
    pub fn guard(&self, batch: u32) -> Guard {
        if self.visited == 0 || self.crowded() {
            return Guard::OPEN;
        }
        let crowded = u64::from(self.crowded_beyond) * u64::from(self.boids);
        let one = MARGIN * BUDGET / f64::from(batch.max(1)) - f64::from(self.boids) * self.pace.1;
        if f64::from(self.boids) * f64::from(self.boids) * self.pace.0 <= one {
            // All of them on one point would not take longer.
            return Guard::new(u32::MAX, crowded);
        }
        let affordable = one / (f64::from(self.visited) * self.pace.0);
        let squares = affordable.max(MARGIN * self.load.squares() as f64);
        // Pieces are made for the fullest cell.
        let cut = self.step_cost() > WHOLE;
        let most = if cut { (MARGIN * f64::from(self.load.most)) as u32 } else { u32::MAX };
        Guard::new(most, (squares as u64).min(crowded))
    }

    /// From counts to lists of the boids in each cell, in a step of the batch or before any.
    pub fn bin(&self, jobs: &mut Vec<Job>, turn: u32) {
        let blocks = self.fold(self.cells.div_ceil(BLOCK_CELLS));
        let job = |stage, groups| Job { stage, groups, parameters: DispatchParameters::default(), cost: 0.0 };
        jobs.push(job(Stage::ScanReduce, blocks));
        jobs.push(job(Stage::ScanBlocks, [1; 3]));
        jobs.push(job(Stage::ScanStarts, blocks));
        self.over_boids(
            jobs,
            Stage::Scatter,
            DispatchParameters { turn, ..DispatchParameters::default() },
            0.0,
            0.0,
        );
    }

    /// Counts a flock that was just put in.
    pub fn count(&self, jobs: &mut Vec<Job>) {
        self.over_boids(jobs, Stage::Count, DispatchParameters::default(), 0.0, 0.0);
    }

    /// From lists of the boids in each cell to sorted boids.
    pub fn order(&self, jobs: &mut Vec<Job>) {
        if self.crowded() {
            self.order_in_crowds(jobs);
        } else {
            let (met, all) = self.candidates();
            let visited = f64::from(self.visited.max(1));
            self.over_boids(jobs, Stage::Order, DispatchParameters::default(), met / visited, all / visited);
        }
    }

    /// The boids as they are drawn, from those that step.
    pub fn publish(&self, jobs: &mut Vec<Job>) {
        self.over_boids(jobs, Stage::ConvertForDrawing, DispatchParameters::default(), 0.0, 0.0);
    }

    /// What the flock looks like as a whole, into the first [`ROWS`] totals.
    pub fn measure(&self, jobs: &mut Vec<Job>) {
        let groups = self.fold(blocks(self.boids));
        let job = |stage| Job { stage, groups, parameters: DispatchParameters::default(), cost: 0.0 };
        jobs.push(job(Stage::Measure));
        self.fold_rows(jobs, Stage::MeasureTotals, 0, 3);
        jobs.push(job(Stage::MeasureSpread));
        self.fold_rows(jobs, Stage::MeasureTotals, 3, ROWS - 3);
    }
}

/// How many of these jobs make up the next submit: so many as are planned to take no longer than [`BUDGET`], at least
/// one, and no more than `most`. Of a pass in rounds the first goes alone, for the time it takes is that of each other.
#[must_use]
pub fn next_submit(jobs: &[Job], most: usize, round: Option<f64>) -> usize {
    let (mut cost, mut count) = (0.0, 0);
    for job in jobs.iter().take(most) {
        cost += round.filter(|_| job.in_rounds()).unwrap_or(job.cost);
        if count > 0 && cost > BUDGET {
            break;
        }
        count += 1;
        if job.in_rounds() && round.is_none() {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::pace::Pace;

    fn plan(boids: u32, load: Load) -> Plan {
        let pace = Pace::of(true).seconds();
        Plan {
            boids,
            cells: boids,
            visited: 27,
            load,
            crowded_beyond: 192,
            means: true,
            predators: 2,
            attack: true,
            side: 65535,
            pace,
        }
    }

    fn submits(jobs: &[Job]) -> Vec<&[Job]> {
        let mut rest = jobs;
        let mut all = Vec::new();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(next_submit(rest, 1024, None));
            all.push(now);
            rest = later;
        }
        all
    }

    fn covered(jobs: &[Job], stage: Stage) -> u32 {
        let mut next = 0;
        for job in jobs.iter().filter(|job| job.stage == stage) {
            assert_eq!(job.parameters.first, next);
            next = job.parameters.end;
        }
        next
    }

    #[test]
    fn an_even_flock_is_one_dispatch_a_pass() {
        let mut jobs = Vec::new();
        plan(1_000_000, Load { most: 10, squares_low: 3_000_000, squares_high: 0 }).step(&mut jobs, 5, 0);
        assert_eq!(jobs.len(), 9);
        assert_eq!(covered(&jobs, Stage::Step), 1_000_000);
        assert_eq!(submits(&jobs).len(), 1);
    }

    #[test]
    fn a_flock_that_is_nearly_crowded_is_cut_into_short_submits() {
        let boids = 1_000_000;
        let mut jobs = Vec::new();
        let plan = plan(boids, load(13_000, 190_000_000));
        assert!(!plan.crowded());
        plan.step(&mut jobs, 5, 0);
        assert_eq!((covered(&jobs, Stage::Step), covered(&jobs, Stage::Order)), (boids, boids));
        let parts = submits(&jobs);
        assert!(parts.len() > 100, "{}", parts.len());
        for part in &parts {
            assert!(part.iter().map(|job| job.cost).sum::<f64>() < 2.0 * BUDGET);
        }
        assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), jobs.len());
    }

    /// What a plan's submits take where the flock is as crowded as another load says.
    fn longest(planned: &Plan, batch: u32, load: Load) -> f64 {
        let mut jobs = Vec::new();
        (0..batch).for_each(|turn| planned.step(&mut jobs, turn, turn));
        let found = Plan { load, ..*planned };
        let (met, all) = found.candidates();
        let cost = |job: &Job| {
            let boids = f64::from(job.parameters.end - job.parameters.first);
            let met = if job.stage == Stage::Step { met } else { 0.0 };
            (boids * met).min(all) * found.pace.0 + boids * found.pace.1
        };
        let of = |part: &[Job]| part.iter().filter(|job| job.stage == Stage::Step).map(cost).sum::<f64>();
        submits(&jobs).into_iter().map(of).fold(0.0, f64::max)
    }

    fn load(most: u32, squares: u64) -> Load {
        Load { most, squares_low: squares as u32, squares_high: (squares >> 32) as u32 }
    }

    #[test]
    fn what_the_guard_lets_pass_takes_less_than_a_second_a_submit() {
        let boids = 1_000_000;
        for (most, squares, batch) in
            [(10, 3_000_000, 4), (10, 3_000_000, 1), (500, 30_000_000, 1), (13_000, 190_000_000, 1)]
        {
            let planned = Plan { means: false, attack: false, ..plan(boids, load(most, squares)) };
            let guard = planned.guard(batch);
            let crowded = load(guard.most.min(boids), guard.squares());
            let taken = longest(&planned, batch, crowded);
            assert!(taken <= 1.0, "{most} {squares}: {taken}");
            // Without it a submit has no bound.
            let collapsed = load(boids, u64::from(boids).pow(2));
            let cut = planned.step_cost() > WHOLE;
            assert!(cut || longest(&planned, batch, collapsed) > 1.0, "{most} {squares}");
        }
        let alone = Plan { visited: 0, ..plan(boids, Load::default()) };
        assert_eq!(alone.guard(64), Guard::OPEN);
    }

    #[test]
    fn one_full_cell_in_an_even_flock_is_no_reason_to_cut() {
        let mut jobs = Vec::new();
        plan(1_000_000, Load { most: 10_000, squares_low: 30_000_000, squares_high: 0 })
            .step(&mut jobs, 5, 0);
        assert_eq!(jobs.len(), 9);
    }

    #[test]
    fn dispatches_fold_into_two_dimensions() {
        let mut plan = plan(100_000, Load::default());
        plan.side = 100;
        let [x, y, _] = plan.fold(100_000);
        assert!(x <= 100 && x * y * GROUP >= 100_000 && x * (y - 1) * GROUP < 100_000);
        assert_eq!(plan.fold(1), [1, 1, 1]);
    }
}

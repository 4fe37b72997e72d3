//! The plan of a step: its dispatches in order, cut into submits short enough for the driver's watchdog, by a model of
//! its time on this device, which is measured while stepping and decides nothing of what is computed.

use super::buffers::{ROWS, blocks, cell_blocks};
use super::layout::{DispatchParameters, GROUP, Guard, Load};
use super::passes::Pass;

/// Maximum planned seconds per submit.
pub(crate) const BUDGET: f64 = 0.25;

/// Maximum planned seconds of a pass in one dispatch. Chunks are sized for the fullest cell, so a pass is split as late
/// as possible: if only that cell is full, the chunks are far too small.
const MAX_WHOLE: f64 = 2.0 * BUDGET;

/// Factor by which the load may grow within a batch before the guard stops it: a submit then takes at most twice the
/// planned time.
const MARGIN: f64 = 2.0;

/// Maximum number of workgroups of a hash: enough to fill a device, few enough that their atomics cost nothing.
const HASH_GROUPS: u32 = 4096;

/// Safety factor on a measured time.
const COST_MARGIN: f64 = 1.5;
/// Maximum ratio between a learned cost and the initial one.
const COST_RANGE: f64 = 64.0;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dispatch {
    pub pass: Pass,
    pub groups: [u32; 3],
    pub parameters: DispatchParameters,
    /// Maximum planned seconds.
    pub cost: f64,
}

/// The inputs that determine the sizes and costs of the dispatches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub boids: u32,
    pub cells: u32,
    /// Cells searched for a boid's neighbours; zero if boids do not interact.
    pub visited: u32,
    /// Load at the last count.
    pub load: Load,
    /// The rule needs the flock's means.
    pub means: bool,
    pub predators: u32,
    /// Home moves from step to step.
    pub wanders: bool,
    /// Predators search for prey.
    pub attack: bool,
    /// Boids take requests from outside.
    pub outside: bool,
    /// Maximum number of workgroups per dimension.
    pub side: u32,
    pub costs: Costs,
}

impl Plan {
    /// Maximum number of candidates per boid, and of the whole flock.
    pub fn candidates(&self) -> (f64, f64) {
        let visited = f64::from(self.visited);
        let of_boid = (visited * f64::from(self.load.most)).min(f64::from(self.boids));
        (of_boid, (visited * self.load.squares as f64).min(of_boid * f64::from(self.boids)))
    }

    /// Maximum planned seconds of a step.
    pub fn step_cost(&self) -> f64 {
        self.candidates().1 * self.costs.candidate + f64::from(self.boids) * self.costs.boid
    }

    /// Workgroups for a number of invocations, folded into two dimensions.
    pub fn workgroups(&self, invocations: u32) -> [u32; 3] {
        let groups = invocations.div_ceil(GROUP).max(1);
        let wide = groups.min(self.side);
        [wide, groups.div_ceil(wide), 1]
    }

    /// A dispatch over the elements before `end`.
    fn over(&self, pass: Pass, end: u32, cost: f64) -> Dispatch {
        let parameters = DispatchParameters { end, ..DispatchParameters::default() };
        Dispatch { pass, groups: self.workgroups(end), parameters, cost }
    }

    /// A dispatch of one workgroup per block.
    fn over_blocks(&self, pass: Pass, blocks: u32, cost: f64) -> Dispatch {
        let groups = self.workgroups(blocks * GROUP);
        Dispatch { groups, ..self.over(pass, blocks, cost) }
    }

    /// A pass over all boids, cut into several dispatches if candidates make it too long: `of_boid` is the maximum
    /// number of candidates of a boid, `of_flock` of the flock.
    fn over_candidates(&self, pass: Pass, (of_boid, of_flock): (f64, f64)) -> impl Iterator<Item = Dispatch> {
        let Costs { candidate, boid } = self.costs;
        let cost = move |count: f64| (count * of_boid).min(of_flock) * candidate + count * boid;
        let whole = f64::from(self.boids);
        let chunks = match cost(whole) <= MAX_WHOLE {
            true => 1.0,
            false => (whole * (of_boid * candidate + boid) / BUDGET).ceil(),
        };
        let chunk = ((whole / chunks).ceil() as u32).next_multiple_of(GROUP).max(GROUP);
        (0..self.boids).step_by(chunk as usize).map(move |first| {
            let count = chunk.min(self.boids - first);
            let mut dispatch = self.over(pass, count, cost(f64::from(count)));
            (dispatch.parameters.first, dispatch.parameters.end) = (first, first + count);
            dispatch
        })
    }

    /// A pass over all boids.
    pub fn over_boids(&self, pass: Pass) -> Vec<Dispatch> {
        self.over_candidates(pass, (0.0, 0.0)).collect()
    }

    /// Reduces the partial sums of `rows` rows from `first` on.
    fn reduce_rows(&self, pass: Pass, first: u32, rows: u32) -> Dispatch {
        let parameters =
            DispatchParameters { first, end: blocks(self.boids), ..DispatchParameters::default() };
        Dispatch { pass, groups: [rows, 1, 1], parameters, cost: 0.0 }
    }

    /// The sums over all boids that the means and predators need.
    fn sums(&self) -> [Dispatch; 2] {
        let attacks = if self.attack { self.predators } else { 0 };
        let cost = f64::from(self.boids) * f64::from(1 + attacks) * self.costs.candidate;
        let mut partials = self.over_blocks(Pass::ReducePartials, blocks(self.boids), cost);
        partials.groups[2] = 1 + attacks;
        [partials, self.reduce_rows(Pass::ReduceTotals, 0, 2 + attacks)]
    }

    /// The dispatches of one step; `turn` is its index in the batch.
    pub fn step(&self, step: u32, turn: u32) -> Vec<Dispatch> {
        let mut all = Vec::new();
        if self.boids > 0 && (self.means || self.attack) {
            all.extend(self.sums());
        }
        if self.means || self.predators > 0 || self.wanders {
            all.push(self.over(Pass::MovePredators, 1, 0.0));
        }
        if self.outside {
            all.extend(self.over_boids(Pass::PlaceRequests));
        }
        all.extend(self.over_candidates(Pass::Step, self.candidates()));
        if self.visited > 0 {
            all.extend(self.bin());
        }
        all.extend(self.order());
        for Dispatch { parameters, .. } in &mut all {
            (parameters.step, parameters.turn) = (step, turn);
        }
        all
    }

    /// The load that a batch of `steps` steps may reach. Up to it, all steps together take at most twice the
    /// [`BUDGET`], or each takes at most twice its planned time.
    pub fn guard(&self, steps: u32) -> Guard {
        if self.visited == 0 {
            return Guard::OPEN;
        }
        let Costs { candidate, boid } = self.costs;
        let boids = f64::from(self.boids);
        let seconds = MARGIN * BUDGET / f64::from(steps.max(1)) - boids * boid;
        if boids * boids * candidate <= seconds {
            // Even with all boids in one cell the batch is short enough.
            return Guard::OPEN;
        }
        let affordable = seconds / (f64::from(self.visited) * candidate);
        let squares = affordable.max(MARGIN * self.load.squares as f64);
        // Chunks are sized for the fullest cell.
        let cut = self.step_cost() > MAX_WHOLE;
        let most = if cut { (MARGIN * f64::from(self.load.most)) as u32 } else { u32::MAX };
        Guard { most, squares: squares as u64, ..Guard::OPEN }
    }

    /// Counts and lists the boids of each cell.
    pub fn count_and_bin(&self) -> Vec<Dispatch> {
        self.over_boids(Pass::Count).into_iter().chain(self.bin()).collect()
    }

    /// Lists the boids of each cell, from the cells' counts.
    fn bin(&self) -> impl Iterator<Item = Dispatch> {
        let blocks = cell_blocks(self.cells);
        let scan = [(Pass::ScanReduce, blocks), (Pass::ScanBlocks, 1), (Pass::ScanStarts, blocks)];
        let scan = scan.map(|(pass, blocks)| self.over_blocks(pass, blocks, 0.0));
        scan.into_iter().chain(self.over_boids(Pass::Scatter))
    }

    /// Sorts the boids of each cell by id, from the cells' lists: each boid is compared with the boids of its own cell.
    pub fn order(&self) -> impl Iterator<Item = Dispatch> {
        let visited = f64::from(self.visited.max(1));
        let (of_boid, of_flock) = self.candidates();
        self.over_candidates(Pass::Order, (of_boid / visited, of_flock / visited))
    }

    /// Adds up the hashes of the boids.
    pub fn hash(&self) -> Vec<Dispatch> {
        let mut all = self.over_boids(Pass::Hash);
        all.iter_mut().for_each(|dispatch| dispatch.groups = [dispatch.groups[0].min(HASH_GROUPS), 1, 1]);
        all
    }

    /// Measures the flock, into the first [`ROWS`] totals.
    pub fn measure(&self) -> [Dispatch; 4] {
        let over_flock = |pass| self.over_blocks(pass, blocks(self.boids), 0.0);
        [
            over_flock(Pass::Measure),
            self.reduce_rows(Pass::MeasureTotals, 0, 2),
            over_flock(Pass::MeasureSpread),
            self.reduce_rows(Pass::MeasureTotals, 2, ROWS - 2),
        ]
    }
}

/// The number of dispatches in the next submit: as many as the [`BUDGET`] allows, at least one and at most `most`.
pub(crate) fn next_submit(dispatches: &[Dispatch], most: usize) -> usize {
    let (mut cost, mut count) = (0.0, 0);
    for dispatch in dispatches.iter().take(most) {
        cost += dispatch.cost;
        if count > 0 && cost > BUDGET {
            break;
        }
        count += 1;
    }
    count
}

/// Costs of a step, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Per candidate: a boid tested for being within another boid's reach.
    pub candidate: f64,
    /// Per boid, for everything else.
    pub boid: f64,
}

/// The costs of one device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    initial: Costs,
    known: Costs,
    /// Set by the caller; measurements no longer change them.
    fixed: bool,
}

impl CostModel {
    /// Initial costs: a small GPU takes 0.5 ns per candidate, a software adapter about 6 ns.
    pub fn new(hardware: bool) -> CostModel {
        let (candidate, boid) = if hardware { (0.5e-9, 10e-9) } else { (10e-9, 100e-9) };
        let initial = Costs { candidate, boid };
        CostModel { initial, known: initial, fixed: false }
    }

    /// The current costs.
    pub fn costs(&self) -> Costs {
        self.known
    }

    /// Fixes the costs: measurements no longer change them.
    pub fn fix(&mut self, costs: Costs) {
        (self.known, self.fixed) = (costs, true);
    }

    /// Learns from a step of at most `candidates` candidates: `search` is the time of its neighbour search in seconds,
    /// `rest` of all else. A higher cost is taken at once; a lower one at most halves the known cost.
    pub fn learn(&mut self, candidates: f64, boids: f64, search: f64, rest: f64) {
        if self.fixed || boids < 1.0 || search + rest <= 0.0 {
            return;
        }
        let update = |known: f64, initial: f64, measured: f64| {
            let measured = (COST_MARGIN * measured).clamp(initial / COST_RANGE, initial * COST_RANGE);
            measured.max(0.5 * known)
        };
        if candidates >= boids {
            self.known.candidate = update(self.known.candidate, self.initial.candidate, search / candidates);
        }
        self.known.boid = update(self.known.boid, self.initial.boid, rest / boids);
    }

    /// Learns from the total time of a step, divided between the two costs as the model predicts.
    pub fn learn_total(&mut self, candidates: f64, boids: f64, seconds: f64) {
        let (search, rest) = (candidates * self.known.candidate, boids * self.known.boid);
        let search = seconds * search / (search + rest).max(f64::MIN_POSITIVE);
        self.learn(candidates, boids, search, seconds - search);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(boids: u32, load: Load) -> Plan {
        let costs = CostModel::new(true).costs();
        Plan {
            boids,
            cells: boids,
            visited: 27,
            load,
            means: true,
            predators: 2,
            wanders: false,
            attack: true,
            outside: false,
            side: 65535,
            costs,
        }
    }

    fn submits(dispatches: &[Dispatch]) -> Vec<&[Dispatch]> {
        let mut rest = dispatches;
        let mut all = Vec::new();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(next_submit(rest, 1024));
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
    fn an_even_flock_is_one_dispatch_a_pass_with_one_full_cell_too() {
        for load in [load(10, 3_000_000), load(10_000, 30_000_000)] {
            let dispatches = plan(1_000_000, load).step(5, 0);
            assert_eq!(dispatches.len(), 9);
            assert_eq!(covered(&dispatches, Pass::Step), 1_000_000);
        }
    }

    #[test]
    fn a_dense_flock_is_cut_into_short_submits() {
        let boids = 1_000_000;
        let plan = plan(boids, load(13_000, 190_000_000));
        let dispatches = plan.step(5, 0);
        assert_eq!((covered(&dispatches, Pass::Step), covered(&dispatches, Pass::Order)), (boids, boids));
        let submits = submits(&dispatches);
        assert!(submits.len() > 100, "{}", submits.len());
        for submit in &submits {
            assert!(submit.iter().map(|dispatch| dispatch.cost).sum::<f64>() < 2.0 * BUDGET);
        }
        assert_eq!(submits.iter().map(|submit| submit.len()).sum::<usize>(), dispatches.len());
    }

    /// Seconds of a plan's longest submit under a load other than planned for.
    fn longest(planned: &Plan, batch: u32, load: Load) -> f64 {
        let dispatches: Vec<_> = (0..batch).flat_map(|turn| planned.step(turn, turn)).collect();
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
        Load { most, squares, unused: 0 }
    }

    #[test]
    fn within_the_guard_a_submit_takes_less_than_a_second() {
        let boids = 1_000_000;
        for (most, squares, batch) in
            [(10, 3_000_000, 4), (10, 3_000_000, 1), (500, 30_000_000, 1), (13_000, 190_000_000, 1)]
        {
            let planned = Plan { means: false, attack: false, ..plan(boids, load(most, squares)) };
            let guard = planned.guard(batch);
            let fullest = load(guard.most.min(boids), guard.squares);
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
    fn dispatches_fold_into_two_dimensions() {
        let mut plan = plan(100_000, Load::default());
        plan.side = 100;
        let [x, y, _] = plan.workgroups(100_000);
        assert!(x <= 100 && x * y * GROUP >= 100_000 && x * (y - 1) * GROUP < 100_000);
        assert_eq!(plan.workgroups(1), [1, 1, 1]);
    }

    fn near(model: &CostModel, candidate: f64, boid: f64) -> bool {
        let found = model.costs();
        (found.candidate / candidate - 1.0).abs() < 1e-9 && (found.boid / boid - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_higher_cost_is_taken_at_once_and_a_lower_one_gradually() {
        let mut model = CostModel::new(false);
        model.learn(1e6, 1e3, 40e-3, 1e-3);
        assert!(near(&model, 60e-9, 1.5e-6), "{model:?}");
        model.learn(1e6, 1e3, 1e-3, 1e-5);
        assert!(near(&model, 30e-9, 0.75e-6), "{model:?}");
        for _ in 0..50 {
            model.learn(1e6, 1e3, 1e-9, 1e-9);
        }
        assert!(near(&model, 10e-9 / COST_RANGE, 100e-9 / COST_RANGE), "beyond the range: {model:?}");
    }
}

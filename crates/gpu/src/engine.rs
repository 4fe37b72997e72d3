//! The engine: a flock on the GPU.

mod steps;

use flock::formula::Prepared;
use flock::grid::Grid;
use flock::rule::Term;
use flock::{Parameters, Predator, Rule, start};

use self::steps::Batches;
use super::buffers::{Instances, REQUESTS, ROWS, Sizes, checked_boids};
use super::layout::{self, Guard, HashSum, Load, Scale, StepContext};
use super::number::{OnGpu, words};
use super::passes::Pass;
use super::plan::{CostModel, Costs, Plan};
use super::runner::Runner;
use super::shaders::Shaders;
use super::{Gpu, boids, buffers, grid, rule};
use engine::{
    Engine, EngineError, Numeric, PassEvent, PreparedRule, Result, State, Timed, VectorOf, Vectors,
};

/// A flock that a GPU steps, in f32 or in integers.
///
/// Between two steps the boids are sorted by cell and, within a cell, by id: their order, and with it every sum, is a
/// function of the state.
#[derive(Debug)]
pub struct GpuEngine<T: OnGpu> {
    runner: Runner<T>,
    parameters: Parameters,
    rule: Rule<T>,
    /// The formulas of the rule's terms; none if it has none.
    formulas: Option<Box<Prepared<T>>>,
    grid: Grid<T>,
    step: u64,
    /// Predators at the last status.
    predators: Vec<Predator<T>>,
    load: Load,
    /// The boids are still sorted by the cells of an earlier grid.
    unsorted: bool,
    /// The drawn buffers hold the current state.
    published: bool,
    /// The steps last requested take requests from outside.
    outside: bool,
    costs: CostModel,
    batches: Batches,
    /// An error of a method without a result; the next method with one returns it.
    failed: Option<EngineError>,
}

/// Measures of a flock, by reductions on the GPU for the live charts: cheap enough for every frame. All zero if it is empty.
///
/// Centre and gyration use the unwrapped positions. In a world that wraps they are valid only for a flock that crosses
/// no edge; `flock::measures`, the source of the files' columns, takes circular means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// |Σ v/|v|| / N, in [0, 1].
    pub polarization: f32,
    /// Centre of mass, in units of length.
    pub centre: [f32; 3],
    /// Radius of gyration, in units of length.
    pub gyration: f32,
    /// Standard deviations of the positions along the axes, in units of length.
    pub deviation: [f32; 3],
}

/// The measures from the totals that `shaders/measure.wgsl` and
/// `shaders/measure_spread.wgsl` describe; `middle` is the world's centre.
fn from_totals(totals: &[[f32; 4]; ROWS as usize], middle: [f32; 3]) -> Measures {
    let [offsets, headings, spread] = totals;
    let boids = offsets[3];
    if boids <= 0.0 {
        return Measures::default();
    }
    let [x, y, z, _] = headings;
    Measures {
        polarization: (x * x + y * y + z * z).sqrt() / boids,
        centre: std::array::from_fn(|k| middle[k] + offsets[k] / boids),
        gyration: (spread[3] / boids).sqrt(),
        deviation: std::array::from_fn(|k| (spread[k] / boids).sqrt()),
    }
}

impl<T: OnGpu> GpuEngine<T> {
    /// Creates an engine for a flock with these parameters in this state.
    ///
    /// # Errors
    /// When the flock does not fit the device, or the driver refuses.
    pub fn new(gpu: &Gpu, parameters: &Parameters, state: &State) -> Result<Self> {
        Self::with_shaders(gpu, Shaders::default(), parameters, state)
    }

    /// See [`GpuEngine::new`], with other shaders: tests run mutations of them.
    ///
    /// # Errors
    /// See [`GpuEngine::new`]; also when a shader is invalid.
    pub fn with_shaders(gpu: &Gpu, shaders: Shaders, parameters: &Parameters, state: &State) -> Result<Self> {
        let prepared = engine::rule(parameters, state.boids.len())?;
        let mut engine = GpuEngine {
            runner: Runner::new(gpu, shaders, &prepared)?,
            parameters: *parameters,
            grid: grid::of(&prepared.rule, 0),
            rule: prepared.rule,
            formulas: None,
            step: 0,
            predators: Vec::new(),
            load: Load::default(),
            unsorted: false,
            published: false,
            outside: false,
            costs: CostModel::new(gpu.hardware()),
            batches: Batches::new(gpu)?,
            failed: None,
        };
        let boids = checked_boids(gpu, state.boids.len())?;
        engine.load_state(state, boids, prepared)?;
        Ok(engine)
    }

    /// Replaces the flock by one of so many boids, which fit, with the rule of the parameters for them.
    fn load_state(&mut self, state: &State, count: u32, prepared: PreparedRule<T>) -> Result {
        let parameters = self.parameters;
        let rule = &prepared.rule;
        let predators = state.predators.iter().map(|predator| rule.quantise_predator(predator)).collect();
        let before = std::mem::replace(&mut self.predators, predators);
        if let Err(error) = self.fit(count, &parameters, prepared) {
            self.predators = before;
            return Err(error);
        }
        self.step = state.step;
        let boids = state.boids.iter().map(|boid| self.rule.quantise(boid));
        boids::write(&self.runner, boids)?;
        self.load = Load::default();
        self.bin()
    }

    /// The boids on the GPU, in the layout of the drawing passes.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn instances(&mut self) -> Result<&Instances> {
        self.publish()?;
        Ok(&self.runner.buffers.drawn)
    }

    /// Predators at the last status. Does not wait, so they may be one batch behind.
    pub fn predators(&mut self) -> Vec<Predator<f32>> {
        // A batch that the guard stopped is completed at once.
        let settled =
            self.collect(false).and_then(|()| if self.batches.unsorted { self.settle() } else { Ok(()) });
        self.failed = self.failed.take().or(settled.err());
        self.predators.iter().map(|predator| self.rule.dequantise_predator(predator).convert()).collect()
    }

    /// Sets fixed costs for cutting steps into submits, instead of measured ones. They never change a result.
    pub fn set_costs(&mut self, costs: Costs) {
        self.costs.fix(costs);
    }

    /// Waits until all steps are done, and reads back their status.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn finish(&mut self) -> Result {
        self.failed.take().map_or(Ok(()), Err)?;
        self.settle()?;
        self.runner.gpu.wait()
    }

    /// Measures of the whole flock.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn measures(&mut self) -> Result<Measures> {
        if self.runner.buffers.boids == 0 {
            return Ok(Measures::default());
        }
        self.publish()?;
        self.runner.submit(&self.plan().measure())?;
        let totals: Vec<[f32; 4]> = self.runner.read("totals", ROWS as usize)?;
        Ok(from_totals(&std::array::from_fn(|row| totals[row]), self.middle()))
    }

    /// Milliseconds of each pass in the last step whose status was read back; empty without timestamps.
    pub fn pass_times(&self) -> &[(&'static str, f64)] {
        self.runner.timing.as_ref().map_or(&[], |timing| &timing.log.times)
    }

    /// True if the device can time passes.
    pub fn times_passes(&self) -> bool {
        self.runner.timing.is_some()
    }

    /// Number of compiled pipelines that the device caches.
    pub fn pipelines(&self) -> usize {
        self.runner.gpu.compiled.count()
    }

    /// Boids in the fullest cell, and the mean occupancy of a boid's own cell.
    pub fn occupancy(&self) -> (u32, f64) {
        let boids = f64::from(self.runner.buffers.boids.max(1));
        (self.load.most, self.load.squares as f64 / boids)
    }

    /// Adds up the hashes of the boids in memory after all submits.
    fn hash_sum(&mut self) -> Result<HashSum> {
        self.runner.write("hash_sum", &[HashSum::default()])?;
        self.runner.submit(&self.plan().hash())?;
        Ok(self.runner.read("hash_sum", 1)?[0])
    }

    /// The world's centre, in users' units.
    fn middle(&self) -> [f32; 3] {
        (self.rule.world_min + self.rule.half_size).to_array().map(|c| self.rule.unscaled(c) as f32)
    }

    /// Converts the state for drawing, if a drawing pass cannot read it directly.
    fn publish(&mut self) -> Result {
        self.settle()?;
        if T::DIRECT_DRAW || self.published {
            return Ok(());
        }
        self.runner.submit(&self.plan().over_boids(Pass::ConvertForDrawing))?;
        self.published = true;
        Ok(())
    }

    fn plan(&self) -> Plan {
        let predators = self.predators.len() as u32;
        Plan {
            boids: self.runner.buffers.boids,
            cells: self.runner.buffers.cells,
            visited: if rule::non_interacting(&self.rule) { 0 } else { grid::visited(&self.grid) },
            load: self.load,
            means: self.rule.means,
            predators,
            wanders: self.rule.terms.has(Term::Wander),
            attack: predators > 0 && self.rule.attack_weight != T::ZERO,
            outside: self.outside,
            side: self.runner.gpu.limits.max_compute_workgroups_per_dimension,
            costs: self.costs.costs(),
        }
    }

    /// Resizes buffers and changes pipelines for a number of boids and a rule, and writes the uniforms. Buffers of the
    /// right size keep their contents.
    fn fit(&mut self, boids: u32, parameters: &Parameters, prepared: PreparedRule<T>) -> Result {
        let grid = grid::of(&prepared.rule, boids);
        let (rows, count) = (buffers::rows(parameters), parameters.predators.count);
        let (cells, requests) = (grid.cells(), self.outside);
        self.runner.fit(&prepared, &Sizes { boids, cells, rows, predators: count, requests })?;
        let PreparedRule { rule, formulas } = prepared;
        (self.rule, self.formulas, self.grid, self.parameters) = (rule, formulas, grid, *parameters);

        self.predators.truncate(count as usize);
        for index in self.predators.len() as u32..count {
            self.predators.push(self.rule.quantise_predator(&start::predator(parameters, index)));
        }
        self.write_uniforms(boids)?;
        self.published = false;
        self.runner.write("totals", &vec![0_u8; rows as usize * T::TOTAL as usize])
    }

    /// Writes rule, grid and predators for a number of boids.
    fn write_uniforms(&self, boids: u32) -> Result {
        let mut context = StepContext::default();
        for (on_gpu, predator) in context.predators.iter_mut().zip(&self.predators) {
            *on_gpu = layout::Predator {
                position: words(predator.position, 0),
                velocity: words(predator.velocity, 0),
            };
        }
        self.runner.write("context", &[context])?;
        self.runner.write("rule", &rule::uniform(&self.rule, self.formulas.as_deref(), boids))?;
        self.runner.write("grid", &[grid::uniform(&self.grid)])?;
        let [x, y, z] = self.middle();
        let length = self.rule.unscaled(T::from_word(1)) as f32;
        let scale = Scale { middle: [x, y, z, 0.0], length, boids, ..Scale::default() };
        self.runner.write("scale", &[scale])
    }

    /// Writes the requests from outside for the next steps.
    fn take_requests(&mut self, requests: &[[f64; 3]]) -> Result {
        let given = !requests.is_empty();
        if !given && !self.outside {
            return Ok(());
        }
        // Steps that a guard stopped are completed with their original requests.
        self.settle()?;
        if given != self.outside {
            self.outside = given;
            let (boids, parameters) = (self.boids(), self.parameters);
            let prepared = PreparedRule { rule: self.rule, formulas: self.formulas.clone() };
            if let Err(error) = self.fit(boids, &parameters, prepared) {
                self.outside = !given;
                return Err(error);
            }
        }
        let scaled = |request: &[f64; 3]| words(request.map(|c| self.rule.scaled(c)), 0);
        let rows: Vec<_> = requests.iter().take(self.boids() as usize).map(scaled).collect();
        if given { self.runner.write(REQUESTS, &rows) } else { Ok(()) }
    }

    /// Bins and sorts the boids, which may be in any order.
    fn bin(&mut self) -> Result {
        if rule::non_interacting(&self.rule) {
            (self.load, self.unsorted) = (Load::default(), false);
            // No pass counts, so the status after a batch reads this load.
            return self.runner.write("load", &[self.load]);
        }
        (self.unsorted, self.published) = (true, false);
        let sorted = [("positions", "new_positions"), ("velocities", "new_velocities")];
        self.runner.copy_and_clear(&sorted, "counts")?;
        self.runner.write("guard", &[Guard::OPEN])?;
        self.runner.submit(&self.plan().count_and_bin())?;
        // The load decides how the sort is cut into dispatches.
        self.load = self.runner.read("load", 1)?[0];
        self.sort()?;
        self.unsorted = false;
        Ok(())
    }
}

impl<T: OnGpu> Timed for GpuEngine<T> {
    fn time_every_step(&mut self, on: bool) -> Result {
        self.take_events()?;
        if let Some(timing) = &mut self.runner.timing {
            timing.log.every_step = on;
        }
        Ok(())
    }

    fn take_events(&mut self) -> Result<Vec<PassEvent>> {
        self.finish()?;
        let timing = self.runner.timing.as_mut();
        Ok(timing.map_or_else(Vec::new, |timing| std::mem::take(&mut timing.log.events)))
    }

    fn traffic(&self, name: &str) -> Result<u64> {
        match Pass::of::<T>().iter().find(|pass| pass.name() == name) {
            Some(pass) => self.runner.traffic(*pass),
            None => Err(self.runner.gpu.error(format!("no pass {name}"))),
        }
    }
}

impl<T: OnGpu> Engine for GpuEngine<T> {
    fn describe(&self) -> String {
        format!("gpu, {}, {}", T::NUMERIC.name(), self.runner.gpu.name())
    }

    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }

    fn boids(&self) -> u32 {
        self.runner.buffers.boids
    }

    fn step_number(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u32) -> Result {
        self.advance_by(&[], steps)
    }

    fn advance_by(&mut self, requests: &[[f64; 3]], steps: u32) -> Result {
        self.failed.take().map_or(Ok(()), Err)?;
        if self.unsorted {
            self.bin()?;
        }
        self.take_requests(requests)?;
        self.submit_steps(steps)?;
        self.runner.gpu.check()
    }

    fn state(&mut self) -> Result<State> {
        self.finish()?;
        let boids = boids::sorted(&self.runner, &self.rule)?;
        let predators =
            self.predators.iter().map(|predator| self.rule.dequantise_predator(predator)).collect();
        State { step: self.step, boids, predators }.finite(T::NUMERIC)
    }

    fn vectors(&mut self, of: VectorOf, into: Vectors<'_>) -> Result {
        self.finish()?;
        // The whole state names the boid that is not finite.
        if boids::vectors(&self.runner, &self.rule, of, into)? { Ok(()) } else { self.state().map(drop) }
    }

    fn hash(&mut self) -> Result<u64> {
        self.failed.take().map_or(Ok(()), Err)?;
        // The sum is submitted behind the steps in flight, so that one wait serves both.
        let mut found = self.hash_sum()?;
        self.collect(true)?;
        if self.batches.unsorted {
            self.settle()?;
            found = self.hash_sum()?;
        }
        if found.not_finite != 0 {
            // The whole state names the boid that is not finite.
            self.state()?;
        }
        Ok(found.sum)
    }

    fn set_state(&mut self, state: &State) -> Result {
        self.finish()?;
        let boids = checked_boids(&self.runner.gpu, state.boids.len())?;
        let prepared = engine::rule::<T>(&self.parameters, state.boids.len())?;
        self.load_state(state, boids, prepared)
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result {
        self.finish()?;
        let prepared = engine::rule::<T>(parameters, self.runner.buffers.boids as usize)?;
        let new = &prepared.rule;
        // The state must be written again where its order or format changes: non-interacting boids are in the order of
        // their ids, boids on a plane have z = 0, and lengths are in the rule's unit.
        let rewrite = rule::non_interacting(new) != rule::non_interacting(&self.rule)
            || new.flat && !self.rule.flat
            || new.unit != self.rule.unit;
        let (grid, state) = (self.grid, rewrite.then(|| self.state()).transpose()?);
        self.fit(self.runner.buffers.boids, parameters, prepared)?;
        if let Some(state) = state {
            return self.set_state(&state);
        }
        // Sorted only at the next step, since a restart first writes another flock.
        self.unsorted |= self.grid != grid;
        Ok(())
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        // The status of a batch in flight would overwrite the new position.
        self.failed.take().map_or(Ok(()), Err)?;
        self.settle()?;
        let Some(predator) = self.predators.get_mut(index) else { return Ok(()) };
        predator.position = self.rule.quantise_vector(position.map(f64::from));
        let written = words(predator.position, 0);
        let offset = std::mem::offset_of!(StepContext, predators) + index * size_of::<layout::Predator>();
        let first = offset / size_of_val(&written);
        self.runner.write_from(first as u32, "context", &[written])?;
        self.runner.gpu.check()
    }
}

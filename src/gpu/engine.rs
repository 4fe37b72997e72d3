//! The engine: a flock on the GPU.

mod batch;
mod watch;

use flock::grid::Grid;
use flock::{Parameters, Predator, Rule, start};

use self::batch::Agenda;
pub use self::batch::Crowding;
use self::watch::Watch;
use super::buffers::{ROWS, Sizes};
use super::jobs::Plan;
use super::layout::{self, Guard, Load, Scale, StepContext};
use super::measures::{self, Measures};
use super::number::{OnGpu, words};
use super::pace::Pace;
use super::report::Report;
use super::runner::Runner;
use super::shaders::Shaders;
use super::{Gpu, boids, capacity, grid, rule};
use crate::engine::{Engine, EngineError, rule as rule_of};
use crate::instances::Instances;
use crate::state::{Numeric, State};

/// A flock that a GPU steps, in f32 or in integers.
///
/// Between two steps the boids lie sorted by cell and, within a cell, by id: their order, and so every sum, is a
/// function of the state.
#[derive(Debug)]
pub struct GpuEngine<T: OnGpu> {
    runner: Runner<T>,
    parameters: Parameters,
    rule: Rule<T>,
    grid: Grid<T>,
    step: u64,
    /// As they stood at the last report.
    predators: Vec<Predator<T>>,
    load: Load,
    /// The boids still lie sorted by cells of an earlier grid.
    unsorted: bool,
    /// What is drawn is the flock as it is now.
    published: bool,
    pace: Pace,
    agenda: Agenda,
    report: Report,
    watch: Watch,
    /// An error that came up where it could not be returned.
    failed: Option<EngineError>,
}

impl<T: OnGpu> GpuEngine<T> {
    /// A flock with these parameters in this state.
    ///
    /// # Errors
    /// When it does not fit the device, or the driver refuses.
    pub fn new(gpu: &Gpu, parameters: &Parameters, state: &State) -> Result<Self, EngineError> {
        Self::with_shaders(gpu, Shaders::default(), parameters, state)
    }

    /// The same with other shaders: how a slip in them shows.
    ///
    /// # Errors
    /// As [`GpuEngine::new`], and when the shaders are not fit to run.
    pub fn with_shaders(
        gpu: &Gpu,
        shaders: Shaders,
        parameters: &Parameters,
        state: &State,
    ) -> Result<Self, EngineError> {
        let rule = rule_of(T::NUMERIC, parameters, state.boids.len())?;
        let mut engine = GpuEngine {
            runner: Runner::new(gpu, shaders, &rule)?,
            parameters: *parameters,
            grid: grid::of(&rule, 0),
            rule,
            step: 0,
            predators: Vec::new(),
            load: Load::default(),
            unsorted: false,
            published: false,
            pace: Pace::of(gpu.hardware()),
            agenda: Agenda::default(),
            report: Report::new(gpu)?,
            watch: Watch::default(),
            failed: None,
        };
        engine.set_state(state)?;
        Ok(engine)
    }

    /// The boids as they lie on the GPU, to be drawn from where they are.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn instances(&mut self) -> Result<&Instances, EngineError> {
        self.publish()?;
        Ok(&self.runner.buffers.drawn)
    }

    /// The predators as of the last step that the GPU has told of: without waiting, so perhaps one batch behind.
    pub fn predators(&mut self) -> Vec<Predator<f32>> {
        // A batch that was stopped goes on at once.
        if let Err(error) = self.collect(false).and_then(|()| self.settle_if_unordered()) {
            self.failed.get_or_insert(error);
        }
        self.predators.iter().map(|predator| self.rule.give_predator(predator).convert()).collect()
    }

    /// Seconds that the device takes for a candidate and for a boid, which are measured otherwise. They decide how
    /// steps are cut into submits, never what comes out.
    pub fn set_pace(&mut self, candidate: f64, boid: f64) {
        self.pace.set(candidate, boid);
    }

    /// Waits until all steps are done, and takes what the GPU has to tell.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.settle()?;
        self.runner.gpu.wait()
    }

    /// What the flock looks like as a whole.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn measures(&mut self) -> Result<Measures, EngineError> {
        if self.runner.buffers.boids == 0 {
            return Ok(Measures::default());
        }
        self.publish()?;
        let mut jobs = Vec::new();
        self.plan().measure(&mut jobs);
        self.runner.submit(&jobs, None)?;
        let totals: Vec<[f32; 4]> = self.runner.read("totals", ROWS as usize)?;
        Ok(measures::from_totals(&std::array::from_fn(|row| totals[row]), self.middle()))
    }

    /// The world's centre, in users' units.
    fn middle(&self) -> [f32; 3] {
        (self.rule.world_min + self.rule.half_size).to_array().map(|c| self.rule.unscaled(c) as f32)
    }

    /// Brings what is drawn up to date, where it is not the flock itself.
    fn publish(&mut self) -> Result<(), EngineError> {
        self.settle()?;
        if T::DRAWN_AS_IT_LIES || self.published {
            return Ok(());
        }
        let mut jobs = Vec::new();
        self.plan().publish(&mut jobs);
        self.runner.submit(&jobs, None)?;
        self.published = true;
        Ok(())
    }

    fn plan(&self) -> Plan {
        let predators = self.predators.len() as u32;
        let looks = !rule::alone(&self.rule);
        Plan {
            boids: self.runner.buffers.boids,
            cells: self.runner.buffers.cells,
            visited: if looks { grid::visited(&self.grid) } else { 0 },
            load: self.load,
            crowded_beyond: self.runner.gpu.crowded(),
            means: self.rule.means,
            predators,
            attack: predators > 0 && self.rule.attack_weight != T::ZERO,
            side: self.runner.gpu.limits.max_compute_workgroups_per_dimension,
            pace: self.pace.seconds(),
        }
    }

    /// Makes room for so many boids under a rule, and writes the rule. What was in buffers that fit stays in them.
    fn fit(&mut self, boids: u32, parameters: &Parameters, rule: Rule<T>) -> Result<(), EngineError> {
        let grid = grid::of(&rule, boids);
        let (rows, count) = (capacity::rows(parameters), parameters.predators.count);
        self.runner.fit(&rule, &Sizes { boids, cells: grid.cells(), rows, predators: count })?;
        (self.rule, self.grid, self.parameters) = (rule, grid, *parameters);

        self.predators.truncate(count as usize);
        for index in self.predators.len() as u32..count {
            self.predators.push(self.rule.take_predator(&start::predator(parameters, index)));
        }
        if self.rule.flat {
            for predator in &mut self.predators {
                (predator.position[2], predator.velocity[2]) = (T::ZERO, T::ZERO);
            }
        }
        let mut context = StepContext::default();
        for (on_gpu, predator) in context.predators.iter_mut().zip(&self.predators) {
            *on_gpu = layout::Predator {
                position: words(predator.position, 0),
                velocity: words(predator.velocity, 0),
            };
        }
        self.runner.write("context", &[context])?;
        self.runner.write("rule", &rule::uniform(&self.rule, boids))?;
        self.runner.write("grid", &[grid::uniform(&self.grid)])?;
        let [x, y, z] = self.middle();
        let length = self.rule.unscaled(T::from_word(1)) as f32;
        let scale = Scale { middle: [x, y, z, 0.0], length, boids, ..Scale::default() };
        self.runner.write("scale", &[scale])?;
        self.published = false;
        self.runner.write("totals", &vec![0_u8; rows as usize * T::TOTAL as usize])
    }

    /// Sorts the boids into the cells, from wherever they lie.
    fn bin(&mut self) -> Result<(), EngineError> {
        if rule::alone(&self.rule) {
            (self.load, self.unsorted) = (Load::default(), false);
            return Ok(());
        }
        (self.unsorted, self.published) = (true, false);
        let sorted = [("positions", "new_positions"), ("velocities", "new_velocities")];
        self.runner.copy_and_clear(&sorted, "counts")?;
        let mut jobs = Vec::new();
        self.plan().count(&mut jobs);
        self.plan().bin(&mut jobs, 0);
        self.runner.write("guard", &[Guard::OPEN])?;
        self.runner.submit(&jobs, None)?;
        // How crowded the cells are decides how the rest is cut.
        let load = self.runner.read("load", 1)?;
        self.load = load[0];
        self.order()?;
        self.unsorted = false;
        Ok(())
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

    fn advance(&mut self, steps: u32) -> Result<(), EngineError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.unsorted {
            self.bin()?;
        }
        self.go_on(steps)?;
        self.runner.gpu.check()
    }

    fn state(&mut self) -> Result<State, EngineError> {
        self.finish()?;
        let boids = boids::read(&self.runner, &self.rule)?;
        let predators = self.predators.iter().map(|predator| self.rule.give_predator(predator)).collect();
        Ok(State { step: self.step, boids, predators })
    }

    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        self.finish()?;
        let parameters = self.parameters;
        let rows = capacity::rows(&parameters);
        let count = capacity::check::<T>(&self.runner.gpu, state.boids.len(), rows)?;
        let rule = rule_of::<T>(T::NUMERIC, &parameters, state.boids.len())?;
        let predators = state.predators.iter().map(|predator| rule.take_predator(predator)).collect();
        let before = std::mem::replace(&mut self.predators, predators);
        if let Err(error) = self.fit(count, &parameters, rule) {
            self.predators = before;
            return Err(error);
        }
        self.step = state.step;
        boids::write(&self.runner, &self.rule, &state.boids)?;
        self.load = Load::default();
        self.bin()
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError> {
        self.finish()?;
        let new = rule_of(T::NUMERIC, parameters, self.runner.buffers.boids as usize)?;
        // Unsorted boids lie in the order of their ids, as in a flock just put in; flat ones at z = 0; lengths in the
        // rule's unit.
        let anew = rule::alone(&new) != rule::alone(&self.rule)
            || new.flat && !self.rule.flat
            || new.unit != self.rule.unit;
        let grid = self.grid;
        if anew {
            let state = self.state()?;
            self.fit(self.runner.buffers.boids, parameters, new)?;
            return self.set_state(&state);
        }
        self.fit(self.runner.buffers.boids, parameters, new)?;
        // Sorted only when they step: a restart is about to put in another flock.
        self.unsorted |= self.grid != grid;
        Ok(())
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        // A report that is still under way would put it back where it was.
        if let Err(error) = self.settle() {
            self.failed.get_or_insert(error);
        }
        let Some(predator) = self.predators.get_mut(index) else {
            return;
        };
        let [x, y, z] = position.map(|c| self.rule.scaled(f64::from(c)).confine());
        predator.position = [x, y, if self.rule.flat { T::ZERO } else { z }];
        let position = words(predator.position, 0);
        let offset = std::mem::offset_of!(StepContext, predators) + index * size_of::<layout::Predator>();
        if let Ok(context) = self.runner.buffers.get(&self.runner.gpu, "context") {
            self.runner.gpu.queue.write_buffer(context, offset as u64, bytemuck::bytes_of(&position));
        }
    }
}

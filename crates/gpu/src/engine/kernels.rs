//! Times the kernels on the flock as it is. Nothing of it changes: a step writes its results beside the boids, and the
//! next step overwrites them.

use std::time::Duration;

use web_time::Instant;

use super::GpuEngine;
use crate::choice::{Measurement, Reason, Settings};
use crate::cost::CostModel;
use crate::kernel::Kernel;
use crate::layout::{DispatchParameters, GROUP, Guard, Word};
use crate::number::OnGpu;
use crate::passes::Pass;
use crate::plan::Dispatch;
use cpu::engine::Result;

/// Planned seconds of a dispatch, at most: by the cost of its boids if all were in the fullest cell.
const LONGEST: f64 = 0.03;
/// A time shorter than this is taken again with more boids, then with more dispatches, up to so many.
const SHORTEST: f64 = 2e-3;
const MOST: usize = 256;
/// Fewer boids say little.
const FEWEST: u32 = 2048;
/// Each kernel is timed at most so often, and not again after the limit. The least time counts.
const ROUNDS: usize = 5;
const LIMIT: Duration = Duration::from_millis(100);

impl<T: OnGpu> GpuEngine<T> {
    /// The settings that it steps with.
    pub fn settings(&self) -> Settings {
        self.runner.gpu.settings
    }

    /// Steps with this kernel from now on.
    ///
    /// # Errors
    /// When the device cannot run it.
    pub fn set_kernel(&mut self, kernel: Kernel, reason: Reason) -> Result {
        self.finish()?;
        self.runner.set_kernel(kernel, reason, &self.rule)
    }

    /// Times every kernel on the flock, which the device must be able to run. None where that would take too long, or
    /// another pass than the kernels' steps the flock.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure_kernels(&mut self) -> Result<Option<Measurement>> {
        self.finish()?;
        if self.unsorted {
            self.bin()?;
        }
        let Some(boids) = self.first_sample() else {
            return Ok(None);
        };
        let Settings { kernel, reason, .. } = self.settings();
        let begun = Instant::now();
        let measured = self.time_kernels(boids, kernel);
        self.runner.set_kernel(kernel, reason, &self.rule)?;
        // The steps have counted the boids of their new cells.
        self.runner.copy_and_clear(&[], "counts")?;
        let found = measured?;
        log::info!("kernels on {}: {found}; found in {:?}", self.runner.gpu.name(), begun.elapsed());
        Ok(Some(found))
    }

    fn time_kernels(&mut self, mut boids: u32, default: Kernel) -> Result<Measurement> {
        self.runner.write("guard", &[Guard::OPEN])?;
        // The first dispatch of a pipeline may compile it.
        for kernel in Kernel::ALL {
            self.time_kernel(kernel, GROUP, 1)?;
        }
        let (all, mut dispatches) = (self.runner.buffers.boids, 1);
        while dispatches < MOST && self.time_kernel(default, boids, dispatches)? < SHORTEST {
            (boids, dispatches) =
                if boids < all { (boids.saturating_mul(2).min(all), 1) } else { (all, 2 * dispatches) };
        }
        let begun = Instant::now();
        let mut times = [u64::MAX; Kernel::ALL.len()];
        let mut results = Vec::new();
        for round in 0..ROUNDS {
            for kernel in Kernel::ALL {
                let seconds = self.time_kernel(kernel, boids, dispatches)? / dispatches as f64;
                let least = &mut times[kernel as usize];
                *least = (*least).min((1e9 * seconds) as u64);
                if round == 0 {
                    results.push(self.stepped(boids)?);
                }
            }
            if begun.elapsed() > LIMIT {
                break;
            }
        }
        let same_bits = results.windows(2).all(|pair| pair[0] == pair[1]);
        Ok(Measurement { boids, times, same_bits })
    }

    /// Seconds in which so many dispatches of a kernel step so many boids, each the same.
    fn time_kernel(&mut self, kernel: Kernel, boids: u32, dispatches: usize) -> Result<f64> {
        let reason = self.settings().reason;
        self.runner.set_kernel(kernel, reason, &self.rule)?;
        let (first, end) = self.range(boids);
        let parameters =
            DispatchParameters { first, end, step: self.step as u32, ..DispatchParameters::default() };
        let groups = self.plan().workgroups(end - first);
        let dispatch = Dispatch { pass: Pass::Step, groups, parameters, cost: 0.0 };
        self.runner.gpu.wait()?;
        let begun = Instant::now();
        self.runner.submit(&vec![dispatch; dispatches])?;
        self.runner.gpu.wait()?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// So many boids in the middle of their order, for cells at the edge of a flock are less full.
    fn range(&self, boids: u32) -> (u32, u32) {
        let all = self.runner.buffers.boids;
        let boids = boids.min(all);
        let first = (all - boids) / 2 / GROUP * GROUP;
        (first, first + boids)
    }

    /// What the last dispatch wrote.
    fn stepped(&self, boids: u32) -> Result<Vec<[Word; 4]>> {
        let (first, end) = self.range(boids);
        let mut all = Vec::new();
        for name in ["new_positions", "new_velocities"] {
            let written: Vec<[Word; 4]> = self.runner.read(name, end as usize)?;
            all.extend_from_slice(&written[first as usize..]);
        }
        Ok(all)
    }

    /// How many boids to begin with; none where the time of enough of them has no useful bound.
    fn first_sample(&self) -> Option<u32> {
        let plan = self.plan();
        // Not the costs as learned: they follow from times, and whether there is a measurement must not.
        let costs = CostModel::new(self.runner.gpu.hardware()).costs();
        let of_boid = plan.candidates().0 * costs.candidate + costs.boid;
        let boids = ((LONGEST / of_boid) as u32).min(plan.boids);
        let steps = plan.visited > 0 && !plan.clustered();
        (steps && boids >= FEWEST).then_some(boids)
    }
}

//! A part of a flock in integers: boids of any ids under the rule of the whole flock, whose other boids are elsewhere.
//!
//! Between two exchanges only the GPU holds the boids. For an exchange they are split: the host reads the boids that
//! may leave or be perceived elsewhere, and writes back those that stay or arrive. The rest stay on the GPU.

use bytemuck::Zeroable;
use cpu::{Part, PartEngine, Role, Totals};
use engine::{Engine, Numeric, Result};
use flock::{Boid, Fixed, Grid, Parameters, Vec3, hash};

use super::GpuEngine;
use crate::buffers::{HALO, SPLIT};
use crate::layout::{Load, Split, Word};
use crate::passes::Pass;
use crate::shaders::Shaders;
use crate::{Gpu, boids, buffers, capacity, grid, rule};

impl GpuEngine<Fixed> {
    /// Creates an engine for parts of a flock with these parameters.
    ///
    /// # Errors
    /// When the parameters do not fit integers, or the driver refuses.
    pub fn for_parts(gpu: &Gpu, parameters: &Parameters) -> Result<Self> {
        let whole = engine::rule(Numeric::Fixed, parameters, parameters.flock.boids as usize)?;
        let engine = Self::empty(gpu, Shaders::default(), parameters, whole)?;
        Ok(GpuEngine { part: true, ..engine })
    }

    /// Ensures capacity for the staying boids and those of `part`; reallocation moves the former to `part`.
    fn make_room(&mut self, part: &mut Part<Fixed>) -> Result<u32> {
        let (parameters, here) = (self.parameters, self.runner.buffers.drawn.count);
        let count = self.staying as usize + part.all().0.len();
        let count = capacity::check(&self.runner.gpu, count)?;
        if here == 0 || !(count..=count.saturating_mul(4)).contains(&here) {
            let staying = boids::read(&self.runner, boids::SPLIT, 0..std::mem::take(&mut self.staying))?;
            staying.for_each(|(id, boid)| part.add(id, boid, Role::Own));
            self.fit(count + count / 4, &parameters, *part.rule())?;
        }
        Ok(count)
    }

    /// Runs `split.wgsl`, and returns the boids that it moves to the end.
    fn split_off(&mut self, split: Split, part: &Part<Fixed>) -> Result<Vec<(u32, Boid<Fixed>)>> {
        let count = self.runner.buffers.boids;
        self.runner.write(SPLIT, &[Split { boids: count, halo: part.halo().count() as u32, ..split }])?;
        self.runner.submit(&self.plan().over_boids(Pass::Split))?;
        let found: Split = self.runner.read(SPLIT, 1)?[0];
        self.staying = found.inside;
        Ok(boids::read(&self.runner, boids::SPLIT, count - found.outside..count)?.collect())
    }

    /// Reads the halo from the GPU.
    fn halo(&mut self, part: &Part<Fixed>) -> Result<Vec<(u32, Boid<Fixed>)>> {
        match part.halo().next() {
            None => Ok(Vec::new()),
            Some(_) => self.split_off(Split { only_halo: 1, ..Split::zeroed() }, part),
        }
    }

    /// Writes sums over the flock in the layout that `move_predators.wgsl` reads.
    fn write_sums(&mut self, sums: &Totals<Fixed>) -> Result {
        let row = |sum: &Vec3<i64>| -> [Word; 8] {
            let [x, y, z] = sum.to_array();
            let high = |c: i64| (c >> 32) as u32;
            [x as u32, y as u32, z as u32, sums.count.0 as u32, high(x), high(y), high(z), 0]
        };
        // Predators that do not attack have no rows.
        let rows = buffers::rows(&self.parameters) as usize;
        let all = [&sums.offset, &sums.velocity].into_iter().chain(&sums.prey).take(rows);
        self.runner.write("totals", &all.map(row).collect::<Vec<_>>())
    }
}

impl PartEngine<Fixed> for GpuEngine<Fixed> {
    fn describe(&self) -> String {
        self.runner.gpu.name()
    }

    fn load(&mut self, part: &mut Part<Fixed>) -> Result {
        self.finish()?;
        let count = self.make_room(part)?;
        let mut halo: Vec<u32> = part.halo().collect();
        halo.sort_unstable();
        let (ids, all, predators) = part.all();
        let arrived = ids.iter().copied().zip(all.iter().copied());
        self.runner.copy_and_clear(&[("members", "tags")], "counts")?;
        boids::write(&self.runner, boids::UNSORTED, self.staying, arrived)?;
        self.runner.write(HALO, &halo)?;
        self.predators = predators.to_vec();
        (self.runner.buffers.boids, self.step, self.staying) = (count, part.step(), 0);
        self.write_uniforms(count)?;
        if rule::non_interacting(&self.rule) {
            let unsorted = [("new_positions", "positions"), ("new_velocities", "velocities")];
            self.load = Load::default();
            return self.runner.copy_and_clear(&unsorted, "counts");
        }
        self.bin_new()
    }

    fn advance(&mut self, part: &mut Part<Fixed>, steps: u32, sums: Option<&Totals<Fixed>>) -> Result {
        sums.map_or(Ok(()), |sums| self.write_sums(sums))?;
        Engine::advance(self, steps)?;
        self.finish()?;
        part.follow(self.step, &self.predators);
        Ok(())
    }

    fn split(&mut self, part: &mut Part<Fixed>, cells: &Grid<Fixed>, [first, end]: [[u32; 3]; 2]) -> Result {
        let row = |[x, y, z]: [u32; 3]| [x, y, z, 0];
        // The pass sees the cells of the whole flock; the step's grid is written again as the part is loaded.
        self.runner.write("grid", &[grid::uniform(cells)])?;
        let outside = self.split_off(Split { first: row(first), end: row(end), ..Split::zeroed() }, part)?;
        part.replace(outside.into_iter());
        Ok(())
    }

    fn fetch(&mut self, part: &mut Part<Fixed>) -> Result {
        part.replace(boids::read(&self.runner, boids::SORTED, 0..self.runner.buffers.boids)?);
        Ok(())
    }

    fn sums(&mut self, part: &mut Part<Fixed>) -> Result<Totals<Fixed>> {
        self.runner.submit(&self.plan().sums())?;
        let rows: Vec<[Word; 8]> = self.runner.read("totals", buffers::rows(&self.parameters) as usize)?;
        let halo: Vec<Boid<Fixed>> = self.halo(part)?.into_iter().map(|(_, boid)| boid).collect();
        // All boids on the GPU minus the halo.
        let mut sums = part.sums_over(&halo);
        let Totals { offset, velocity, count, prey } = &mut sums;
        *count = Fixed(rows.first().map_or(0, |row| row[3] as i32) - count.0);
        for (sum, row) in [offset, velocity].into_iter().chain(prey).zip(rows) {
            let (of_halo, wide) =
                (sum.to_array(), |k: usize| u64::from(row[k]) | u64::from(row[k + 4]) << 32);
            *sum = Vec3::from([0, 1, 2].map(|k| wide(k) as i64 - of_halo[k]));
        }
        Ok(sums)
    }

    fn hash(&mut self, part: &Part<Fixed>) -> Result<u64> {
        let all = Engine::hash(self, &self.parameters.clone())?;
        let halo = self.halo(part)?;
        Ok(halo.iter().fold(all, |sum, (id, boid)| sum.wrapping_sub(hash::boid(*id, boid))))
    }
}

//! One rank: its boids and its halo, and their exchange with other ranks.

use std::ops::Range;

use cpu::{DENSE, Part, PartEngine, Role, Totals};
use engine::{EngineError, Result};
use flock::{Boid, Grid, Parameters, start};

use crate::blocks::{Block, Cell, Halo, bisect};
use crate::in_situ::InSitu;
use crate::packing::{Packed, Sum, pack, unpack};
use crate::refuse::check;
use crate::transport::Transport;

/// Settings of a flock on ranks. They never change a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steps between exchanges of boids, which is the depth of the halo (1 or more); `None` chooses the cheapest depth
    /// by operation counts.
    pub halo: Option<u32>,
    /// Steps between new cuts of the blocks (1 or more).
    pub recut: u32,
    /// Threads per rank; `None` takes one per core.
    pub threads: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { halo: None, recut: 64, threads: Some(1) }
    }
}

/// The engine that steps a rank in place of the cores, and the rank's share of an analysis.
pub type Equipment<T> = (Option<Box<dyn PartEngine<T>>>, Box<dyn InSitu<T>>);

/// Location of a rank's boids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residency {
    /// In the part: an engine has yet to load them.
    Part,
    /// In the engine. The part has the halo, the step and the predators.
    Engine,
    Both,
}

/// A rank of a flock.
#[derive(Debug)]
pub(crate) struct Rank<T: Packed, W> {
    pub(crate) transport: W,
    pub(crate) part: Part<T>,
    /// Steps the part in place of the cores.
    pub(crate) engine: Option<Box<dyn PartEngine<T>>>,
    pub(crate) in_situ: Box<dyn InSitu<T>>,
    pub(crate) place: Residency,
    /// Planned steps not yet taken, and the sums for the only one if the rule needs any.
    ahead: u32,
    totals: Option<Totals<T>>,
    settings: Settings,
    /// Adds the sums over the flock; `None` if the rule needs none.
    sum: Option<Sum<T>>,
    /// The grid whose cells are cut into blocks, one per rank.
    grid: Grid<T>,
    blocks: Vec<Block>,
    pub(crate) halo: Halo,
    /// Steps between exchanges.
    pub(crate) depth: u32,
    /// In f32: for each step since the last exchange, nonzero if a cell was dense.
    dense: Vec<u64>,
    /// Steps since the last exchange, and since the last cut.
    exchanged: u32,
    cut: u32,
    /// Words for each rank, replaced by words from it.
    parcels: Vec<Vec<u32>>,
    /// Maximum load of a rank over the mean, at the last cut.
    pub(crate) imbalance: f64,
    pub(crate) parameters: Parameters,
}

impl<T: Packed, W: Transport> Rank<T, W> {
    /// Creates a rank without boids.
    ///
    /// # Errors
    /// When the parameters do not fit the number type or ranks, or threads cannot be started.
    pub fn new(transport: W, parameters: &Parameters, settings: Settings) -> Result<Self> {
        check(parameters, T::NUMERIC).map_err(EngineError::Refused)?;
        let (ranks, boids) = (transport.ranks(), parameters.flock.boids);
        // In integers, cells of a rank may share a number: more candidates, same bits. In f32 the order is the flock's.
        let cells = if T::SUM.is_some() { boids.div_ceil(ranks as u32).saturating_mul(2) } else { boids };
        let part = Part::<T>::new(parameters, boids, cells.min(boids), settings.threads)?;
        let rule = part.rule();
        let grid = Grid::new(rule, boids);
        let depth = settings.halo.unwrap_or(1);
        let hunted = rule.predator_count > 0 && rule.attack_weight != T::ZERO;
        Ok(Rank {
            sum: T::SUM.filter(|_| rule.means || hunted),
            halo: Halo::new(rule, &grid, depth),
            depth,
            grid,
            blocks: Vec::new(),
            dense: vec![0; depth as usize],
            exchanged: depth,
            cut: settings.recut,
            parcels: vec![Vec::new(); ranks],
            imbalance: 1.0,
            parameters: *parameters,
            part,
            engine: None,
            in_situ: Box::new(()),
            place: Residency::Part,
            ahead: 0,
            totals: None,
            settings,
            transport,
        })
    }

    /// Computes this rank's share of an analysis.
    pub(crate) fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>> {
        self.fetch()?;
        self.in_situ.analyse(request, &self.part, &mut self.transport)
    }

    /// Describes what steps this rank, for users, with the engine's kind first.
    pub(crate) fn describe(&self) -> String {
        match &self.engine {
            Some(engine) => format!("gpu on {}", engine.describe()),
            None => format!("cpu of {}", self.part.describe()),
        }
    }

    /// Makes the next step cut and exchange, because boids have changed other than by steps.
    pub(crate) fn disturb(&mut self) {
        (self.exchanged, self.cut) = (self.depth, self.settings.recut);
        self.place = Residency::Part;
    }

    /// Initial ids of a rank, whatever their positions: the first exchange brings each boid to its block.
    pub(crate) fn share(&self, rank: usize) -> Range<usize> {
        let (boids, ranks) = (self.parameters.flock.boids as usize, self.transport.ranks());
        boids * rank / ranks..boids * (rank + 1) / ranks
    }

    /// Adds this rank's share of the seeded start.
    pub(crate) fn draw(&mut self) {
        for id in self.share(self.transport.rank()) {
            let boid = start::boid::<f64>(&self.parameters, id as u32);
            let boid = self.part.rule().take_boid(&boid);
            self.part.add(id as u32, boid, Role::Own);
        }
    }

    /// Takes steps, which all ranks do together.
    ///
    /// # Errors
    /// When a rank is gone or its device lost, and in f32 when a cell is dense.
    pub fn advance(&mut self, steps: u32) -> Result {
        for taken in 0..steps {
            if self.exchanged >= self.depth {
                // The previous call ended with both.
                if taken > 0 {
                    self.catch_up()?;
                    self.refuse_dense()?;
                }
                self.exchange()?;
            }
            if self.engine.is_some() {
                self.plan_step()?;
            } else {
                self.step()?;
            }
            self.exchanged += 1;
            self.cut = self.cut.saturating_add(1);
        }
        self.catch_up()?;
        self.refuse_dense()
    }

    /// A step on the cores.
    fn step(&mut self) -> Result {
        let totals = self.part.begin();
        if let Some(sum) = self.sum {
            sum(totals, &mut self.transport)?;
        }
        if T::SUM.is_none() && self.part.most_in_cell() >= DENSE {
            self.dense[self.exchanged as usize] = 1;
        }
        // The halo is not needed before the next exchange.
        self.part.finish(self.exchanged + 1 < self.depth);
        Ok(())
    }

    /// Plans a step of the engine, which takes all planned steps together, up to the next sums or exchange.
    fn plan_step(&mut self) -> Result {
        if let Some(sum) = self.sum {
            self.catch_up()?;
            let mut totals = match &mut self.engine {
                Some(engine) if self.place == Residency::Engine => engine.sums(&mut self.part)?,
                _ => self.part.sums().clone(),
            };
            sum(&mut totals, &mut self.transport)?;
            self.totals = Some(totals);
        }
        self.ahead += 1;
        Ok(())
    }

    /// Runs the planned steps on the engine.
    fn catch_up(&mut self) -> Result {
        let steps = std::mem::take(&mut self.ahead);
        let (Some(engine), 1..) = (&mut self.engine, steps) else { return Ok(()) };
        if self.place == Residency::Part {
            engine.load(&mut self.part)?;
        }
        self.place = Residency::Engine;
        engine.advance(&mut self.part, steps, self.totals.take().as_ref())
    }

    /// Reads the boids from the engine into the part.
    pub(crate) fn fetch(&mut self) -> Result {
        if let (Some(engine), Residency::Engine) = (&mut self.engine, self.place) {
            engine.fetch(&mut self.part)?;
            self.place = Residency::Both;
        }
        Ok(())
    }

    /// The sum of the hashes of the own boids; `None` if a number is not finite.
    pub(crate) fn own_hash(&mut self) -> Result<Option<u64>> {
        match &mut self.engine {
            Some(engine) if self.place == Residency::Engine => engine.hash(&self.part).map(Some),
            _ => Ok(self.part.hash()),
        }
    }

    /// Refuses a dense cell in f32: its boids are added in clusters, whose boundaries depend on the position in the
    /// flock, so they differ on ranks. The ranks check where they exchange anyway.
    fn refuse_dense(&mut self) -> Result {
        if T::SUM.is_some() {
            return Ok(());
        }
        let mut dense = self.dense.clone();
        self.transport.sum(&mut dense)?;
        let Some(first) = dense.iter().position(|ranks| *ranks > 0) else { return Ok(()) };
        if self.transport.rank() > 0 {
            // All ranks know it, and rank 0 reports it: this rank waits for its end.
            self.transport.receive(0)?;
        }
        let (step, allowed) = (self.part.step() + first as u64 - u64::from(self.exchanged), DENSE - 1);
        let what = format!("step {step}: in f32 allowed are {allowed} boids in a cell; in fixed any number");
        Err(EngineError::Device { device: "ranks".into(), what })
    }

    /// Exchanges boids for the next steps: the blocks are cut if that is due, and the boids brought to them.
    fn exchange(&mut self) -> Result {
        if self.cut >= self.settings.recut {
            self.fetch()?;
            self.place = Residency::Part;
            if self.blocks.is_empty() {
                self.recut()?;
            }
            // A cell whose boids are on two ranks would count as two small cells.
            self.deliver()?;
            self.recut()?;
        }
        self.deliver()?;
        self.exchanged = 0;
        self.dense.fill(0);
        Ok(())
    }

    /// Brings each boid to the rank whose block holds it, and to all that may perceive it. Boids in an engine that
    /// concern no other rank stay there.
    fn deliver(&mut self) -> Result {
        let me = self.transport.rank();
        let Rank { transport, part, grid, blocks, halo, parcels, engine, place, .. } = self;
        let flat = part.rule().flat;
        let (mine, inner) = (blocks[me], blocks[me].inner(halo));
        let mut engine = engine.as_mut().filter(|_| *place != Residency::Part);
        if let Some(engine) = &mut engine {
            engine.split(part, grid, [inner.first, inner.end])?;
            *place = Residency::Engine;
        }
        let cell = |boid: &Boid<T>| grid.coordinates(boid.position.into());
        let role = |cell| match mine.contains(cell) {
            true => Role::Own,
            false if mine.near(cell, halo) => Role::Halo,
            false => Role::Gone,
        };
        parcels.iter_mut().for_each(Vec::clear);
        part.retain(|id, boid| {
            if inner.holds(grid, boid.position.into()) {
                return Role::Own;
            }
            let cell = cell(boid);
            let others = blocks.iter().zip(&mut *parcels).enumerate().filter(|(rank, _)| *rank != me);
            for (_, (_, parcel)) in others.filter(|(_, (block, _))| block.near(cell, halo)) {
                pack(flat, id, boid, parcel);
            }
            role(cell)
        });
        transport.exchange(parcels)?;
        for parcel in parcels {
            for (id, boid) in unpack(flat, parcel) {
                let role = role(cell(&boid));
                part.add(id, boid, role);
            }
        }
        engine.map_or(Ok(()), |engine| engine.load(part))
    }

    /// Cuts the blocks again, by the loads of the cells.
    fn recut(&mut self) -> Result {
        let loads = self.loads();
        let Rank { transport, grid, .. } = self;
        let blocks = bisect(grid.dims, transport.ranks(), &loads, |numbers| transport.sum(numbers))?;
        let of_block = |block: &Block| {
            loads.iter().filter(|(cell, _)| block.contains(*cell)).map(|(_, load)| load).sum()
        };
        let mut of_ranks: Vec<u64> = blocks.iter().map(of_block).collect();
        transport.sum(&mut of_ranks)?;
        let (most, all) = (of_ranks.iter().max().copied().unwrap_or(0), of_ranks.iter().sum::<u64>());
        self.imbalance = if all > 0 { most as f64 * of_ranks.len() as f64 / all as f64 } else { 1.0 };
        (self.blocks, self.cut) = (blocks, 0);
        if self.settings.halo.is_none() && self.sum.is_none() { self.choose_depth(&loads) } else { Ok(()) }
    }

    /// Chooses the cheapest halo depth; only valid if no sums require an exchange at every step. The cost of a step is
    /// the loads of all halos, since halo boids are stepped, too, and its share of an exchange.
    fn choose_depth(&mut self, loads: &[(Cell, u64)]) -> Result {
        let (me, ranks) = (self.transport.rank(), self.transport.ranks() as u64);
        let halos = DEPTHS.map(|depth| Halo::new(self.part.rule(), &self.grid, depth));
        let beyond = |halo: &Halo| -> u64 {
            let others = || self.blocks.iter().enumerate().filter(|(rank, _)| *rank != me);
            let times = |cell| others().filter(|(_, block)| block.near(cell, halo)).count() as u64;
            loads.iter().map(|(cell, load)| load * times(*cell)).sum()
        };
        let on_cores = u64::from(self.engine.is_none());
        let mut counted: Vec<u64> = halos.iter().map(beyond).chain([on_cores]).collect();
        self.transport.sum(&mut counted)?;
        // If any rank steps on cores, the exchange costs as on cores: cores step their halo slowly.
        let on_cores = counted.pop() > Some(0);
        let exchange = ranks * if on_cores { EXCHANGE_OF_CORES } else { EXCHANGE_OF_DEVICES };
        let cost = |k: &usize| counted[*k] + exchange / u64::from(DEPTHS[*k]);
        let best = (0..DEPTHS.len()).min_by_key(cost).unwrap_or(0);
        (self.halo, self.depth) = (halos[best], DEPTHS[best]);
        self.dense.resize(self.depth as usize, 0);
        Ok(())
    }

    /// The cells of the own boids, with the cost of a step of each.
    fn loads(&self) -> Vec<(Cell, u64)> {
        let grid = &self.grid;
        let mut cells: Vec<Cell> =
            self.part.own().map(|(_, boid)| grid.coordinates(boid.position.into())).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(|same| (same[0], load(same.len() as u64))).collect()
    }
}

/// Candidate depths of halos.
const DEPTHS: [u32; 4] = [1, 2, 4, 8];

/// Cost of an exchange per rank beside its boids, in loads of cells: on cores some 20 µs, on a device a few waits of
/// 100 µs. Fixed, so that runs repeat.
const EXCHANGE_OF_CORES: u64 = 1 << 9;
const EXCHANGE_OF_DEVICES: u64 = 1 << 22;

/// Load of a cell: each boid, and the candidates that it tests, up to the occupancy at which clusters begin.
fn load(boids: u64) -> u64 {
    boids * (LOAD_OF_A_BOID + boids.min(DENSE as u64))
}

/// Cost of a boid beside its candidates, in boids of its cell.
const LOAD_OF_A_BOID: u64 = 4;

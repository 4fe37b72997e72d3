//! One rank: its boids and its halo, and their exchange with other ranks.

use std::ops::Range;

use cpu::{DENSE, RankFlock, Role};
use engine::{EngineError, Result};
use flock::{Boid, Grid, Parameters, start};

use crate::blocks::{Block, Cell, Halo, bisect};
use crate::transport::{Transport, pack, unpack};
use crate::{InSitu, Packed, Sum, check};

/// Settings of a flock on ranks. They never change a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steps between new cuts of the blocks (1 or more).
    pub recut: u32,
    /// Threads per rank; `None` is one per core.
    pub threads: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { recut: 64, threads: Some(1) }
    }
}

/// A rank of a flock.
#[derive(Debug)]
pub(crate) struct Rank<T: Packed, W> {
    pub(crate) transport: W,
    pub(crate) part: RankFlock<T>,
    pub(crate) in_situ: Box<dyn InSitu<T>>,
    settings: Settings,
    /// Adds the sums over the flock; `None` if the rule needs none.
    sum: Option<Sum<T>>,
    /// The grid whose cells are cut into blocks, one per rank.
    grid: Grid<T>,
    blocks: Vec<Block>,
    pub(crate) halo: Halo,
    /// In f32: a cell has been dense on some rank; all ranks agree between two calls of [`Rank::advance`].
    pub(crate) dense: bool,
    /// Steps since the last cut.
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
        let mut part = RankFlock::<T>::new(parameters, boids, cells.min(boids), settings.threads)?;
        if T::SUM.is_none() {
            // Where clusters end depends on the boids of other ranks, and with it the order of a sum.
            part.use_no_clusters();
        }
        let rule = part.rule();
        let grid = Grid::new(rule, boids);
        let hunted = rule.predator_count > 0 && rule.attack_weight != T::ZERO;
        Ok(Rank {
            sum: T::SUM.filter(|_| rule.means || hunted),
            halo: Halo::new(grid.dims),
            grid,
            blocks: Vec::new(),
            dense: false,
            cut: settings.recut,
            parcels: vec![Vec::new(); ranks],
            imbalance: 1.0,
            parameters: *parameters,
            part,
            in_situ: Box::new(()),
            settings,
            transport,
        })
    }

    /// Computes this rank's share of an analysis.
    pub(crate) fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>> {
        self.in_situ.analyse(request, &self.part, &mut self.transport)
    }

    /// Makes the next step cut the blocks, because boids have changed other than by steps.
    pub(crate) fn disturb(&mut self) {
        self.cut = self.settings.recut;
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
            let boid = self.part.rule().quantise(&boid);
            self.part.add(id as u32, boid, Role::Own);
        }
    }

    /// Takes steps, which all ranks do together.
    ///
    /// # Errors
    /// When a rank is gone.
    pub fn advance(&mut self, steps: u32) -> Result {
        let known = self.dense;
        for _ in 0..steps {
            self.exchange()?;
            self.step()?;
        }
        if T::SUM.is_none() && !known {
            let mut dense = [u64::from(self.dense)];
            self.transport.sum(&mut dense)?;
            self.dense = dense[0] > 0;
        }
        Ok(())
    }

    /// A step of the own boids, with the halo around them.
    fn step(&mut self) -> Result {
        let totals = self.part.begin();
        if let Some(sum) = self.sum {
            sum(totals, &mut self.transport)?;
        }
        self.dense |= T::SUM.is_none() && self.part.most_in_cell() >= DENSE;
        self.part.finish();
        self.cut += 1;
        Ok(())
    }

    /// Exchanges boids for the next step: the blocks are cut if that is due, and the boids brought to them.
    fn exchange(&mut self) -> Result {
        if self.cut >= self.settings.recut {
            if self.blocks.is_empty() {
                self.recut()?;
            }
            // A cell whose boids are on two ranks would count as two small cells.
            self.deliver()?;
            self.recut()?;
        }
        self.deliver()
    }

    /// Brings each boid to the rank whose block holds it, and to all that may perceive it.
    fn deliver(&mut self) -> Result {
        let me = self.transport.rank();
        let Rank { transport, part, grid, blocks, halo, parcels, .. } = self;
        let flat = part.rule().flat;
        let (mine, inner) = (blocks[me], blocks[me].inner(halo));
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
        Ok(())
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
        Ok(())
    }

    /// The cells of the own boids, with the cost of a step of each.
    fn loads(&self) -> Vec<(Cell, u64)> {
        let grid = &self.grid;
        let mut cells: Vec<Cell> =
            self.part.local().map(|(_, boid)| grid.coordinates(boid.position.into())).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(|same| (same[0], load::<T>(same.len() as u64))).collect()
    }
}

/// Load of a cell: each boid, and the candidates that it tests; in integers up to the occupancy at which clusters begin.
fn load<T: Packed>(boids: u64) -> u64 {
    let candidates = if T::SUM.is_some() { boids.min(DENSE as u64) } else { boids };
    boids * (LOAD_OF_A_BOID + candidates)
}

/// Cost of a boid besides its candidates, in boids of its cell.
const LOAD_OF_A_BOID: u64 = 4;

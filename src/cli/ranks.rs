//! The options of a flock on ranks, and their checks.

use clap::Args;

use super::shared::{AdapterFor, EngineArgs, whole};
use engine::Numeric;
use engines::EngineKind;
use files::{Failure, Result};

/// More ranks than one machine has cores for.
const MAX_RANKS: u64 = 256;

/// One flock on many ranks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct RankOptions {
    /// Divide the flock among 1 to 256 ranks, which are threads; implies the CPU.
    ///
    /// The results have the same bits as without ranks; in f32, as long as fewer than 128 boids share a cell.
    #[arg(long, value_name = "R", value_parser = whole::<usize>(1..=MAX_RANKS), hide_short_help = true)]
    pub ranks: Option<usize>,
    /// Use the processes that mpirun has started as ranks; rank 0 writes and prints.
    #[cfg(feature = "mpi")]
    #[arg(long, conflicts_with = "ranks", hide_short_help = true)]
    pub mpi: bool,
}

impl RankOptions {
    /// The option that puts the flock on ranks, if any.
    pub fn named(&self) -> Option<&'static str> {
        #[cfg(feature = "mpi")]
        if self.mpi {
            return Some("--mpi");
        }
        self.ranks.map(|_| "--ranks")
    }

    /// Checks the options that must agree with ranks, which are on the cores.
    pub(super) fn resolve(&self, engine: &mut EngineArgs, purpose: AdapterFor) -> Result {
        let Some(by) = self.named() else { return Ok(()) };
        let refused = |what: &str| Err(Failure::usage(format!("{by} cannot be used with {what}")));
        if !matches!(engine.engine, EngineKind::Auto | EngineKind::Cpu) {
            return refused(&format!("--engine {}", engine.engine.name()));
        }
        if engine.numeric == Some(Numeric::F64) {
            return refused("--numeric f64");
        }
        if let Some(option) = engine.gpu_option(purpose) {
            return refused(option);
        }
        engine.engine = EngineKind::Cpu;
        Ok(())
    }
}

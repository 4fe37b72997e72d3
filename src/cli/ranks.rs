//! The options of a flock on ranks, and their checks.

use clap::Args;

use super::shared::{AdapterFor, EngineArgs, whole};
use engine::Numeric;
use engines::EngineKind;
use files::{Failure, Result};

/// More ranks than one machine has cores for.
const MAX_RANKS: u64 = 256;

/// The name in --devices of the cores.
pub const CPU: &str = "cpu";

/// A deeper halo holds most of the flock.
const MAX_HALO: u64 = 64;

/// One flock on many ranks.
#[derive(Args, Clone, Debug)]
pub struct RankOptions {
    /// Divide the flock among 1 to 256 ranks, which are threads: the same bits as on one.
    #[arg(long, value_name = "R", value_parser = whole::<usize>(1..=MAX_RANKS))]
    pub ranks: Option<usize>,
    /// The ranks are the processes that mpirun has started with this call; rank 0 writes and prints.
    #[cfg(feature = "mpi")]
    #[arg(long, conflicts_with = "ranks")]
    pub mpi: bool,
    /// What steps the ranks, in turn: cpu, or an adapter by its index or a part of its name [default: that of
    /// --engine].
    #[arg(long, value_name = "cpu|ADAPTER,...", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// Steps from one exchange of the ranks to the next, 1 to 64; more need a wider margin around each part [default: by
    /// counted costs].
    #[arg(long, value_name = "K", value_parser = whole::<u32>(1..=MAX_HALO))]
    pub halo: Option<u32>,
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

    /// Checks the options that must agree with ranks, and selects the CPU engine where the call names none.
    pub(super) fn resolve(&self, engine: &mut EngineArgs, purpose: AdapterFor) -> Result {
        let refused = |what: String, allowed: &str| Err(Failure::usage(format!("{what}: allowed {allowed}")));
        let Some(by) = self.named() else {
            let alone = [("--halo", self.halo.is_some()), ("--devices", !self.devices.is_empty())];
            let alone = alone.into_iter().find(|(_, given)| *given);
            return alone.map_or(Ok(()), |(option, _)| refused(option.into(), "with --ranks R"));
        };
        if engine.engine == EngineKind::Rp2040 {
            return refused(format!("{by} with --engine rp2040"), "are cpu and gpu");
        }
        if engine.numeric == Some(Numeric::F64) {
            return refused(format!("{by} with --numeric f64"), "are f32 and fixed");
        }
        if !self.devices.is_empty() && engine.engine != EngineKind::Auto {
            return refused(format!("--devices with --engine {}", engine.engine.name()), "is one of them");
        }
        // In f32 a GPU adds in another order than the cores.
        let on_gpu = engine.engine == EngineKind::Gpu;
        let named = self.devices.iter().any(|name| name != CPU);
        if (on_gpu || named) && engine.numeric != Some(Numeric::Fixed) {
            let what = if on_gpu { "--engine gpu" } else { "--devices" };
            let numeric = engine.numeric.unwrap_or_default().name();
            return refused(format!("{by} with {what} and --numeric {numeric}"), "is fixed");
        }
        if let Some(option) = engine.gpu_option(purpose).filter(|_| !on_gpu) {
            return refused(format!("{by} with {option}"), "with --engine gpu");
        }
        if engine.engine == EngineKind::Auto {
            engine.engine = EngineKind::Cpu;
        }
        Ok(())
    }
}

//! The ranks of a call, and a flock on them.

use std::thread::available_parallelism;

use engine::{EngineError, Numeric, State};
use engines::EngineRequest;
use files::{Failure, Result};
use flock::{Fixed, Parameters};
use ranks::{InSitu, OnRanks, Packed, Settings, Setup, Start, check};
#[cfg(feature = "mpi")]
use ranks::{Processes, Transport as _};

use crate::cli::shared::RankOptions;

/// The ranks of a call.
pub(super) enum Ranks {
    /// Ranks as threads of this process, with their number.
    Threads(usize),
    /// This process, and those that were started with it.
    #[cfg(feature = "mpi")]
    Processes(Processes),
}

impl Ranks {
    /// The ranks that the options ask for.
    ///
    /// # Errors
    /// When MPI does not start.
    pub fn of(options: &RankOptions) -> Result<Option<Self>> {
        #[cfg(feature = "mpi")]
        if options.mpi {
            let joined = Processes::join().map(|processes| Some(Ranks::Processes(processes)));
            return joined.ok_or_else(|| Failure::work("--mpi: MPI failed to start"));
        }
        Ok(options.ranks.map(Ranks::Threads))
    }

    /// True if this process writes and prints.
    pub fn leads(&self) -> bool {
        match self {
            Ranks::Threads(_) => true,
            #[cfg(feature = "mpi")]
            Ranks::Processes(processes) => processes.rank() == 0,
        }
    }

    /// An engine that steps the flock on the ranks, from the state if `given`, else from the seed in parts. `in_situ`
    /// makes a rank's share of an analysis. `None` at a rank other than 0, once rank 0's engine has ended.
    ///
    /// # Errors
    /// When ranks cannot step such a flock, or a rank is gone.
    pub fn engine<J: InSitu<f32> + InSitu<Fixed> + 'static>(
        self,
        engine: &EngineRequest,
        parameters: &Parameters,
        (state, given): (State, bool),
        quiet: bool,
        in_situ: impl Fn() -> Result<J, EngineError>,
    ) -> Result<Option<Box<dyn OnRanks>>> {
        let numeric = engine.numeric;
        check(parameters, numeric).map_err(|why| {
            let failure = Failure::usage(why);
            if numeric == Numeric::F32 { failure.hint("use --numeric fixed") } else { failure }
        })?;
        let (ranks_here, processes) = match &self {
            Ranks::Threads(ranks) => (*ranks, 1),
            // A launcher binds a process to cores of its own.
            #[cfg(feature = "mpi")]
            Ranks::Processes(processes) => (1, processes.ranks() as u32),
        };
        State::check_capacity(parameters.flock.boids / processes)?;
        let cores = available_parallelism().map_or(1, usize::from);
        let threads = Some(engine.threads.unwrap_or((cores / ranks_here).max(1)));
        let settings = Settings { threads, ..Settings::default() };
        // Another rank drops what it has read.
        let (step, state) = (state.step, (given && self.leads()).then_some(state));
        let start = state.as_ref().map_or(Start::Seeded(step), Start::Given);
        let on_dense: Option<fn()> = if quiet { None } else { Some(warn_dense) };
        match numeric {
            Numeric::F64 => Err(Failure::usage("f64 cannot be used with --ranks")),
            Numeric::F32 => {
                let in_situ = || boxed::<f32, _>(in_situ()?);
                self.open(&Setup { parameters, start, settings, in_situ: &in_situ, on_dense })
            }
            Numeric::Fixed => {
                let in_situ = || boxed::<Fixed, _>(in_situ()?);
                self.open(&Setup { parameters, start, settings, in_situ: &in_situ, on_dense })
            }
        }
    }

    fn open<T: Packed>(self, setup: &Setup<'_, T>) -> Result<Option<Box<dyn OnRanks>>> {
        Ok(match self {
            Ranks::Threads(ranks) => Some(T::on_threads(setup, ranks)?),
            #[cfg(feature = "mpi")]
            Ranks::Processes(processes) => T::on_processes(setup, processes)?,
        })
    }
}

/// A rank's share of an analysis in a number type.
fn boxed<T: Packed, J: InSitu<T> + 'static>(share: J) -> Result<Box<dyn InSitu<T>>, EngineError> {
    Ok(Box::new(share))
}

/// Warns that a dense flock in f32 is slower on ranks, and has other bits.
fn warn_dense() {
    super::warn(
        "128 or more boids share a cell; on ranks in f32 they are stepped one at a time, which is slower than a single \
         engine and gives other bits",
    );
}

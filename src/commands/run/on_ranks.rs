//! A flock on ranks.

use std::thread::available_parallelism;

use cpu::{Engine, EngineError, Numeric, PartEngine, State};
use engines::{Device, EngineRequest, Which};
use flock::{Fixed, Parameters};
#[cfg(feature = "mpi")]
use ranks::{Leader, Processes, Rank, Transport as _, follow};
use ranks::{Packed, Settings, Start, check, on_threads};
use report::Failure;

use crate::cli::run::{CPU, RunOptions, RunRequest};

/// The ranks of a run.
pub(super) enum Team {
    /// So many threads.
    Threads(usize),
    /// This process, and those that were started with it.
    #[cfg(feature = "mpi")]
    Processes(Processes),
}

impl Team {
    /// The ranks that the options ask for.
    ///
    /// # Errors
    /// When MPI does not start.
    pub fn of(options: &RunOptions) -> Result<Option<Self>, Failure> {
        #[cfg(feature = "mpi")]
        if options.mpi {
            let joined = Processes::join().map(|processes| Some(Team::Processes(processes)));
            return joined.ok_or_else(|| Failure::work("--mpi: MPI does not start"));
        }
        Ok(options.ranks.map(Team::Threads))
    }

    /// True if this process writes and prints.
    pub fn leads(&self) -> bool {
        match self {
            Team::Threads(_) => true,
            #[cfg(feature = "mpi")]
            Team::Processes(processes) => processes.rank() == 0,
        }
    }

    /// An engine that steps the flock on the ranks, from a file's state, else from the seed in parts. None at a rank that
    /// has followed another's engine to its end.
    ///
    /// # Errors
    /// When ranks cannot step such a flock, or a rank is gone.
    pub fn engine(
        self,
        request: &RunRequest,
        device: &Device,
        parameters: &Parameters,
        state: State,
    ) -> Result<Option<Box<dyn Engine>>, Failure> {
        let numeric = request.engine.numeric;
        check(parameters, numeric).map_err(|why| {
            let failure = Failure::usage(why);
            if numeric == Numeric::F32 { failure.hint("--numeric fixed has no such order") } else { failure }
        })?;
        let (ranks_here, processes) = match &self {
            Team::Threads(ranks) => (*ranks, 1),
            // A launcher binds a process to cores of its own.
            #[cfg(feature = "mpi")]
            Team::Processes(processes) => (1, processes.ranks() as u32),
        };
        State::check_capacity(parameters.flock.boids / processes)?;
        let cores = available_parallelism().map_or(1, usize::from);
        let threads = Some(request.engine.threads.unwrap_or((cores / ranks_here).max(1)));
        let settings = Settings { halo: request.options.halo.unwrap_or(1), threads, ..Settings::default() };
        let (step, given) = (state.step, request.options.init.is_some() && self.leads());
        // Another rank drops what it has read.
        let state = given.then_some(state);
        let start = state.as_ref().map_or(Start::Seeded(step), Start::Given);
        match numeric {
            Numeric::F32 | Numeric::F64 => self.open::<f32>(parameters, start, settings, |_| Ok(None)),
            Numeric::Fixed => self.open::<Fixed>(parameters, start, settings, |rank| {
                device_of(request, device, rank)?.for_parts(parameters)
            }),
        }
    }

    fn open<T: Packed>(
        self,
        parameters: &Parameters,
        start: Start<'_>,
        settings: Settings,
        engine: impl Fn(usize) -> Result<Option<Box<dyn PartEngine<T>>>, EngineError>,
    ) -> Result<Option<Box<dyn Engine>>, Failure> {
        match self {
            Team::Threads(ranks) => {
                Ok(Some(Box::new(on_threads(parameters, start, ranks, settings, engine)?)))
            }
            #[cfg(feature = "mpi")]
            Team::Processes(processes) => {
                let number = processes.rank();
                let mut rank = Rank::<T, _>::new(processes, parameters, settings)?.by(engine(number)?);
                if number == 0 {
                    return Ok(Some(Box::new(Leader::new(rank, Vec::new(), start)?)));
                }
                follow(&mut rank)?;
                Ok(None)
            }
        }
    }
}

/// What steps a rank: one of --devices in turn, else that of --engine.
fn device_of(request: &RunRequest, chosen: &Device, rank: usize) -> Result<Device, EngineError> {
    let names = &request.options.devices;
    match names.get(rank % names.len().max(1)).map(String::as_str) {
        None => Ok(chosen.clone()),
        Some(CPU) => Ok(Device::cpu(Numeric::Fixed)),
        Some(name) => {
            let adapter = Some(name.to_owned());
            Ok(EngineRequest { which: Which::Gpu, adapter, ..request.engine.clone() }.choose()?.0)
        }
    }
}

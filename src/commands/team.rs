//! The ranks of a call, and a flock on them.

use std::cell::RefCell;
use std::thread::available_parallelism;

use engine::{EngineError, Numeric, State};
use engines::{Device, EngineKind, EngineRequest};
use files::{Failure, Result};
use flock::{Fixed, Parameters};
use ranks::{Equipment, InSitu, OnRanks, Ranked, Settings, Setup, Start, check};
#[cfg(feature = "mpi")]
use ranks::{Processes, Transport as _};

use crate::cli::ranks::{CPU, RankOptions};

/// The ranks of a call.
pub(super) enum Team {
    /// Ranks as threads of this process, with their number.
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
    pub fn of(options: &RankOptions) -> Result<Option<Self>> {
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

    /// An engine that steps the flock on the ranks, from the state if `given`, else from the seed in parts. `in_situ`
    /// makes the analysis of a rank with this device. `None` at a rank other than 0, once rank 0's engine has ended.
    ///
    /// # Errors
    /// When ranks cannot step such a flock, or a rank is gone.
    pub fn engine<J: InSitu<f32> + InSitu<Fixed> + 'static>(
        self,
        (engine, options): (&EngineRequest, &RankOptions),
        device: &Device,
        parameters: &Parameters,
        (state, given): (State, bool),
        in_situ: impl Fn(&Device) -> Result<J, EngineError>,
    ) -> Result<Option<Box<dyn OnRanks>>> {
        let numeric = engine.numeric;
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
        let threads = Some(engine.threads.unwrap_or((cores / ranks_here).max(1)));
        let settings = Settings { halo: options.halo, threads, ..Settings::default() };
        // Another rank drops what it has read.
        let (step, state) = (state.step, (given && self.leads()).then_some(state));
        let start = state.as_ref().map_or(Start::Seeded(step), Start::Given);
        let opened = Opened::default();
        match numeric {
            Numeric::F64 => Err(Failure::usage("f64 cannot be used on ranks")),
            Numeric::F32 => {
                let equip = |_: usize| -> Result<Equipment<f32>, EngineError> {
                    Ok((None, Box::new(in_situ(device)?)))
                };
                self.open(&Setup { parameters, start, settings, equip: &equip })
            }
            Numeric::Fixed => {
                let equip = |rank: usize| -> Result<Equipment<Fixed>, EngineError> {
                    let device = device_of(engine, &options.devices, device, (rank, &opened))?;
                    Ok((device.for_parts(parameters)?, Box::new(in_situ(&device)?)))
                };
                self.open(&Setup { parameters, start, settings, equip: &equip })
            }
        }
    }

    fn open<T: Ranked>(self, setup: &Setup<'_, T>) -> Result<Option<Box<dyn OnRanks>>> {
        Ok(match self {
            Team::Threads(ranks) => Some(T::on_threads(setup, ranks)?),
            #[cfg(feature = "mpi")]
            Team::Processes(processes) => T::on_processes(setup, processes)?,
        })
    }
}

/// The adapters of --devices that are open, by their names: ranks of one process share device and pipelines.
type Opened = RefCell<Vec<(String, Device)>>;

/// The device that steps a rank: one of --devices in turn, else that of --engine.
fn device_of(
    engine: &EngineRequest,
    names: &[String],
    chosen: &Device,
    (rank, opened): (usize, &Opened),
) -> Result<Device, EngineError> {
    match names.get(rank % names.len().max(1)).map(String::as_str) {
        None => Ok(chosen.clone()),
        Some(CPU) => Ok(Device::cpu(Numeric::Fixed)),
        Some(name) => {
            let same =
                opened.borrow().iter().find(|(known, _)| known == name).map(|(_, device)| device.clone());
            if let Some(device) = same {
                return Ok(device);
            }
            let adapter = Some(name.to_owned());
            let device = EngineRequest { which: EngineKind::Gpu, adapter, ..engine.clone() }.choose()?.0;
            opened.borrow_mut().push((name.to_owned(), device.clone()));
            Ok(device)
        }
    }
}

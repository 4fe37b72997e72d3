//! The ranks of a call, and a flock on them.

use std::cell::RefCell;
use std::thread::available_parallelism;

use cpu::{EngineError, Numeric, PartEngine, State};
use engines::{Device, EngineRequest, Which};
use flock::{Fixed, Parameters};
use ranks::{InSitu, OnRanks, Packed, Rank, Settings, Start, check, on_threads};
#[cfg(feature = "mpi")]
use ranks::{Leader, Processes, Transport as _, follow};
use report::Failure;

use crate::cli::ranks::{CPU, RankOptions};

/// What steps a rank in place of the cores, and its share of an analysis.
type Equipment<T, J> = (Option<Box<dyn PartEngine<T>>>, J);

/// The ranks of a call.
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
    pub fn of(options: &RankOptions) -> Result<Option<Self>, Failure> {
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

    /// An engine that steps the flock on the ranks, from the state where it is `given`, else from the seed in parts. `in_situ`
    /// makes the share of the analysis of a rank that has this device. None at a rank that has followed another's engine to its end.
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
    ) -> Result<Option<Box<dyn OnRanks>>, Failure> {
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
            Numeric::F32 | Numeric::F64 => {
                self.open::<f32, J>(parameters, start, settings, |_| Ok((None, in_situ(device)?)))
            }
            Numeric::Fixed => self.open::<Fixed, J>(parameters, start, settings, |rank| {
                let device = device_of(engine, &options.devices, device, (rank, &opened))?;
                Ok((device.for_parts(parameters)?, in_situ(&device)?))
            }),
        }
    }

    fn open<T: Packed, J: InSitu<T> + 'static>(
        self,
        parameters: &Parameters,
        start: Start<'_>,
        settings: Settings,
        equipment: impl Fn(usize) -> Result<Equipment<T, J>, EngineError>,
    ) -> Result<Option<Box<dyn OnRanks>>, Failure> {
        match self {
            Team::Threads(ranks) => {
                let equip = |rank: Rank<T, _>| {
                    let (engine, in_situ) = equipment(rank.number())?;
                    Ok(rank.by(engine).with(in_situ))
                };
                Ok(Some(Box::new(on_threads(parameters, start, ranks, settings, equip)?)))
            }
            #[cfg(feature = "mpi")]
            Team::Processes(processes) => {
                let rank = Rank::<T, _>::new(processes, parameters, settings)?;
                let (engine, in_situ) = equipment(rank.number())?;
                let mut rank = rank.by(engine).with(in_situ);
                if rank.number() == 0 {
                    return Ok(Some(Box::new(Leader::new(rank, Vec::new(), start)?)));
                }
                follow(&mut rank)?;
                Ok(None)
            }
        }
    }
}

/// The adapters of --devices that are open, by their names: ranks of one process share device and pipelines.
type Opened = RefCell<Vec<(String, Device)>>;

/// What steps a rank: one of --devices in turn, else that of --engine.
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
            let device = EngineRequest { which: Which::Gpu, adapter, ..engine.clone() }.choose()?.0;
            opened.borrow_mut().push((name.to_owned(), device.clone()));
            Ok(device)
        }
    }
}

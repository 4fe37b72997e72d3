//! The engines under comparison, and the backends of this machine.

use std::fmt;
use std::path::Path;
#[cfg(not(target_arch = "wasm32"))]
use std::path::PathBuf;

use flock::Parameters;

use super::{Brute, Guarantee, Mutation};
#[cfg(not(target_arch = "wasm32"))]
use board::{Board, BoardError, Rp2040Engine, Serial};
use cpu::Real;
use engine::{Engine, EngineError, Numeric, State};
use engines::{AnyEngine, Device, EngineKind, EngineRequest};
use files::Failure;
use gpu::{AdapterEntry, Gpu};

/// Builds an engine with a flock loaded.
type Build = Box<dyn Fn(&Parameters, &State) -> Result<Box<dyn Engine>, EngineError> + Send + Sync>;

/// A kind of engine under comparison.
pub struct Subject {
    pub numeric: Numeric,
    /// The accuracy that its floating point guarantees; none in integers.
    pub guarantee: Option<Guarantee>,
    build: Build,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({}, {:?})", self.numeric.name(), self.guarantee)
    }
}

/// One engine that flocks are loaded into, one after another.
pub(super) struct Session<'a> {
    subject: &'a Subject,
    engine: Option<Box<dyn Engine>>,
}

/// The arithmetic that the CPU guarantees in a number type.
fn on_cpu(numeric: Numeric) -> Option<Guarantee> {
    match numeric {
        Numeric::F32 => Some(Guarantee::Ieee32),
        Numeric::F64 => Some(Guarantee::Ieee64),
        Numeric::Fixed => None,
    }
}

impl Subject {
    /// The engine of a device.
    pub(super) fn of_device(device: Device) -> Self {
        let numeric = device.numeric();
        let guarantee = match (&device, numeric) {
            (Device::Cpu(..), _) | (_, Numeric::Fixed) => on_cpu(numeric),
            _ => Some(Guarantee::Wgsl32),
        };
        let build: Build =
            Box::new(move |parameters, state| device.engine(parameters, state).map(AnyEngine::boxed));
        Subject { numeric, guarantee, build }
    }

    /// The board at a serial port.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn on_serial_port(port: PathBuf) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let board = Board::running(Serial::open(&port).map_err(BoardError::from)?)?;
            Ok(Box::new(Rp2040Engine::on(board, parameters, state)?))
        });
        Subject { numeric: Numeric::Fixed, guarantee: None, build }
    }

    /// Brute force with a mutation.
    pub(super) fn mutated<T: Real>(mutation: Mutation<T>) -> Self {
        let build: Build =
            Box::new(move |parameters, state| Ok(Box::new(Brute::<T>::new(parameters, state, mutation))));
        Subject { numeric: T::NUMERIC, guarantee: on_cpu(T::NUMERIC), build }
    }

    /// An engine of this kind, built when the first flock is loaded.
    pub(super) fn session(&self) -> Session<'_> {
        Session { subject: self, engine: None }
    }
}

impl Session<'_> {
    /// The engine with a flock loaded. It is the same engine each time: this tests that no flock affects the next.
    pub fn load(&mut self, parameters: &Parameters, state: &State) -> Result<&mut dyn Engine, EngineError> {
        let engine = match self.engine.take() {
            Some(mut engine) => {
                engine.set_parameters(parameters)?;
                engine.set_state(state)?;
                engine
            }
            None => (self.subject.build)(parameters, state)?,
        };
        Ok(self.engine.insert(engine).as_mut())
    }
}

/// A device and a number type.
#[derive(Debug)]
pub struct Backend {
    /// The name in tables.
    pub name: String,
    pub numeric: Numeric,
    pub place: Platform,
    /// The engine, or why it is absent and how to get it.
    pub(super) subject: Result<Subject, String>,
}

flock::named! {
    /// The kind of device, as `--require` and the last line name it.
    #[derive(Default)]
    Platform {
        #[default]
        Cpu = "cpu",
        Gpu = "gpu",
        /// A microcontroller, or its emulation: a thousand times slower than the others.
        Board = "rp2040",
    }
}

/// Why an engine is absent; for firmware that is not built, with the command that builds it.
fn absent(error: EngineError) -> String {
    let firmware = matches!(error, EngineError::Firmware { .. });
    let Failure { message, hint, .. } = error.into();
    match hint {
        Some(hint) if firmware => format!("{message}: {hint}"),
        _ => message,
    }
}

/// All backends: the CPU in every number type, every adapter, and the emulated board, with `firmware` or the default
/// image.
///
/// # Errors
/// When `firmware` is not a firmware image. A missing default image makes the board absent, without an error.
pub fn all(firmware: Option<&Path>) -> Result<Vec<Backend>, Failure> {
    let mut all = Vec::new();
    for numeric in [Numeric::F64, Numeric::F32, Numeric::Fixed] {
        let subject = open(EngineKind::Cpu, numeric, None, None).map_err(absent);
        all.push(Backend { name: "cpu".to_owned(), numeric, place: Platform::Cpu, subject });
    }
    for entry in Gpu::list() {
        for numeric in [Numeric::F32, Numeric::Fixed] {
            let subject = if entry.compute {
                open(EngineKind::Gpu, numeric, Some(entry.index), None).map_err(absent)
            } else {
                Err("the adapter has no compute shaders".to_owned())
            };
            all.push(Backend { name: name(&entry), numeric, place: Platform::Gpu, subject });
        }
    }
    let numeric = Numeric::Fixed;
    let subject = match open(EngineKind::Rp2040, numeric, None, firmware) {
        Err(error @ EngineError::Firmware { named: true, .. }) => return Err(error.into()),
        found => found.map_err(absent),
    };
    all.push(Backend { name: "rp2040, emulated".to_owned(), numeric, place: Platform::Board, subject });
    Ok(all)
}

fn open(
    which: EngineKind,
    numeric: Numeric,
    adapter: Option<usize>,
    firmware: Option<&Path>,
) -> Result<Subject, EngineError> {
    let request = EngineRequest {
        which,
        numeric,
        adapter: adapter.map(|index| index.to_string()),
        backend: None,
        kernel: None,
        threads: None,
        firmware: firmware.map(Path::to_owned),
    };
    let (device, _) = request.choose()?;
    Ok(Subject::of_device(device))
}

/// The board at a serial port, after it has answered once.
///
/// # Errors
/// When the port cannot be opened, is not a serial port, or the firmware does not answer.
#[cfg(not(target_arch = "wasm32"))]
pub fn on_serial_port(port: &Path) -> Result<Backend, Failure> {
    let shown = port.display();
    let line = Serial::open(port).map_err(|error| {
        Failure::usage(format!("cannot open --serial {shown}: {}", config::io_reason(&error)))
            .hint("use the board's serial port, such as /dev/ttyUSB0")
    })?;
    Board::running(line).map_err(|error| {
        Failure::work(format!("no answer from --serial {shown}: {error}"))
            .hint("the board must run murmuration; install it with `cargo xtask flash`")
    })?;
    let subject = Ok(Subject::on_serial_port(port.to_owned()));
    Ok(Backend { name: format!("rp2040, {shown}"), numeric: Numeric::Fixed, place: Platform::Board, subject })
}

/// The index, the name up to its first parenthesis, and the API.
fn name(entry: &AdapterEntry) -> String {
    let name = entry.info.name.split(" (").next().unwrap_or_default();
    format!("gpu {} {name}, {}", entry.index, entry.info.backend)
}

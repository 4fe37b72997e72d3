//! The backends of this machine.

use std::path::Path;

use super::Subject;
#[cfg(not(target_arch = "wasm32"))]
use board::{Board, Serial};
use engine::{EngineError, Numeric};
use engines::{EngineKind, EngineRequest};
use files::Failure;
use gpu::{AdapterEntry, Gpu};

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

//! What there is to compare on this machine.

use super::subject::Subject;
use crate::engines::{EngineRequest, Which};
use crate::gpu::{AdapterEntry, Gpu};
use crate::state::Numeric;

/// A way to step a flock, and a number type.
#[derive(Debug)]
pub struct Backend {
    /// As a table shows it.
    pub name: String,
    pub numeric: Numeric,
    pub place: Place,
    /// The engine, or why it is not there and how to come by it.
    pub subject: Result<Subject, String>,
}

/// Where a flock is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Cpu,
    Gpu,
    /// A microcontroller: a thousand times slower than the others.
    Board,
}

impl Backend {
    fn open(name: String, place: Place, request: &EngineRequest) -> Self {
        let subject = request.choose().map(|(device, _)| Subject::on(device));
        Backend { name, numeric: request.numeric, place, subject: subject.map_err(|error| error.to_string()) }
    }
}

/// All backends: the CPU in every number type, every adapter that there is, and the emulated board.
#[must_use]
pub fn all() -> Vec<Backend> {
    let request = |which, numeric, adapter| EngineRequest { which, numeric, adapter, backend: None };
    let mut all: Vec<Backend> = [Numeric::F64, Numeric::F32, Numeric::Fixed]
        .map(|numeric| Backend::open("cpu".to_owned(), Place::Cpu, &request(Which::Cpu, numeric, None)))
        .into();
    for entry in Gpu::list() {
        for numeric in [Numeric::F32, Numeric::Fixed] {
            let asked = request(Which::Gpu, numeric, Some(entry.index.to_string()));
            all.push(if entry.compute {
                Backend::open(name(&entry), Place::Gpu, &asked)
            } else {
                let subject = Err("the adapter has no compute shaders".to_owned());
                Backend { name: name(&entry), numeric, place: Place::Gpu, subject }
            });
        }
    }
    let board = request(Which::Rp2040, Numeric::Fixed, None);
    all.push(Backend::open("rp2040, emulated".to_owned(), Place::Board, &board));
    all
}

/// Index, first words of the name, and the API.
fn name(entry: &AdapterEntry) -> String {
    let name = entry.info.name.split(" (").next().unwrap_or_default();
    format!("gpu {} {name}, {}", entry.index, entry.info.backend)
}

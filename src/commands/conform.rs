//! `conform`: compares the backends of this machine.

use std::io::Write as _;
use std::path::Path;

use crate::cli::conform::ConformRequest;
use crate::conform::plan::DIMENSIONS;
use crate::conform::{backends, constants, exact};
use crate::failure::Failure;
use crate::presets::PRESETS;
use crate::report::{AtomicFile, Progress};

pub(super) fn conform(request: &ConformRequest) -> Result<(), Failure> {
    if let Some(path) = &request.constants {
        return write_constants(path);
    }
    // A file that cannot be written is found out before there is work to lose.
    let file = request.json.as_deref().map(AtomicFile::create).transpose()?;
    let board = request.serial.as_deref().map(backends::on_serial_port).transpose()?;
    let mut backends = backends::all();
    backends.extend(board);
    let progress = Progress::new(request.plan.parts(&backends), "parts", request.quiet);
    let report = request.plan.run(&backends, || progress.advance(1))?;
    drop(progress);
    super::print(&report.text())?;
    if let Some(file) = file {
        fill(file, &format!("{:#}\n", report.json()))?;
    }
    match report.shortfall() {
        Some(what) => Err(Failure::work(what)),
        None => Ok(()),
    }
}

fn write_constants(path: &Path) -> Result<(), Failure> {
    let file = AtomicFile::create(path)?;
    let most = constants::STEPS.into_iter().max().unwrap_or_default() as u32;
    let mut all = Vec::new();
    for preset in PRESETS {
        for dimensions in DIMENSIONS {
            all.extend(exact::flocks(preset, dimensions, most)?);
        }
    }
    let hashes = all.iter().map(|flock| (flock.name.as_str(), flock.hashes.as_slice()));
    fill(file, &constants::text(hashes))
}

fn fill(mut file: AtomicFile, text: &str) -> Result<(), Failure> {
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::work(format!("{}: {error}", file.path().display())))?;
    file.commit()?;
    Ok(())
}

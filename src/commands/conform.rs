//! `conform`: compares the backends of this machine.

use super::outputs::{create, keep_existing};
use crate::cli::conform::ConformRequest;
use conform::backends;
use files::{Failure, Result, interrupt, progress};

pub(super) fn conform(request: &ConformRequest) -> Result {
    interrupt::listen();
    engine::system::share_work(None)?;
    let options = &request.options;
    let files = [("--constants", &options.constants), ("--json", &options.json)];
    let named: Vec<_> = files.into_iter().filter_map(|(name, file)| Some((name, file.clone()?))).collect();
    keep_existing(&named, options.yes)?;
    if let Some(file) = create(options.constants.as_deref(), "toml", options.yes)? {
        return file.fill(conform::constants()?);
    }
    // A file that cannot be written is found out before there is work to lose.
    let file = create(options.json.as_deref(), "json", options.yes)?;
    let board = options.serial.as_deref().map(backends::on_serial_port).transpose()?;
    let mut backends = backends::all(options.firmware.as_deref())?;
    backends.extend(board);
    let progress = progress(request.plan.parts(&backends), "parts", options.quiet);
    let report = request.plan.run(&backends, || progress.inc(1))?;
    drop(progress);
    if interrupt::asked() {
        return Ok(());
    }
    super::print(&report.text())?;
    if let Some(file) = file {
        file.fill(format!("{:#}\n", report.json()))?;
    }
    for place in &options.require {
        if !report.has(*place) {
            return Err(Failure::work(format!("--require {}: this backend was not compared", place.name())));
        }
    }
    match report.shortfall() {
        Some(what) => Err(Failure::work(what)),
        None => Ok(()),
    }
}

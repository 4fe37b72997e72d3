//! The page: opens the window, or writes the hashes and the last state of a run.

mod view;

use crate::cli::page::PageRequest;
use engine::{State, system::spawn};
use files::{Failure, Result};
use window::page;

/// Executes the page's address; returns before it is finished.
///
/// # Errors
/// The failure to begin. Later failures are shown on the page.
pub fn begin(request: PageRequest) -> Result {
    if !request.hash && !request.state {
        return view::view(request.view);
    }
    let work = move || {
        if let Err(why) = run(&request) {
            page::show("error", &why.to_string());
        }
    };
    spawn("run", work).map(drop).map_err(Failure::work)
}

/// Shows the lines that `murmuration run --hash` prints and the file that `--out` writes, once all is there.
fn run(request: &PageRequest) -> Result {
    let parameters = request.view.flock.parameters()?;
    let (device, _) = request.view.engine.choose()?;
    page::show("status", &device.describe());
    device.check(&parameters)?;
    let mut engine = device.engine(&parameters, &State::try_start(&parameters)?)?;
    let engine = engine.get();
    let last = request.last_step();
    let mut lines = String::new();
    loop {
        let step = engine.step_number();
        if request.hash {
            lines += &format!("{step},{:016x}\n", engine.hash()?);
        }
        if step == last {
            break;
        }
        engine.advance(1)?;
    }
    if request.state {
        page::show("state", &files::state_text(&engine.state()?, engine.numeric()));
    }
    page::show("hashes", &lines);
    Ok(())
}

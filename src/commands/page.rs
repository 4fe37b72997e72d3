//! The page: opens the window, or writes the hashes and the last state of a run.

mod view;

use crate::cli::page::PageRequest;
use engine::{State, system::spawn};
use files::{Failure, Result};
use flight::{Changes, Replay};
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

/// Shows the lines that `murmuration run --hash` prints, also of a flight, and the file that `--out` writes, once all is there.
fn run(request: &PageRequest) -> Result {
    let view = &request.view;
    let mut asked = view.engine.clone();
    let recorded = view.options.flight(&mut asked, view.names_numeric)?;
    let (device, _) = asked.choose()?;
    page::show("status", &device.describe());
    let (state, mut replay, last) = match recorded {
        Some(flight) => (flight.start.state()?, flight.replay(), flight.end),
        None => {
            let parameters = view.flock.parameters()?;
            let replay = Replay::new(parameters, Changes::default());
            (State::try_start(&parameters)?, replay, request.last_step())
        }
    };
    device.check(replay.parameters())?;
    let mut opened = device.engine(replay.parameters(), &state)?;
    let engine = opened.get();
    let mut lines = String::new();
    loop {
        let step = engine.step_number();
        if request.hash {
            lines += &format!("{step},{:016x}\n", engine.hash()?);
        }
        if step == last {
            break;
        }
        replay.change(engine)?;
        engine.advance(1)?;
    }
    if request.state {
        page::show("state", &files::state_text(&engine.state()?, engine.numeric()));
    }
    page::show("hashes", &lines);
    Ok(())
}

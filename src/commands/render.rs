//! `render`: draws a run to a picture or a film, off screen.

mod bodies;
mod path;

use flock::Parameters;
use serde_json::json;

use self::bodies::Bodies;
use super::pace::Pace;
use crate::cli::render::{RenderRequest, Style};
use crate::engines::{Device, Opened};
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{Arrows, Film, Progress};
use crate::state::State;

pub(super) fn render(request: &RenderRequest) -> Result<(), Failure> {
    interrupt::listen();
    let parameters = request.flock.parameters()?;
    let arrows = draws_arrows(request.style, &parameters)?;
    let [width, height] = request.size;
    // A name or size that cannot be is found out before there is work to lose.
    let mut film = Film::create(&request.file, width, height, request.fps)?;
    let (device, line) = request.engine.choose()?;
    if let Some(line) = line.filter(|_| !request.quiet) {
        super::say(&line);
    }
    if arrows && matches!(device, Device::Cpu(..)) && request.engine.names_adapter() {
        let failure =
            Failure::usage("--adapter, --backend: arrows stepped on the cpu are drawn without an adapter");
        return Err(failure.hint("leave them out, or ask for --style cones"));
    }
    device.room_for(parameters.flock.boids)?;
    let mut opened = device.engine(&parameters, &State::try_start(&parameters)?)?;
    let mut pictures = if arrows {
        let [width, height] = request.size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
        Pictures::Arrows(Box::new(Arrows::new(width, height, &parameters)?))
    } else {
        Pictures::Bodies(Box::new(Bodies::new(request, &device, &parameters)?))
    };

    let shown = request.steps - request.steps % request.every;
    let last = request.skip + if request.format.is_film() { shown } else { request.steps };
    let progress = Progress::new(last, "steps", request.quiet);
    let mut pace = Pace::default();
    loop {
        let here = opened.get().step_number();
        let ended = here == last || interrupt::asked();
        let due = request.format.is_film()
            && here >= request.skip
            && (here - request.skip).is_multiple_of(request.every);
        // Cut short, there is a frame at least.
        if due || ended && film.frames() == 0 {
            film.frame(pictures.draw(&mut opened)?)?;
        }
        if ended {
            break;
        }
        let next = match request.format.is_film() {
            false => last,
            true if here < request.skip => request.skip,
            true => here + request.every - (here - request.skip) % request.every,
        };
        progress.advance(pace.advance(opened.get(), next - here)?);
    }
    drop(progress);
    let frames = film.frames();
    film.finish()?;
    let here = opened.get().step_number();
    if here < last {
        super::say(&format!("stopped at step {here} of {last}; what was done is kept"));
    }
    if request.json {
        return super::print_json(&json!({
            "file": request.file.display().to_string(),
            "frames": frames,
            "last_step": here,
            "complete": here == last,
            "engine": opened.get().describe(),
        }));
    }
    if !request.quiet {
        let what = if frames == 1 { "1 frame".to_owned() } else { format!("{frames} frames") };
        super::say(&format!("{}: {what}, up to step {here}", request.file.display()));
    }
    Ok(())
}

/// Whether the flock is drawn as arrows.
fn draws_arrows(style: Style, parameters: &Parameters) -> Result<bool, Failure> {
    match style {
        Style::Auto => Ok(parameters.flat()),
        Style::Cones => Ok(false),
        Style::Arrows if parameters.flat() => Ok(true),
        Style::Arrows => {
            let failure =
                Failure::usage("--style arrows: allowed in two dimensions, and this flock has three");
            Err(failure.hint("--set flock.dimensions=2 makes it flat"))
        }
    }
}

/// What frames are drawn with.
enum Pictures {
    Arrows(Box<Arrows>),
    Bodies(Box<Bodies>),
}

impl Pictures {
    /// The flock as it is now: 4 bytes a pixel, row by row from the top.
    fn draw(&mut self, opened: &mut Opened) -> Result<&[u8], Failure> {
        match self {
            Pictures::Arrows(arrows) => Ok(arrows.draw(&opened.get().state()?)),
            Pictures::Bodies(bodies) => bodies.draw(opened),
        }
    }
}

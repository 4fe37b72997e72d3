//! `render`: draws a run to a picture or a film, off screen.

mod blur;
mod bodies;
mod path;
mod replay;

use flock::Parameters;
use serde_json::json;

use self::bodies::Bodies;
use self::replay::Replay;
use super::start::{self, Beginning};
use crate::cli::render::{RenderOptions, RenderRequest, Style};
use config::{Document, View};
use cpu::engine::Batcher;
use cpu::state::State;
use engines::{Device, Opened};
use report::failure::Failure;
use report::interrupt;
use report::{Arrows, Film, Format, Numbered, Progress};

pub(super) fn render(request: &RenderRequest) -> Result<(), Failure> {
    interrupt::listen();
    let options = &request.options;
    let document = request.flock.document()?;
    let Document { parameters, view, world: _ } = document;
    if !options.yes {
        let numbered = Numbered::of(&options.file).and_then(|names| names.existing());
        super::keep_existing([("", numbered.as_deref().unwrap_or(&options.file))])?;
    }
    let arrows = draws_arrows(options.style, &parameters)?;
    let [width, height] = options.size;
    // A name or size that is not allowed fails the call before any work is done.
    let mut film = Film::with_quality(&options.file, width, height, options.fps, options.quality)?;
    let device = super::open(&request.engine, options.quiet)?;
    if arrows && options.trails > 0.0 {
        let why = format!("--trails {}: allowed is 0 where arrows are drawn", options.trails);
        return Err(Failure::usage(why).hint("--style cones draws bodies"));
    }
    if arrows && options.camera.is_some() {
        let why = "--camera: arrows are drawn from above, without a camera";
        return Err(Failure::usage(why).hint("--style cones draws bodies"));
    }
    if arrows && matches!(device, Device::Cpu(..)) && request.engine.names_adapter() {
        let why = "--adapter, --backend: arrows stepped on the cpu are drawn without an adapter";
        return Err(Failure::usage(why).hint("leave them out, or ask for --style cones"));
    }
    let (mut source, document, state) = Source::open(request, document, &device)?;
    let parameters = document.parameters;
    super::say_world(&document, options.quiet);
    let mut opened = device.engine(&parameters, &state)?;
    let mut pictures = if arrows {
        let [width, height] = options.size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
        Pictures::Arrows(Box::new(Arrows::new(width, height, &parameters)?))
    } else {
        Pictures::Bodies(Box::new(Bodies::new(request, &device, &parameters, &view)?))
    };
    let last = match &mut source {
        Source::Steps { first, skip } => {
            let schedule = Schedule::new(options, *first, *skip, pictures.lead())?;
            draw(options, &schedule, &mut opened, &mut pictures, &mut film)?;
            Some(schedule.last)
        }
        Source::Recording(recording) => {
            let moves = Format::of(&options.file)?.is_film();
            recording.draw(&mut opened, &mut pictures, &mut film, moves)?
        }
    };
    let frames = film.frames();
    film.finish()?;
    let here = opened.get().step_number();
    let complete = last == Some(here);
    if !complete {
        let of = last.map_or(String::new(), |last| format!(" of {last}"));
        super::say(&format!("stopped at step {here}{of}; what was done is kept"));
    }
    if options.json {
        return super::print_json(&json!({
            "file": options.file.display().to_string(),
            "frames": frames,
            "last_step": here,
            "complete": complete,
            "engine": opened.get().describe(),
        }));
    }
    if !options.quiet {
        let what = if frames == 1 { "1 frame".to_owned() } else { format!("{frames} frames") };
        super::say(&format!("{}: {what}, up to step {here}", options.file.display()));
    }
    Ok(())
}

/// Where the states that are drawn come from.
enum Source {
    /// Steps from a state at the step `first`, of which `skip` pass before the first frame.
    Steps {
        first: u64,
        skip: u64,
    },
    Recording(Box<Replay>),
}

impl Source {
    /// The source, and the first state with its flock.
    fn open(
        request: &RenderRequest,
        document: Document,
        device: &Device,
    ) -> Result<(Self, Document, State), Failure> {
        let options = &request.options;
        if let Some(path) = &options.trajectory {
            let (replay, document, state) = Replay::open(path, &request.flock, document, device)?;
            return Ok((Source::Recording(Box::new(replay)), document, state));
        }
        let skip = skip(options, &document.view);
        let steps = skip + options.steps;
        let beginning = Beginning { init: options.init.as_deref(), first_step: options.first_step, steps };
        let (document, state) = start::state(&request.flock, beginning, document, device)?;
        Ok((Source::Steps { first: state.step, skip }, document, state))
    }
}

/// The steps before the first frame. A state that is given is where a film begins.
fn skip(options: &RenderOptions, view: &View) -> u64 {
    if let Some(skip) = options.skip {
        return skip;
    }
    let skip = if options.init.is_none() { u64::from(view.skip) } else { 0 };
    if skip > 0 && !options.quiet {
        super::say(&format!("render: begins at step {skip} (view.skip; --skip 0 begins at the start)"));
    }
    skip
}

/// The steps that are drawn.
struct Schedule {
    film: bool,
    /// The first step that is drawn.
    begin: u64,
    every: u64,
    /// The step to end at.
    last: u64,
}

impl Schedule {
    /// From step `first` on, with `skip` steps before the first frame, or with `lead` steps before a still.
    fn new(options: &RenderOptions, first: u64, skip: u64, lead: u64) -> Result<Self, Failure> {
        let &RenderOptions { steps, every, .. } = options;
        let film = Format::of(&options.file)?.is_film();
        let shown = if film { steps - steps % every } else { steps };
        let last = first + skip + shown;
        let begin = if film { first + skip } else { last.saturating_sub(lead).max(first) };
        Ok(Schedule { film, begin, every, last })
    }

    /// True if this step is drawn: for a frame of a film, or for what of it is seen in a still.
    fn draws(&self, step: u64) -> bool {
        step >= self.begin && (step - self.begin).is_multiple_of(self.every)
    }

    /// The next step to stop at after this one.
    fn next(&self, step: u64) -> u64 {
        let next =
            if step < self.begin { self.begin } else { step + self.every - (step - self.begin) % self.every };
        next.min(self.last)
    }
}

/// Steps the flock and draws its frames, until the last step or Ctrl-C.
fn draw(
    options: &RenderOptions,
    schedule: &Schedule,
    opened: &mut Opened,
    pictures: &mut Pictures,
    film: &mut Film,
) -> Result<(), Failure> {
    let progress = Progress::new(schedule.last, "steps", options.quiet);
    let mut batcher = Batcher::default();
    loop {
        let here = opened.get().step_number();
        let ended = here == schedule.last || interrupt::asked();
        // A run that is cut short still has one frame.
        if schedule.draws(here) || ended && film.frames() == 0 {
            let picture = pictures.draw(opened)?;
            if schedule.film || ended {
                film.frame(picture)?;
            }
        }
        if ended {
            return Ok(());
        }
        progress.advance(batcher.advance(opened.get(), schedule.next(here) - here)?);
    }
}

/// True if the flock is drawn as arrows.
fn draws_arrows(style: Style, parameters: &Parameters) -> Result<bool, Failure> {
    match style {
        Style::Auto => Ok(parameters.flat()),
        Style::Cones => Ok(false),
        Style::Arrows if parameters.flat() => Ok(true),
        Style::Arrows => {
            let why = "--style arrows: allowed in two dimensions, and this flock has three";
            Err(Failure::usage(why).hint("--set flock.dimensions=2 makes it flat"))
        }
    }
}

/// What frames are drawn with.
enum Pictures {
    Arrows(Box<Arrows>),
    Bodies(Box<Bodies>),
}

impl Pictures {
    /// The steps before a still that are drawn, too, as they are seen in it.
    fn lead(&self) -> u64 {
        match self {
            Pictures::Arrows(_) => 0,
            Pictures::Bodies(bodies) => bodies.lead(),
        }
    }

    /// The flock as it is now: 4 bytes a pixel, row by row from the top.
    fn draw(&mut self, opened: &mut Opened) -> Result<&[u8], Failure> {
        match self {
            Pictures::Arrows(arrows) => Ok(arrows.draw(&opened.get().state()?)),
            Pictures::Bodies(bodies) => bodies.draw(opened),
        }
    }
}

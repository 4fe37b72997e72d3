//! `render`: draws a run to a picture or a film, off screen.

mod bodies;
mod compare;
mod path;
mod share;
mod source;

use std::fmt;

use flock::Parameters;
use serde_json::{Map, Value, json};

use self::bodies::{Bodies, drawing_gpu};
use self::share::Share;
use self::source::FrameSource;
use super::launch::Ranks;
use super::outputs::{self, Named};
use super::start::Recorded;
use crate::cli::render::{RenderOptions, RenderRequest, Style};
use config::{Colour, Document, Scenery, View, may_block};
use engine::{Engine, Explanation};
use engines::{AnyEngine, Device};
use files::{Arrows, Existing, Failure, Film, Format, Numbered, Result, interrupt};
use flight::Pose;
use ranks::OnRanks;

/// Draws the flock: 4 bytes per pixel, row by row from the top.
type Draw<E> = dyn FnMut(&mut E, Wanted<'_>) -> Result<Vec<u8>> + Send;

/// The wishes of a picture.
#[derive(Clone, Copy, Debug)]
struct Wanted<'a> {
    /// If not, the picture only affects later ones (trails, banking) and may be smaller.
    kept: bool,
    /// The parameters of the step, where a flight changes them.
    parameters: Option<&'a Parameters>,
}

/// The engine of what holds a flock.
type EngineOf<E> = fn(&mut E) -> &mut dyn Engine;

/// A picture or film under way.
pub struct Filming<E = AnyEngine> {
    film: Film,
    /// It is a film: a picture has only its last frame.
    moves: bool,
    source: FrameSource,
    draw: Box<Draw<E>>,
    engine: EngineOf<E>,
}

pub(super) fn render(request: &RenderRequest) -> Result {
    let mut resolved = request.clone();
    let args = &request.options.start.recorded;
    let recorded = Recorded::of(args, &mut resolved.engine, request.names_numeric)?;
    if let Some(recorded) = &recorded {
        // A flight begins where it was begun, whatever the preset skips.
        let skip = *resolved.options.skip.get_or_insert(0);
        resolved.options.steps.get_or_insert(recorded.steps().saturating_sub(skip));
    }
    render_flock(&resolved, recorded)
}

/// Draws a flock, or a recorded flight, whose steps the request has.
fn render_flock(request: &RenderRequest, recorded: Option<Recorded>) -> Result {
    let options = &request.options;
    let mut read: Vec<Named> = request.flock.files().collect();
    read.extend(options.start.init.iter().map(|path| ("--init", path.clone())));
    read.extend(options.trajectory.iter().map(|path| ("--trajectory", path.clone())));
    read.extend(options.start.recorded.flight.iter().map(|path| ("--flight", path.clone())));
    outputs::check(&read, &[("FILE", options.file.clone())])?;
    // A pipe may never end: until it is read, Ctrl-C ends the program, which has no file yet.
    let waits = read.iter().map(|(_, path)| path).chain(&options.camera).any(|path| may_block(path));
    if !waits {
        interrupt::listen();
    }
    let document = match &recorded {
        Some(recorded) => recorded.document(),
        None => request.flock.document()?,
    };
    let view = view_of(options, &document)?;
    let settings = document.compared(&options.compare)?;
    if !settings.is_empty() {
        return compare::render(request, document, &settings);
    }
    if options.ranks.named().is_some() {
        return render_on_ranks(request, document);
    }
    // A name or size that is not allowed fails the call before any work is done.
    let film = (!waits).then(|| create(options, &document.parameters)).transpose()?;
    let device = super::open(&request.engine, options.quiet)?;
    check_style(request, &device, &document.parameters)?;
    let (mut source, document, state) = FrameSource::open(request, document, recorded.as_ref(), &device)?;
    let parameters = document.parameters;
    super::note(document.world.line(), options.quiet);
    let mut opened = device.engine(&parameters, &state)?;
    let poses = recorded.map(|recorded| recorded.flight.poses).filter(|_| !options.moves_camera());
    let (lead, draw) = painter(request, &device, &parameters, &view, poses.unwrap_or_default())?;
    source.lead(lead);
    interrupt::listen();
    let film = film.map_or_else(|| create(options, &parameters), Ok)?;
    let bird = view.bird.filter(|_| options.explain).map(|bird| (bird, parameters));
    draw_all(
        options,
        Filming { film, moves: options.moves(), source, draw, engine: AnyEngine::get },
        &mut opened,
        bird,
    )
}

/// Draws on the ranks that the request names.
fn render_on_ranks(request: &RenderRequest, document: Document) -> Result {
    if draws_arrows(&request.options, &document.parameters)? {
        let why = "--ranks cannot be used with arrows; use --style cones";
        return Err(Failure::usage(why));
    }
    if document.view.colour == Some(Colour::Density) && request.options.colour.is_none() {
        return Err(Failure::usage("--ranks cannot be used with view.colour = density"));
    }
    if let Some(bird) = document.view.bird {
        let why = format!("--ranks cannot be used with view.bird = {bird}");
        return Err(Failure::usage(why));
    }
    document.view.check(&document.parameters)?;
    keep_existing(&request.options)?;
    let Some(team) = Ranks::of(&request.options.ranks)? else { return Ok(()) };
    let mut request = request.clone();
    request.options.quiet |= !team.leads();
    let options = &request.options;
    let view = document.view;
    let (device, _) = request.engine.choose()?;
    let gpu = drawing_gpu(&request, &device)?;
    let (mut source, document, state) = FrameSource::open(&request, document, None, &device)?;
    let parameters = document.parameters;
    super::note(document.world.line(), options.quiet);
    let share = || Share::new(&gpu, &parameters);
    let state = (state, options.start.init.is_some());
    // Another rank has followed rank 0 to the end.
    let Some(mut flock) = team.engine(&request.engine, &parameters, state, options.quiet, share)? else {
        return Ok(());
    };
    let mut bodies = Bodies::new(&request, &gpu, &parameters, &view)?;
    interrupt::listen();
    let film = create(options, &parameters)?;
    source.lead(bodies.lead());
    let draw = Box::new(move |flock: &mut Box<dyn OnRanks>, wanted: Wanted<'_>| {
        bodies.draw_parts(flock.as_mut(), wanted.kept)
    });
    draw_all(
        options,
        Filming { film, moves: options.moves(), source, draw, engine: |flock| flock.as_mut() },
        &mut flock,
        None,
    )
}

/// Draws to the end, and prints what was drawn; explains a boid of the last state, with the parameters of the start.
fn draw_all<E>(
    options: &RenderOptions,
    mut filming: Filming<E>,
    flock: &mut E,
    bird: Option<(u32, Parameters)>,
) -> Result {
    let complete = loop {
        let unread = files::is_stdout(&options.file) && files::is_unread();
        if let Some(complete) = filming.draw_next(flock, interrupt::asked() || unread)? {
            break complete;
        }
    };
    let of = filming.source.last().map_or(String::new(), |last| format!(" of {last}"));
    let engine = (filming.engine)(flock);
    let explain = |(bird, parameters): (u32, Parameters)| {
        let parameters = filming.source.parameters().unwrap_or(&parameters);
        Explanation::new(engine.numeric(), parameters, &engine.state()?, bird)
    };
    let explanation = bird.map(explain).transpose()?;
    let frames = filming.finish()?;
    let here = engine.step_number();
    if !complete && !files::is_unread() {
        super::warn(&format!("stopped at step {here}{of}; the frames so far are saved"));
    }
    if options.json {
        return super::print_json(&json!({
            "file": options.file.display().to_string(),
            "frames": frames,
            "last_step": here,
            "complete": complete,
            "engine": engine.describe(),
            "explained": explanation.as_ref().map(explanation_json),
        }));
    }
    let what = if frames == 1 { "1 frame".to_owned() } else { format!("{frames} frames") };
    super::report(Some(format!("{}: {what}, up to step {here}", options.file.display())), options.quiet);
    match explanation.filter(|_| !files::is_stdout(&options.file)) {
        Some(explanation) => print_explanation(&explanation),
        None => Ok(()),
    }
}

impl Filming {
    /// Starts filming a flock from its current step, for `options.steps()` steps.
    ///
    /// # Errors
    /// When the request is not for this flock, the file cannot be made, or there is no adapter to draw on.
    pub fn new(
        request: &RenderRequest,
        device: &Device,
        document: &Document,
        opened: &mut AnyEngine,
    ) -> Result<Self> {
        let (options, first) = (&request.options, opened.get().step_number());
        super::start::check_steps(first, options.steps())?;
        check_style(request, device, &document.parameters)?;
        let film = create(options, &document.parameters)?;
        let view = view_of(options, document)?;
        let (lead, draw) = painter(request, device, &document.parameters, &view, Vec::new())?;
        let mut source = FrameSource::of_steps(options, first, 0);
        source.lead(lead);
        Ok(Filming { film, moves: options.moves(), source, draw, engine: AnyEngine::get })
    }
}

impl<E> Filming<E> {
    /// Draws the flock if a frame or what is seen in it is due, and continues, at most to the next. At the end, and
    /// with `leave`, it is ready to be finished: then true, if nothing is missing.
    ///
    /// # Errors
    /// When the device is lost, or the file cannot be written.
    pub fn draw_next(&mut self, flock: &mut E, leave: bool) -> Result<Option<bool>> {
        let Filming { film, moves, source, draw, engine } = self;
        let last = source.is_at_end(engine(flock))?;
        let ended = last || leave;
        // A run that is cut short still has one frame.
        if source.draws(engine(flock)) || ended && film.frames() == 0 {
            let kept = *moves || ended;
            let picture = draw(flock, Wanted { kept, parameters: source.parameters() })?;
            if kept {
                film.frame(&picture)?;
            }
        }
        if !ended {
            source.advance(engine(flock))?;
        }
        Ok(ended.then_some(last))
    }

    /// Makes the file whole, and returns how many frames it has.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<u64> {
        let frames = self.film.frames();
        self.film.finish().map(|()| frames)
    }
}

impl<E> fmt::Debug for Filming<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filming").field("frames", &self.film.frames()).finish_non_exhaustive()
    }
}

/// Refuses to replace a file.
fn keep_existing(options: &RenderOptions) -> Result {
    let numbered = Numbered::of(&options.file).and_then(|names| names.existing());
    outputs::keep_existing(&[("", numbered.unwrap_or_else(|| options.file.clone()))], options.yes)
}

/// Creates the file, unless that replaces one.
fn create(options: &RenderOptions, parameters: &Parameters) -> Result<Film> {
    keep_existing(options)?;
    check_options(options, parameters)?;
    let existing = Existing::replaced_if(options.yes);
    Film::create(&options.file, options.size, options.fps, options.quality, existing)
}

/// A picture of a flock as it is now, with no step before it drawn: 4 bytes a pixel (red, green, blue, 255) in sRGB,
/// row by row from the top.
///
/// # Errors
/// When the request is not for this flock, or there is no adapter to draw on.
pub fn picture(
    request: &RenderRequest,
    device: &Device,
    document: &Document,
    opened: &mut AnyEngine,
) -> Result<Vec<u8>> {
    check_style(request, device, &document.parameters)?;
    let view = view_of(&request.options, document)?;
    let wanted = Wanted { kept: true, parameters: None };
    painter(request, device, &document.parameters, &view, Vec::new())?.1(opened, wanted)
}

/// The view of a document, with the options' bird.
fn view_of(options: &RenderOptions, document: &Document) -> Result<View> {
    let mut view = document.view;
    if let Some(bird) = options.bird {
        let boids = document.parameters.flock.boids;
        if bird >= boids {
            let why = match boids {
                0 => format!("--bird {bird} cannot be followed: the flock has no boids"),
                _ => format!("--bird must be less than {boids}, the number of boids, not {bird}"),
            };
            return Err(Failure::usage(why));
        }
        (view.bird, view.target) = (Some(bird), None);
    }
    if options.explain && view.bird.is_none() {
        return Err(Failure::usage("--explain requires --bird"));
    }
    Ok(view)
}

/// The function that draws the flock, and the number of steps before a still that it must also draw. `poses` are those of
/// a recorded camera.
fn painter(
    request: &RenderRequest,
    device: &Device,
    parameters: &Parameters,
    view: &View,
    poses: Vec<Pose>,
) -> Result<(u64, Box<Draw<AnyEngine>>)> {
    if draws_arrows(&request.options, parameters)? {
        let mut arrows = Arrows::new(size_of(&request.options), parameters, view);
        return Ok((0, Box::new(move |opened, _| Ok(arrows.draw(&opened.get().state()?)))));
    }
    view.check(parameters)?;
    let mut bodies = Bodies::new(request, &drawing_gpu(request, device)?, parameters, view)?;
    bodies.path.take_flown(poses);
    Ok((bodies.lead(), Box::new(move |opened, wanted| bodies.draw(opened, wanted))))
}

/// Width and height of a picture of arrows.
fn size_of(options: &RenderOptions) -> [u16; 2] {
    options.size.map(|side| u16::try_from(side).unwrap_or(u16::MAX))
}

/// True if the flock is drawn as arrows.
fn draws_arrows(options: &RenderOptions, parameters: &Parameters) -> Result<bool> {
    match options.style {
        // A vector field shows no camera, and no boid from nearby.
        Style::Auto if options.explain || options.bird.is_some() => Ok(false),
        Style::Auto => {
            let arrows = Arrows::new(size_of(options), parameters, &View::default());
            Ok(parameters.flat() && !arrows.crowded())
        }
        Style::Cones => Ok(false),
        Style::Arrows if parameters.flat() => Ok(true),
        Style::Arrows => {
            let why = "--style arrows requires a flock in two dimensions";
            Err(Failure::usage(why).hint("add --set flock.dimensions=2"))
        }
    }
}

/// Refuses options that would not be seen: in two dimensions those that turn the camera, in a still and with arrows
/// those of films and of bodies. True if arrows are drawn.
fn check_options(options: &RenderOptions, parameters: &Parameters) -> Result<bool> {
    let arrows = draws_arrows(options, parameters)?;
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {value}"));
    let orbit = number("--orbit", options.orbit.filter(|orbit| *orbit != 0.0));
    let turned = number("--yaw", options.yaw)
        .or(number("--pitch", options.pitch))
        .or(number("--field-of-view", options.field_of_view))
        .or(orbit.clone());
    if let Some(option) = turned.filter(|_| parameters.flat()) {
        let why = format!("{option} requires a flock in three dimensions; a flock in two is seen from above");
        return Err(Failure::usage(why).hint("leave it out"));
    }
    if let Some(option) = orbit.filter(|_| !options.moves()) {
        return Err(Failure::usage(format!("{option} requires a film")).hint("leave it out"));
    }
    if options.quality != Film::QUALITY && Format::of(&options.file)? != Format::Mp4 {
        let why = format!("--quality {} requires an .mp4", options.quality);
        return Err(Failure::usage(why).hint("leave it out"));
    }
    let of_bodies = number("--zoom", options.zoom.filter(|zoom| *zoom != 1.0))
        .or(number("--trails", options.trails.filter(|trails| *trails > 0.0)))
        .or((options.blur > 1).then(|| format!("--blur {}", options.blur)))
        .or(options.look.named.map(|look| format!("--look {}", Scenery::ALL[look as usize].1)))
        .or(options.colour.map(|colour| format!("--colour {}", Colour::ALL[colour as usize].1)))
        .or(options.camera.as_ref().map(|path| format!("--camera {}", path.display())))
        .or(options.mark_centre.then(|| "--mark-centre".to_owned()));
    if let Some(option) = of_bodies.filter(|_| arrows) {
        let why = format!("{option} cannot be used with arrows");
        return Err(Failure::usage(why).hint("add --style cones"));
    }
    Ok(arrows)
}

/// Refuses an adapter that would not be used, and what [`check_options`] does.
fn check_style(request: &RenderRequest, device: &Device, parameters: &Parameters) -> Result {
    let arrows = check_options(&request.options, parameters)?;
    if arrows && matches!(device, Device::Cpu(..)) && request.engine.names_adapter() {
        let why = "--adapter and --backend cannot be used with arrows on the CPU: they are drawn without an adapter";
        return Err(Failure::usage(why).hint("leave them out, or add --style cones"));
    }
    Ok(())
}

/// Prints the numbers of a boid, and a line for each part of the change of its velocity.
fn print_explanation(explained: &Explanation) -> Result {
    let limits: Vec<&str> = explained.limits.iter().map(|limit| limit.name()).collect();
    let numbers = [
        ("boid", explained.id.to_string()),
        ("step", explained.step.to_string()),
        ("speed", shown(explained.speed())),
        ("turn_degrees", shown(explained.turn())),
        ("neighbours", explained.neighbours.len().to_string()),
        ("limited_by", if limits.is_empty() { "-".to_owned() } else { limits.join(" ") }),
    ];
    let rows: Vec<_> = numbers.iter().map(|(name, number)| [*name, number.as_str()]).collect();
    super::print_list(["what", "value"], &rows, false)?;
    let mut parts = vec![["change", "perceives", "x", "y", "z"].map(str::to_owned)];
    for change in &explained.changes {
        let perceives = explained.senses.iter().any(|sense| sense.name == change.name);
        let count = if perceives { explained.seen(change.name).count().to_string() } else { "-".to_owned() };
        let [x, y, z] = change.velocity.map(shown);
        parts.push([change.name.to_owned(), count, x, y, z]);
    }
    let total = explained.total();
    let [x, y, z] = total.velocity.map(shown);
    parts.push([total.name.to_owned(), "-".to_owned(), x, y, z]);
    let parts: Vec<_> = parts.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    super::print_list(["change", "perceives", "x", "y", "z"], &parts, false)
}

/// The explanation as JSON.
fn explanation_json(explained: &Explanation) -> Value {
    let mut neighbours: Map<String, Value> = Map::new();
    for sense in &explained.senses {
        let seen = explained.seen(sense.name).map(|neighbour| neighbour.id);
        neighbours.insert(sense.name.to_owned(), seen.collect());
    }
    let changes = explained.changes.iter().map(|change| (change.name.to_owned(), json!(change.velocity)));
    json!({
        "id": explained.id,
        "step": explained.step,
        "position": explained.position,
        "velocity": explained.velocity,
        "next_velocity": explained.next_velocity,
        "neighbours": neighbours,
        "changes": changes.collect::<Map<String, Value>>(),
        "limits": explained.limits.iter().map(|limit| limit.name()).collect::<Vec<_>>(),
        "perched": explained.rests,
    })
}

fn shown(number: f64) -> String {
    format!("{number:.6}")
}

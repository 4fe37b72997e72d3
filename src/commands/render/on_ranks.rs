//! `render` of a flock on ranks: each covers a part of the picture, and rank 0 draws it and writes the file.

use super::bodies::{Bodies, drawing_gpu};
use super::{
    Filming, Wanted, create, draw_all, draws_arrows, keep_existing, share::Share, source::FrameSource,
};
use crate::cli::render::RenderRequest;
use crate::commands::{launch::Ranks, note};
use config::{Colour, Document};
use files::{Failure, Result, interrupt};
use ranks::OnRanks;

/// Draws on the ranks that the request names.
pub(super) fn render(request: &RenderRequest, document: Document) -> Result {
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
    note(document.world.line(), options.quiet);
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

//! `view`, and no command at all: opens the window.

use std::path::Path;

use flock::Parameters;

use crate::cli::view::{ViewOptions, ViewRequest};
use config::presets::{DEFAULT, all, find};
use config::{self, Document, Lesson, Source};
use files::Result;
use window::session::Preset;
use window::{Opening, OpeningClock, Options, settled};

pub(super) fn view(request: ViewRequest) -> Result {
    let presets = all().map(|preset| {
        let Document { parameters, view, .. } = preset.document()?;
        let [name, about, look_for] = [preset.name, preset.about(), preset.look_for()].map(str::to_owned);
        Ok(Preset { name, about, look_for, parameters, view })
    });
    let presets = presets.collect::<Result<_>>()?;
    let mut engine = request.engine.clone();
    let recorded = request.options.flight(&mut engine, request.names_numeric)?;
    let mut flock = match &recorded {
        Some(flight) => flight.start.document(),
        None => request.flock.document()?,
    };
    flock.view.check(&flock.parameters)?;
    let preset = flock.preset.and_then(|name| all().position(|preset| preset.name == name));
    // A page has no standard error.
    #[cfg(not(target_arch = "wasm32"))]
    super::note(flock.world.line(), request.options.quiet);
    let asked = &request.options;
    let clock = clock(asked);
    let mut opening = opening(&request, clock, &flock, &find(DEFAULT)?.parameters()?);
    if recorded.is_some() {
        // The window opens with the flight's flock, and then repeats it.
        opening = Opening::Seeded;
    }
    if opening == Opening::Growing {
        flock.parameters.set_boids(settled::BOIDS);
    }
    let base = if recorded.is_some() { flock } else { config::resolve(&request.flock.source, &[])? };
    let lesson = match &request.options.lesson {
        Some(file) if file.ends_with(".toml") => Some(Lesson::load(Path::new(file))?),
        Some(name) => Some(Lesson::named(name)?),
        None => None,
    };
    let compare = flock.compared(&asked.compare)?;
    window::open(Options {
        size: asked.window_size,
        engine,
        source: request.flock.source,
        settings: request.flock.settings,
        clock,
        look: asked.look.named,
        quiet: asked.quiet,
        presets,
        preset,
        base,
        flock,
        opening,
        flight: recorded
            .map(|flight| (asked.recorded.flight.clone().unwrap_or_else(|| "the link".into()), flight)),
        lesson,
        compare,
    })
}

/// When the flock of a call moves.
fn clock(asked: &ViewOptions) -> OpeningClock {
    OpeningClock {
        paused: asked.paused,
        pause_at: asked.steps.or(asked.step),
        fast_forward: asked.step.is_some(),
    }
}

/// How the flock of a call starts; `usual` are the parameters of the default preset.
fn opening(request: &ViewRequest, clock: OpeningClock, flock: &Document, usual: &Parameters) -> Opening {
    let fits = flock.preset == Some(DEFAULT) && settled::fits(usual, &flock.parameters);
    if !fits || clock.counts_from_seed() {
        return Opening::Seeded;
    }
    // Two flocks have the number of boids that the call names.
    let grows = request.flock.settings.is_empty() && request.options.compare.is_empty();
    match request.flock.source {
        Source::Preset(_) if grows => Opening::Growing,
        _ => Opening::Settled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Call, parse, shared::AdapterFor};

    #[test]
    fn the_default_preset_opens_settled_with_any_number_and_in_any_look() {
        let usual = find(DEFAULT).expect("built in").parameters().expect("allowed");
        let opens = |options: &str| {
            let words = ["murmuration", "view"].into_iter().chain(options.split_whitespace());
            let Ok(Call::View(args)) = parse(words.map(Into::into)) else { panic!("{options}") };
            let request = args.resolve(AdapterFor::Drawing).expect("allowed");
            opening(&request, clock(&request.options), &request.flock.document().expect("allowed"), &usual)
        };
        for options in ["", "--look cones", "--preset murmuration", "--engine cpu"] {
            assert_eq!(opens(options), Opening::Growing, "{options}");
        }
        for options in ["-n 1M", "-n 500 --look paper", "--set cohesion.weight=0.1"] {
            assert_eq!(opens(options), Opening::Settled, "{options}");
        }
        for options in [
            "--paused",
            "--steps 9",
            "--step 0 -n 1M",
            "--seed 77",
            "--set flock.dimensions=2",
            "--set world.max=[300,300,300]",
            "--preset cornell",
            "--preset vortex",
        ] {
            assert_eq!(opens(options), Opening::Seeded, "{options}");
        }
    }
}

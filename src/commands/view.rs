//! `view`, and no command at all: opens the window.

use crate::view::{self, Options};
use crate::{cli::view::ViewRequest, view::session::Preset};
use config::presets::{DEFAULT, all};
use config::{self, Document, Source};
use report::Result;

pub(super) fn view(request: &ViewRequest) -> Result {
    let (preset, file) = match &request.flock.source {
        Source::Preset(chosen) => (all().position(|preset| preset.name == chosen.name), None),
        Source::File(file) => (None, Some(file.clone())),
    };
    let is_default = matches!(&request.flock.source, Source::Preset(preset) if preset.name == DEFAULT);
    let presets = all().map(|preset| {
        let Document { parameters, view, world: _ } = preset.document()?;
        Ok(Preset { name: preset.name.to_owned(), about: preset.about().to_owned(), parameters, view })
    });
    let document = request.flock.document()?;
    // A page has no standard error.
    #[cfg(not(target_arch = "wasm32"))]
    super::inform(document.world.line(), request.options.quiet);
    let Document { mut parameters, view, world: _ } = document;
    let first = is_default && request.flock.settings.is_empty() && request.options.plain();
    if first {
        parameters.set_boids(view::settled::BOIDS);
    }
    view::open(Options {
        presets: presets.collect::<Result<_>>()?,
        preset,
        file,
        settings: request.flock.settings.clone(),
        base: config::resolve(&request.flock.source, &[])?,
        parameters,
        view,
        engine: request.engine.clone(),
        paused: request.options.paused,
        pause_at: request.options.steps.or(request.options.step),
        hurries: request.options.step.is_some(),
        first,
        size: request.options.window_size,
        look: request.options.look.named,
        quiet: request.options.quiet,
    })
}

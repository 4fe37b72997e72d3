//! `view`, and no command at all: opens the window.

use crate::view::{self, Options};
use crate::{cli::view::ViewRequest, view::session::Preset};
use config::presets::{DEFAULT, all};
use config::{self, Document, Source};
use report::Result;

pub(super) fn view(request: ViewRequest) -> Result {
    let source = &request.flock.source;
    let is_default = matches!(source, Source::Preset(preset) if preset.name == DEFAULT);
    let presets = all().map(|preset| {
        let Document { parameters, view, .. } = preset.document()?;
        Ok(Preset { name: preset.name.to_owned(), about: preset.about().to_owned(), parameters, view })
    });
    let presets = presets.collect::<Result<_>>()?;
    let mut flock = request.flock.document()?;
    flock.view.check(&flock.parameters)?;
    let preset = flock.preset.and_then(|name| all().position(|preset| preset.name == name));
    // A page has no standard error.
    #[cfg(not(target_arch = "wasm32"))]
    super::inform(flock.world.line(), request.options.quiet);
    let first = is_default && request.flock.settings.is_empty() && request.options.plain();
    if first {
        flock.parameters.set_boids(view::settled::BOIDS);
    }
    view::open(Options { base: config::resolve(source, &[])?, request, presets, preset, flock, first })
}

//! `--look`, of every command that draws.

use clap::Args;

use super::shared::{FlockRequest, one_of};
use crate::config::Source;
use crate::view::scene::Scenery;

/// How a flock is drawn.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// The look of a flock in space: dusk shows birds as ink before a bright sky, cones are lit on a dark ground
    /// [default: dusk for murmuration, else cones].
    #[arg(long = "look", value_parser = one_of(&Scenery::ALL))]
    pub named: Option<Scenery>,
}

impl LookArgs {
    /// The look that was named, or the one that suits the flock.
    #[must_use]
    pub fn scenery(&self, flock: &FlockRequest) -> Scenery {
        self.named.unwrap_or_else(|| match &flock.source {
            Source::Preset(preset) => Scenery::of_preset(preset.name),
            Source::File(_) => Scenery::default(),
        })
    }
}

//! `--look`, of every command that draws.

use clap::Args;

use super::shared::one_of;
use config::Scenery;

/// How a flock is drawn.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// The look: dusk shows birds as ink before a bright sky, cones are lit on a dark ground, paper shows them on near-white,
    /// water in an aquarium; in two dimensions dusk and water are drawn as cones
    /// [default: what the table view of the preset or file says, else cones].
    #[arg(long = "look", value_parser = one_of(&Scenery::ALL))]
    pub named: Option<Scenery>,
}

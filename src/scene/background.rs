//! What surrounds the boids.

use super::look::{Scenery, drawn_scenery};

/// A background: constants of `shaders/view/sky.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Background {
    /// The dark ground of a flat world.
    Plane,
    Dark,
    Dusk,
    /// Dusk, in the rows of the picture that show land.
    Land,
    Paper,
    Water,
}

impl Background {
    pub const ALL: [Background; 6] = [
        Background::Plane,
        Background::Dark,
        Background::Dusk,
        Background::Land,
        Background::Paper,
        Background::Water,
    ];

    /// That of a look.
    pub fn of(scenery: Scenery, flat: bool) -> Self {
        match drawn_scenery(scenery, flat) {
            Scenery::Dusk => Background::Dusk,
            Scenery::Cones if flat => Background::Plane,
            Scenery::Cones => Background::Dark,
            Scenery::Paper => Background::Paper,
            Scenery::Water => Background::Water,
        }
    }
}

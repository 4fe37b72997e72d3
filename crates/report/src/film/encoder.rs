//! The interface of a picture or film format.

use crate::error::Result;

/// The size of every frame in pixels, and frames per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub width: u32,
    pub height: u32,
    pub fps: u32,
}

/// Writes frames in one format.
pub(super) trait Encoder: Send {
    /// Adds one frame, RGBA, row by row from the top.
    fn frame(&mut self, rgba: &[u8]) -> Result<()>;
    /// Writes what is left and gives the file its name. Called after at least one frame.
    fn finish(self: Box<Self>) -> Result<()>;
}

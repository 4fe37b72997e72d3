//! The backend that draws the frames of a window: a GPU, or WebGL2 on a page without one.

use std::time::Duration;

use egui::{Context, FullOutput, TextureId};
use web_time::Instant;

use super::session::Session;
use engine::Result;
use gpu::Gpu;

/// Draws frames: `begin`, the flock, egui's output, `present`.
pub trait Paint {
    /// The GPU that draws, if there is one.
    fn gpu(&self) -> Option<&Gpu>;

    /// Name of the backend, for the user.
    fn name(&self) -> String {
        self.gpu().map_or_else(|| "WebGL2".to_owned(), Gpu::name)
    }

    /// Adapts to the window's size.
    fn resize(&mut self) {}

    /// Begins a frame; if there is nothing to draw on, returns the time until the next attempt.
    ///
    /// # Errors
    /// When the device is lost, or a lost surface cannot be recreated.
    fn begin(&mut self) -> Result<Option<Duration>>;

    /// The texture with the picture of the flock, if egui draws it.
    fn picture(&self) -> Option<TextureId> {
        None
    }

    /// Draws the picture of the flock at a size in pixels. True if its texture is new to egui: another frame is due.
    ///
    /// # Errors
    /// When the device fails.
    fn draw_flock(&mut self, session: &mut Session, size: [u32; 2]) -> Result<bool>;

    /// The pixels of the flock just drawn, row by row from the top; `None` if a GPU can draw them again.
    fn pixels(&self, _size: [u32; 2]) -> Option<Vec<u8>> {
        None
    }

    /// Draws egui's output over the picture in the upper left corner. `touched` is true after input. Returns the time
    /// of another frame if one is due.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn draw_panel(&mut self, ctx: &Context, output: FullOutput, touched: bool) -> Result<Option<Instant>>;

    /// Shows the frame.
    fn present(&mut self) {}
}

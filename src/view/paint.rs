//! What draws the frames of a window: a GPU, or WebGL2 where a page has none.

use std::time::Duration;

use egui::{Context, FullOutput, TextureId};
use web_time::Instant;

use super::session::Session;
use cpu::Result;
use gpu::Gpu;

/// Draws frames: begun, the flock, what egui shows, ended.
pub trait Paint {
    /// The GPU that draws, where one does.
    fn gpu(&self) -> Option<&Gpu>;

    /// What draws, for people.
    fn name(&self) -> String {
        self.gpu().map_or_else(|| "WebGL2".to_owned(), Gpu::name)
    }

    /// Follows the window's size.
    fn resize(&mut self) {}

    /// Begins a frame; where there is nothing to draw on, returns when to try again.
    ///
    /// # Errors
    /// When the device is lost, or a lost surface cannot be made again.
    fn begin(&mut self) -> Result<Option<Duration>>;

    /// The picture of the flock, where egui draws it.
    fn picture(&self) -> Option<TextureId> {
        None
    }

    /// Updates the picture of the flock, of so many pixels. Returns whether it is new to egui, which then needs one more frame.
    ///
    /// # Errors
    /// When the device fails.
    fn draw_flock(&mut self, session: &mut Session, size: [u32; 2]) -> Result<bool>;

    /// The pixels of the flock that was just drawn, row by row from the top, where no GPU can draw it once more.
    fn pixels(&self, _size: [u32; 2]) -> Option<Vec<u8>> {
        None
    }

    /// Draws what egui shows, over the picture in the upper left corner. `touched` where there was input. Returns when one
    /// more frame is due, where one is.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn draw_panel(&mut self, ctx: &Context, output: FullOutput, touched: bool) -> Result<Option<Instant>>;

    /// Shows the frame.
    fn present(&mut self) {}
}

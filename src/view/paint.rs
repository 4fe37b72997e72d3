//! What draws the frames of a window: a GPU, or WebGL2 where a page has none.

use std::time::Duration;

use egui::{FullOutput, TextureId};
use web_time::Instant;

use super::painter::Painter;
use super::session::Session;
use super::surface::{Acquired, Screen};
use cpu::engine::EngineError;
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
    fn begin(&mut self) -> Result<Option<Duration>, EngineError>;

    /// The picture of the flock, where egui draws it.
    fn picture(&self) -> Option<TextureId> {
        None
    }

    /// Updates the picture of the flock, of so many pixels. Returns whether it is new to egui, which then needs one more frame.
    ///
    /// # Errors
    /// When the device fails.
    fn draw_flock(&mut self, session: &mut Session, size: [u32; 2]) -> Result<bool, EngineError>;

    /// The pixels of the flock that was just drawn, row by row from the top, where no GPU can draw it once more.
    fn pixels(&self, _size: [u32; 2]) -> Option<Vec<u8>> {
        None
    }

    /// Draws what egui shows, over the picture in the upper left corner. `touched` where there was input.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn draw_panel(
        &mut self,
        context: &egui::Context,
        output: FullOutput,
        touched: bool,
    ) -> Result<(), EngineError>;

    /// Shows the frame.
    fn present(&mut self) {}

    /// When one more frame is due.
    fn due(&self) -> Option<Instant> {
        None
    }
}

/// A GPU that draws on a window.
#[derive(Debug)]
pub struct ByGpu {
    // Dropped before the surface that it belongs to.
    acquired: Option<(wgpu::SurfaceTexture, bool)>,
    painter: Painter,
    screen: Screen,
}

impl ByGpu {
    /// Prepares to draw on a screen.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn new(screen: Screen) -> Result<Self, EngineError> {
        Ok(ByGpu { acquired: None, painter: Painter::new(&screen)?, screen })
    }
}

impl Paint for ByGpu {
    fn gpu(&self) -> Option<&Gpu> {
        Some(&self.screen.gpu)
    }

    fn resize(&mut self) {
        self.screen.resize();
    }

    fn begin(&mut self) -> Result<Option<Duration>, EngineError> {
        match self.screen.acquire()? {
            Acquired::Texture(texture, again) => self.acquired = Some((texture, again)),
            Acquired::Nothing(pause) => return Ok(Some(pause)),
        }
        Ok(None)
    }

    fn picture(&self) -> Option<TextureId> {
        self.painter.id
    }

    fn draw_flock(&mut self, session: &mut Session, size: [u32; 2]) -> Result<bool, EngineError> {
        self.painter.draw_flock(&self.screen.gpu, session, size)
    }

    fn draw_panel(
        &mut self,
        context: &egui::Context,
        mut output: FullOutput,
        touched: bool,
    ) -> Result<(), EngineError> {
        let Some((target, _)) = &self.acquired else {
            output.textures_delta.clear();
            return Ok(());
        };
        self.painter.draw_panel(&self.screen.gpu, &target.texture, context, output, touched)
    }

    fn present(&mut self) {
        let Some((texture, again)) = self.acquired.take() else { return };
        // Presented though nothing may be drawn on it: a lost device keeps a texture that is only dropped.
        self.screen.gpu.queue.present(texture);
        if again {
            self.screen.resize();
        }
    }

    fn due(&self) -> Option<Instant> {
        self.painter.due
    }
}

//! What draws a flock, so that its drawing can be timed: the program's view knows how.

use cpu::engine::EngineError;
use cpu::state::State;
use engines::Opened;
use flock::Parameters;
use gpu::Gpu;

/// Width and height of timed pictures in pixels: the initial size of the window.
pub const PICTURE: [u32; 2] = [1280, 800];

/// Draws one flock off screen.
pub trait Painter {
    /// Submits a picture of the current state.
    ///
    /// # Errors
    /// When the device fails.
    fn paint(&mut self, opened: &mut Opened) -> Result<(), EngineError>;

    /// Waits for all submitted pictures.
    ///
    /// # Errors
    /// When the device was lost.
    fn finish(&self) -> Result<(), EngineError>;
}

/// Makes a painter that sees the whole flock of a state.
pub type NewPainter = dyn Fn(&Gpu, &Parameters, &State) -> Result<Box<dyn Painter>, EngineError>;

/// What draws the flocks that are measured.
pub struct Drawing<'a> {
    pub gpu: Gpu,
    pub painter: &'a NewPainter,
}

impl std::fmt::Debug for Drawing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawing").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}

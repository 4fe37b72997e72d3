//! A window drawn by WebGL2, on a page without WebGPU: on its own canvas, which lies over the page's and ignores the
//! pointer. A canvas that has a WebGPU context cannot have another one.

mod panel;

use std::sync::Arc;
use std::time::Duration;

use egui::{Context, FullOutput};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlContextAttributes};
use web_time::Instant;
use winit::window::Window;

use self::panel::Panel;
use super::page;
use super::painter::{Paint, shown};
use super::session::Session;
use engine::{EngineError, Result};
use gpu::Gpu;
use scene::webgl::Flock;

/// The canvas and its drawing programs.
#[derive(Debug)]
pub struct Screen {
    window: Arc<Window>,
    canvas: HtmlCanvasElement,
    gl: Gl,
    flock: Flock,
    panel: Panel,
}

impl Screen {
    /// Opens WebGL2 for a window.
    ///
    /// # Errors
    /// When the browser has no WebGL2, or its error message for a program.
    pub fn open(window: &Arc<Window>) -> Result<Self, String> {
        let canvas = page::canvas_above().ok_or("the page has no canvas")?;
        let attributes = WebGlContextAttributes::new();
        // The canvas is opaque.
        attributes.set_alpha(false);
        let found = canvas.get_context_with_context_options("webgl2", &attributes).ok().flatten();
        let found: Option<Gl> = found.and_then(|found| found.dyn_into().ok());
        let screen = found.ok_or_else(|| "this browser has no WebGL2".to_owned()).and_then(|gl| {
            let (flock, panel) = (Flock::new(&gl)?, Panel::new(&gl)?);
            Ok(Screen { window: Arc::clone(window), canvas: canvas.clone(), gl, flock, panel })
        });
        screen.inspect_err(|_| canvas.remove())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.canvas.remove();
    }
}

impl Paint for Screen {
    fn gpu(&self) -> Option<&Gpu> {
        None
    }

    fn begin(&mut self) -> Result<Option<Duration>> {
        if self.gl.is_context_lost() {
            let why = "the browser has taken it".to_owned();
            return Err(EngineError::Lost { device: self.name(), why });
        }
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(Some(Duration::from_millis(100)));
        }
        if (self.canvas.width(), self.canvas.height()) != (size.width, size.height) {
            self.canvas.set_width(size.width);
            self.canvas.set_height(size.height);
        }
        Ok(None)
    }

    fn draw_flock(&mut self, session: &Session, size: [u32; 2]) -> Result<bool> {
        let drawn = shown(session, &session.frame().boids);
        self.flock.draw(&drawn, size);
        Ok(false)
    }

    fn pixels(&self, [width, height]: [u32; 2]) -> Option<Vec<u8>> {
        let row = width as usize * 4;
        let mut pixels = vec![0; row * height as usize];
        let bottom = self.canvas.height() as i32 - height as i32;
        let (sides, format) = ((width as i32, height as i32), (Gl::RGBA, Gl::UNSIGNED_BYTE));
        let into = Some(&mut pixels[..]);
        self.gl.read_pixels_with_opt_u8_array(0, bottom, sides.0, sides.1, format.0, format.1, into).ok()?;
        // Rows in WebGL begin at the bottom.
        Some(pixels.chunks_exact(row).rev().flatten().copied().collect())
    }

    fn draw_panel(&mut self, ctx: &Context, output: FullOutput, _touched: bool) -> Result<Option<Instant>> {
        self.panel.draw(ctx, output);
        Ok(None)
    }
}

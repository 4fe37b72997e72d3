//! A window drawn by WebGL2, on a page without WebGPU: on its own canvas, which lies over the page's and ignores the
//! pointer. A canvas that has a WebGPU context cannot have another one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use egui::epaint::{ImageData, ImageDelta, Primitive};
use egui::{ClippedPrimitive, Context, FullOutput, TextureFilter, TextureId};
use js_sys::Uint8Array;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext as Gl, WebGlContextAttributes};
use web_sys::{WebGlBuffer, WebGlProgram, WebGlTexture, WebGlUniformLocation};
use web_time::Instant;
use winit::window::Window;

use super::page;
use super::painter::{Paint, shown};
use super::session::Session;
use engine::{EngineError, Result};
use gpu::Gpu;
use scene::webgl::{BYTES, FLOATS_2, Flock, attribute, buffer, fill, pixels, program, texture};

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
        self.panel.draw(&self.gl, ctx, output);
        Ok(None)
    }
}

/// Draws egui's output: textured meshes.
#[derive(Debug)]
struct Panel {
    program: WebGlProgram,
    /// The size of the window in points.
    size: Option<WebGlUniformLocation>,
    corners: WebGlBuffer,
    indices: WebGlBuffer,
    textures: HashMap<TextureId, WebGlTexture>,
}

impl Panel {
    /// Prepares to draw.
    ///
    /// # Errors
    /// The browser's error message.
    fn new(gl: &Gl) -> Result<Self, String> {
        let program = program(gl, &[include_str!("webgl/panel.glsl")])?;
        Ok(Panel {
            size: gl.get_uniform_location(&program, "size"),
            program,
            corners: buffer(gl)?,
            indices: buffer(gl)?,
            textures: HashMap::new(),
        })
    }

    /// Draws egui's output over the whole canvas.
    fn draw(&mut self, gl: &Gl, context: &Context, output: FullOutput) {
        let FullOutput { mut textures_delta, shapes, pixels_per_point, .. } = output;
        for (id, deltas) in &textures_delta.set {
            deltas.iter().for_each(|delta| self.update(gl, *id, delta));
        }
        let sides = [gl.drawing_buffer_width(), gl.drawing_buffer_height()];
        gl.viewport(0, 0, sides[0], sides[1]);
        gl.disable(Gl::DEPTH_TEST);
        gl.enable(Gl::SCISSOR_TEST);
        gl.enable(Gl::BLEND);
        gl.blend_func(Gl::ONE, Gl::ONE_MINUS_SRC_ALPHA);
        gl.use_program(Some(&self.program));
        let [width, height] = sides.map(|side| side as f32 / pixels_per_point);
        gl.uniform2f(self.size.as_ref(), width, height);
        for job in context.tessellate(shapes, pixels_per_point) {
            self.job(gl, &job, sides, pixels_per_point);
        }
        gl.disable(Gl::SCISSOR_TEST);
        for id in &textures_delta.free {
            gl.delete_texture(self.textures.remove(id).as_ref());
        }
        // egui asserts that the delta was applied and cleared.
        textures_delta.clear();
    }

    fn job(&self, gl: &Gl, job: &ClippedPrimitive, [width, height]: [i32; 2], scale: f32) {
        let Primitive::Mesh(mesh) = &job.primitive else { return };
        let pixel = |points: f32, most: i32| ((points * scale).round() as i32).clamp(0, most);
        let [left, right] = [job.clip_rect.min.x, job.clip_rect.max.x].map(|x| pixel(x, width));
        let [top, bottom] = [job.clip_rect.min.y, job.clip_rect.max.y].map(|y| pixel(y, height));
        gl.scissor(left, height - bottom, (right - left).max(0), (bottom - top).max(0));
        gl.bind_texture(Gl::TEXTURE_2D, self.textures.get(&mesh.texture_id));
        fill(gl, Gl::ARRAY_BUFFER, &self.corners, &mesh.vertices);
        for (location, of, offset) in [(0, FLOATS_2, 0), (1, FLOATS_2, 8), (2, BYTES, 16)] {
            attribute(gl, location, of, [20, offset], 0);
        }
        fill(gl, Gl::ELEMENT_ARRAY_BUFFER, &self.indices, &mesh.indices);
        gl.draw_elements_with_i32(Gl::TRIANGLES, mesh.indices.len() as i32, Gl::UNSIGNED_INT, 0);
    }

    /// Uploads a texture, or a part of one.
    fn update(&mut self, gl: &Gl, id: TextureId, ImageDelta { image, options, pos }: &ImageDelta) {
        let ImageData::Color(image) = image;
        let filter = match options.magnification {
            TextureFilter::Nearest => Gl::NEAREST,
            TextureFilter::Linear => Gl::LINEAR,
        };
        let known = self.textures.get(&id).cloned();
        let Some(texture) = known.or_else(|| texture(gl, filter).ok()) else { return };
        gl.bind_texture(Gl::TEXTURE_2D, Some(&texture));
        let [width, height] = image.size.map(|side| side as i32);
        let (rgba, kind, bytes) = (Gl::RGBA, Gl::UNSIGNED_BYTE, bytemuck::cast_slice(&image.pixels));
        match pos.map(|pos| pos.map(|side| side as i32)) {
            Some([x, y]) => {
                let (of, bytes) = (Gl::TEXTURE_2D, Some(bytes));
                // A lost context ignores the call, as in `pixels`.
                let _ = gl.tex_sub_image_2d_with_i32_and_i32_and_u32_and_type_and_opt_u8_array(
                    of, 0, x, y, width, height, rgba, kind, bytes,
                );
            }
            None => pixels(gl, [rgba, rgba, kind], [width, height], &Uint8Array::from(bytes)),
        }
        self.textures.insert(id, texture);
    }
}

//! The background by WebGL2: a gradient, rendered at low resolution and enlarged, and land in the rows that show it.
//!
//! In software, the background at full resolution took as long as the flock. The gradient costs little for every
//! camera, so nothing is kept from picture to picture.

use web_sys::{WebGl2RenderingContext as Gl, WebGlFramebuffer, WebGlProgram, WebGlTexture};

use super::context::texture;
use super::variant;
use crate::backdrop::land_rows;
use crate::camera::Camera;

/// Side of the gradient in pixels: enlarged, its colours differ from those at full resolution by at most 2 of 255.
const SIDE: i32 = 128;

/// Draws backgrounds.
#[derive(Debug)]
pub struct Sky {
    programs: [WebGlProgram; 3],
    gradient: WebGlTexture,
    target: WebGlFramebuffer,
}

impl Sky {
    /// Prepares to draw.
    ///
    /// # Errors
    /// The browser's error message.
    pub fn new(gl: &Gl) -> Result<Self, String> {
        let program = |which| variant(gl, which, include_str!("sky.glsl"));
        let programs = [program("#define GRADIENT\n")?, program("#define ENLARGED\n")?, program("")?];
        let (gradient, of) = (texture(gl, Gl::LINEAR)?, Gl::TEXTURE_2D);
        gl.tex_storage_2d(of, 1, Gl::RGB10_A2, SIDE, SIDE);
        let target = gl.create_framebuffer().ok_or("the context is lost")?;
        gl.bind_framebuffer(Gl::FRAMEBUFFER, Some(&target));
        gl.framebuffer_texture_2d(Gl::FRAMEBUFFER, Gl::COLOR_ATTACHMENT0, of, Some(&gradient), 0);
        Ok(Sky { programs, gradient, target })
    }

    /// Draws on a rectangle of `size` pixels in the upper left corner of the canvas, which becomes the viewport; with
    /// land if `land` is set.
    pub fn draw(&self, gl: &Gl, camera: &Camera, land: bool, size: [u32; 2]) {
        let [width, height] = size.map(|side| side as i32);
        let row = gl.drawing_buffer_height() - height;
        let draw = |program, [row, width, height]: [i32; 3]| {
            gl.viewport(0, row, width, height);
            gl.use_program(Some(program));
            gl.draw_arrays(Gl::TRIANGLES, 0, 3);
        };
        let [gradient, enlarged, all] = &self.programs;
        gl.bind_framebuffer(Gl::FRAMEBUFFER, Some(&self.target));
        draw(gradient, [0, SIDE, SIDE]);
        gl.bind_framebuffer(Gl::FRAMEBUFFER, None);
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.gradient));
        draw(enlarged, [row, width, height]);
        if land {
            let [first, last] = land_rows(camera, size).map(|row| row as i32);
            gl.enable(Gl::SCISSOR_TEST);
            gl.scissor(0, row + height - last, width, (last - first).max(0));
            draw(all, [row, width, height]);
            gl.disable(Gl::SCISSOR_TEST);
        }
    }
}

//! The background by WebGL2: a gradient, rendered at low resolution and enlarged, and land in the rows that show it; and
//! the lake at dusk: copies of the picture, without and with the flock, are mirrored in its lower rows.
//!
//! In software, the background at full resolution took as long as the flock. The gradient costs little for every
//! camera, so nothing is kept from picture to picture.

use web_sys::{WebGl2RenderingContext as Gl, WebGlFramebuffer, WebGlProgram, WebGlTexture};

use super::{texture, variant};
use crate::camera::Camera;
use crate::layers::{lake_row, land_rows};

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

/// Draws lakes.
#[derive(Debug)]
pub struct Lake {
    rippled: WebGlProgram,
    mirrored: WebGlProgram,
    /// The picture before the flock, and with it.
    copies: [WebGlTexture; 2],
}

impl Lake {
    /// Prepares to draw.
    ///
    /// # Errors
    /// The browser's error message.
    pub fn new(gl: &Gl) -> Result<Self, String> {
        let program = |which| variant(gl, which, include_str!("lake.glsl"));
        let (rippled, mirrored) = (program("#define RIPPLED\n")?, program("")?);
        gl.use_program(Some(&mirrored));
        gl.uniform1i(gl.get_uniform_location(&mirrored, "flock").as_ref(), 1);
        Ok(Lake { rippled, mirrored, copies: [texture(gl, Gl::LINEAR)?, texture(gl, Gl::LINEAR)?] })
    }

    /// Draws the ripples over the background, which is all that the picture of `size` pixels holds yet.
    pub fn ripple(&self, gl: &Gl, camera: &Camera, size: [u32; 2]) {
        self.copy(gl, 0, size);
        self.draw(gl, &self.rippled, camera, size);
    }

    /// Darkens the lake where it mirrors the flock, behind the bodies that are drawn.
    pub fn mirror(&self, gl: &Gl, camera: &Camera, size: [u32; 2]) {
        self.copy(gl, 1, size);
        gl.depth_mask(false);
        gl.blend_func(Gl::DST_COLOR, Gl::ZERO);
        self.draw(gl, &self.mirrored, camera, size);
        gl.blend_func(Gl::SRC_ALPHA, Gl::ONE_MINUS_SRC_ALPHA);
        gl.depth_mask(true);
    }

    /// Copies the picture, in the upper left corner of the canvas, to a texture of the unit of the same number.
    fn copy(&self, gl: &Gl, unit: u32, size: [u32; 2]) {
        let [width, height] = size.map(|side| side as i32);
        gl.active_texture(Gl::TEXTURE0 + unit);
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.copies[unit as usize]));
        let row = gl.drawing_buffer_height() - height;
        gl.copy_tex_image_2d(Gl::TEXTURE_2D, 0, Gl::RGB, 0, row, width, height, 0);
        gl.active_texture(Gl::TEXTURE0);
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.copies[0]));
    }

    /// Draws the rows of the lake in the viewport.
    fn draw(&self, gl: &Gl, program: &WebGlProgram, camera: &Camera, size: [u32; 2]) {
        let [width, height] = size.map(|side| side as i32);
        let shore = lake_row(camera, size[1]) as i32;
        gl.enable(Gl::SCISSOR_TEST);
        gl.scissor(0, gl.drawing_buffer_height() - height, width, height - shore);
        gl.use_program(Some(program));
        gl.draw_arrays(Gl::TRIANGLES, 0, 3);
        gl.disable(Gl::SCISSOR_TEST);
    }
}

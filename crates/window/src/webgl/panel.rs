//! egui's output, drawn by WebGL2.

use std::collections::HashMap;

use egui::epaint::{ImageData, ImageDelta, Primitive};
use egui::{ClippedPrimitive, FullOutput, TextureFilter, TextureId};
use js_sys::Uint8Array;
use web_sys::{WebGl2RenderingContext as Gl, WebGlBuffer, WebGlProgram, WebGlTexture, WebGlUniformLocation};

use scene::webgl::context::{BYTES, FLOATS_2, attribute, buffer, fill, pixels, program, texture};

/// Draws textured meshes.
#[derive(Debug)]
pub struct Panel {
    gl: Gl,
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
    pub fn new(gl: &Gl) -> Result<Self, String> {
        let program = program(gl, &[include_str!("panel.glsl")])?;
        Ok(Panel {
            gl: gl.clone(),
            size: gl.get_uniform_location(&program, "size"),
            program,
            corners: buffer(gl)?,
            indices: buffer(gl)?,
            textures: HashMap::new(),
        })
    }

    /// Draws egui's output over the whole canvas.
    pub fn draw(&mut self, context: &egui::Context, output: FullOutput) {
        let FullOutput { mut textures_delta, shapes, pixels_per_point, .. } = output;
        for (id, deltas) in &textures_delta.set {
            deltas.iter().for_each(|delta| self.update(*id, delta));
        }
        let gl = &self.gl;
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
            self.job(&job, sides, pixels_per_point);
        }
        gl.disable(Gl::SCISSOR_TEST);
        for id in &textures_delta.free {
            gl.delete_texture(self.textures.remove(id).as_ref());
        }
        // egui asserts that the delta was applied and cleared.
        textures_delta.clear();
    }

    fn job(&self, job: &ClippedPrimitive, [width, height]: [i32; 2], scale: f32) {
        let Primitive::Mesh(mesh) = &job.primitive else { return };
        let gl = &self.gl;
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
    fn update(&mut self, id: TextureId, ImageDelta { image, options, pos }: &ImageDelta) {
        let (gl, ImageData::Color(image)) = (&self.gl, image);
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

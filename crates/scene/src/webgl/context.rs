//! Helpers for WebGL2: programs, buffers, textures, and a program's attributes.

use js_sys::Object;
use web_sys::{WebGl2RenderingContext as Gl, WebGlBuffer, WebGlProgram, WebGlTexture};

/// Number and type of an attribute's components.
pub const FLOATS_2: (i32, u32) = (2, Gl::FLOAT);
pub const FLOATS: (i32, u32) = (4, Gl::FLOAT);
pub const BYTES: (i32, u32) = (4, Gl::UNSIGNED_BYTE);
pub const WORDS: (i32, u32) = (2, Gl::UNSIGNED_INT);

/// Compiles a program whose source holds both stages; the vertex stage is selected by `VERTEX`.
///
/// # Errors
/// The browser's error message.
pub fn program(gl: &Gl, parts: &[&str]) -> Result<WebGlProgram, String> {
    let gone = || "the context is lost".to_owned();
    let program = gl.create_program().ok_or_else(gone)?;
    let mut said = String::new();
    for (kind, stage) in [(Gl::VERTEX_SHADER, "#define VERTEX\n"), (Gl::FRAGMENT_SHADER, "")] {
        let shader = gl.create_shader(kind).ok_or_else(gone)?;
        gl.shader_source(&shader, &["#version 300 es\n", stage, &parts.concat()].concat());
        gl.compile_shader(&shader);
        gl.attach_shader(&program, &shader);
        said += &gl.get_shader_info_log(&shader).unwrap_or_default();
    }
    gl.link_program(&program);
    match gl.get_program_parameter(&program, Gl::LINK_STATUS).is_truthy() {
        true => Ok(program),
        false => Err(said + &gl.get_program_info_log(&program).unwrap_or_default()),
    }
}

/// An empty buffer.
///
/// # Errors
/// When the context is lost.
pub fn buffer(gl: &Gl) -> Result<WebGlBuffer, String> {
    gl.create_buffer().ok_or_else(|| "the context is lost".to_owned())
}

/// An empty texture with this filter, left bound.
///
/// # Errors
/// When the context is lost.
pub fn texture(gl: &Gl, filter: u32) -> Result<WebGlTexture, String> {
    let texture = gl.create_texture().ok_or_else(|| "the context is lost".to_owned())?;
    gl.bind_texture(Gl::TEXTURE_2D, Some(&texture));
    for (what, value) in [
        (Gl::TEXTURE_MIN_FILTER, filter),
        (Gl::TEXTURE_MAG_FILTER, filter),
        (Gl::TEXTURE_WRAP_S, Gl::CLAMP_TO_EDGE),
        (Gl::TEXTURE_WRAP_T, Gl::CLAMP_TO_EDGE),
    ] {
        gl.tex_parameteri(Gl::TEXTURE_2D, what, value as i32);
    }
    Ok(texture)
}

/// Fills the bound texture; `[of, format, kind]` are internal format, format and type, then width and height.
pub fn pixels(gl: &Gl, [of, format, kind]: [u32; 3], [width, height]: [i32; 2], pixels: &Object) {
    let (target, of, pixels) = (Gl::TEXTURE_2D, of as i32, Some(pixels));
    // A lost context ignores the call; the loss is reported where it is queried.
    let _ = gl.tex_image_2d_with_i32_and_i32_and_i32_and_format_and_type_and_opt_array_buffer_view(
        target, 0, of, width, height, 0, format, kind, pixels,
    );
}

/// Binds a buffer, and fills it.
pub fn fill<T: bytemuck::NoUninit>(gl: &Gl, target: u32, buffer: &WebGlBuffer, content: &[T]) {
    gl.bind_buffer(target, Some(buffer));
    gl.buffer_data_with_u8_array(target, bytemuck::cast_slice(content), Gl::DYNAMIC_DRAW);
}

/// Points an attribute at the bound buffer, with a stride and an offset in bytes; it advances per vertex, or per
/// instance if `per` is 1.
pub fn attribute(gl: &Gl, location: u32, (count, kind): (i32, u32), [stride, offset]: [i32; 2], per: u32) {
    gl.enable_vertex_attrib_array(location);
    match kind {
        Gl::UNSIGNED_INT => gl.vertex_attrib_i_pointer_with_i32(location, count, kind, stride, offset),
        _ => {
            let share = kind == Gl::UNSIGNED_BYTE;
            gl.vertex_attrib_pointer_with_i32(location, count, kind, share, stride, offset);
        }
    }
    gl.vertex_attrib_divisor(location, per);
}

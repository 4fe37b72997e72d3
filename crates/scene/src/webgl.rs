//! The picture of a flock by WebGL2: the scene's appearances, bodies and lines, with boids from memory. Boids are
//! instances of a mesh; a far bird is three triangles from a texture, enlarged and more transparent if it is small.
//! There are no trails and no exposure.

use bytemuck::{NoUninit, bytes_of, cast_slice};
use glam::Vec3;
use js_sys::{Float32Array, Object};
use web_sys::{WebGl2RenderingContext as Gl, WebGlBuffer, WebGlProgram, WebGlTexture, WebGlUniformLocation};

use self::backdrop::{Lake, Sky};
use super::coverage::{Grid, roll_since};
use super::layers::lake_row;
use super::mesh::{Near, Shape};
use super::things::Things;
use super::{Boids, Camera, FrameInput, ViewUniform};
use engine::HostInstances;

mod backdrop;

/// The body that the boids' program draws: constants of `boid.glsl`.
#[derive(Clone, Copy, Debug)]
enum Body {
    Cone,
    Bird,
    Falcon,
}

/// Minimum width, in pixels, of birds in the middle of the picture that are drawn as meshes, not as three triangles.
const DETAILED: f32 = 9.0;
/// Birds per row of their texture.
const ROW: usize = 1024;

/// Draws flocks.
#[derive(Debug)]
pub struct Flock {
    gl: Gl,
    sky: Sky,
    lake: Lake,
    boid: WebGlProgram,
    far: WebGlProgram,
    thing: WebGlProgram,
    line: WebGlProgram,
    /// Location of the uniform that selects the [`Body`].
    body: Option<WebGlUniformLocation>,
    view: WebGlBuffer,
    /// Instances of boids, things and lines.
    instances: WebGlBuffer,
    /// The far birds, two texels each.
    birds: WebGlTexture,
    /// By id: the horizontal part of a bird's heading in the last picture, and the tangent of its roll to the left.
    banks: Vec<[f32; 3]>,
    /// The step of the last picture.
    last: Option<u64>,
    cone: Mesh,
    smooth_cone: Mesh,
    bird: Mesh,
    arrowhead: Mesh,
    ball: Mesh,
}

impl Flock {
    /// Prepares to draw.
    ///
    /// # Errors
    /// The browser's error message.
    pub fn new(gl: &Gl) -> Result<Self, String> {
        let program = |text| variant(gl, "", text);
        let mesh = |shape: &Shape| Mesh::new(gl, shape);
        let boid = program(include_str!("webgl/boid.glsl"))?;
        Ok(Flock {
            gl: gl.clone(),
            sky: Sky::new(gl)?,
            lake: Lake::new(gl)?,
            thing: program(include_str!("webgl/thing.glsl"))?,
            line: program(include_str!("webgl/line.glsl"))?,
            body: gl.get_uniform_location(&boid, "body"),
            boid,
            far: variant(gl, "#define FAR\n", include_str!("webgl/boid.glsl"))?,
            view: buffer(gl)?,
            instances: buffer(gl)?,
            birds: texture(gl, Gl::NEAREST)?,
            banks: Vec::new(),
            last: None,
            cone: mesh(&Shape::cone(6))?,
            smooth_cone: mesh(&Shape::cone(24))?,
            bird: mesh(&Shape::bird())?,
            arrowhead: mesh(&Shape::arrowhead())?,
            ball: mesh(&Shape::ball())?,
        })
    }

    /// Draws a flock on a rectangle of `size` pixels in the upper left corner of the canvas.
    pub fn draw(&mut self, drawn: &FrameInput<'_, &Boids>, size: [u32; 2]) {
        let boids = self.boids(drawn);
        let gl = &self.gl;
        let grid = Grid { sides: size, block: 1, words: 2, units: 1.0, mesh_pixels: 0.0, most_meshes: 0 };
        let uniform = ViewUniform::new(drawn, size, &grid, false);
        fill(gl, Gl::UNIFORM_BUFFER, &self.view, bytes_of(&uniform));
        gl.bind_buffer_base(Gl::UNIFORM_BUFFER, 0, Some(&self.view));
        gl.disable(Gl::BLEND);
        gl.disable(Gl::DEPTH_TEST);
        self.sky.draw(gl, drawn.camera, drawn.dusk(), size);
        let lake = drawn.dusk() && lake_row(drawn.camera, size[1]) < size[1];
        if lake {
            self.lake.ripple(gl, drawn.camera, size);
        }

        gl.clear_depth(0.0);
        gl.clear(Gl::DEPTH_BUFFER_BIT);
        gl.enable(Gl::BLEND);
        gl.blend_func(Gl::SRC_ALPHA, Gl::ONE_MINUS_SRC_ALPHA);
        gl.enable(Gl::DEPTH_TEST);
        gl.depth_func(Gl::GEQUAL);
        let things = Things::new(drawn, size[1]);
        self.bodies(&self.thing, FLOATS, &things.balls, &self.ball);
        match (drawn.camera.flat, drawn.dusk()) {
            (true, _) => self.near(Body::Cone, &self.arrowhead, &boids),
            (false, false) => self.near(Body::Cone, &self.cone, &boids),
            _ if wide(&uniform, drawn.camera) => self.near(Body::Bird, &self.bird, &boids),
            _ => self.far_birds(&boids),
        }
        if lake {
            self.lake.mirror(gl, drawn.camera, size);
        }
        self.bodies(&self.thing, FLOATS, &things.cones, &self.smooth_cone);
        self.near(Body::Falcon, &self.bird, &things.falcons);
        self.lines(&things.lines);
        gl.disable(Gl::DEPTH_TEST);
        self.bodies(&self.thing, FLOATS, &things.marks, &self.smooth_cone);
    }

    /// The boids as instances; birds with their roll. Twin of `bank_of` in `coverage.wgsl`.
    fn boids(&mut self, drawn: &FrameInput<'_, &Boids>) -> Vec<Near> {
        let Boids::Host(boids) = drawn.instances else { return Vec::new() };
        let HostInstances { position, velocity, tag } = &**boids;
        if self.banks.len() != position.len() {
            (self.banks, self.last) = (vec![[0.0; 3]; position.len()], None);
        }
        let [left, added] = roll_since(self.last.replace(drawn.step), drawn.step);
        let boids = position.iter().zip(velocity).zip(tag);
        let near = |((position, velocity), [id, flags]): ((&[f32; 4], &[f32; 4]), &[u32; 2])| {
            let mut near = Near { position: *position, velocity: *velocity, tag: [*id, *flags, 0, 0] };
            if let Some([x, y, bank]) = self.banks.get_mut(*id as usize).filter(|_| drawn.dusk()) {
                let heading = Vec3::from_slice(velocity).normalize_or_zero();
                let turned = (*x * heading.y - *y * heading.x) / heading.truncate().length().max(0.1);
                (*x, *y, *bank) = (heading.x, heading.y, left * *bank + added * turned);
                near.position[3] = bank.clamp(-2.5, 2.5);
            }
            near
        };
        boids.map(near).collect()
    }

    fn near(&self, body: Body, mesh: &Mesh, boids: &[Near]) {
        let gl = &self.gl;
        gl.use_program(Some(&self.boid));
        gl.uniform1i(self.body.as_ref(), body as i32);
        // Translucent bodies write no depth.
        gl.depth_mask(!matches!(body, Body::Bird));
        self.bodies(&self.boid, WORDS, boids, mesh);
        gl.depth_mask(true);
    }

    fn far_birds(&self, birds: &[Near]) {
        let (gl, rows) = (&self.gl, birds.len().div_ceil(ROW));
        let mut texels = Vec::with_capacity(8 * ROW * rows);
        for Near { position, velocity: [x, y, z, perceived], tag: [id, ..] } in birds {
            let id = *id as f32;
            texels.extend(position);
            texels.extend([*x, *y, *z, if *perceived < 0.0 { -1.0 - id } else { id }]);
        }
        texels.resize(8 * ROW * rows, 0.0);
        gl.use_program(Some(&self.far));
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.birds));
        let sides = [2 * ROW, rows].map(|side| side as i32);
        pixels(gl, [Gl::RGBA32F, Gl::RGBA, Gl::FLOAT], sides, &Float32Array::from(&texels[..]));
        gl.depth_mask(false);
        gl.draw_arrays(Gl::TRIANGLES, 0, 9 * birds.len() as i32);
        gl.depth_mask(true);
    }

    /// Draws lines; an end is a position and a colour.
    fn lines<T: NoUninit>(&self, ends: &[T]) {
        if ends.is_empty() {
            return;
        }
        let gl = &self.gl;
        gl.use_program(Some(&self.line));
        fill(gl, Gl::ARRAY_BUFFER, &self.instances, ends);
        for (location, offset) in [(0, 0), (1, 16)] {
            attribute(gl, location, FLOATS, [32, offset], 0);
        }
        gl.draw_arrays(Gl::LINES, 0, ends.len() as i32);
    }

    /// Draws a mesh for each body of 48 bytes; `last` is the type of the last 16.
    fn bodies<T: NoUninit>(&self, program: &WebGlProgram, last: (i32, u32), bodies: &[T], mesh: &Mesh) {
        if bodies.is_empty() {
            return;
        }
        let gl = &self.gl;
        gl.use_program(Some(program));
        fill(gl, Gl::ARRAY_BUFFER, &self.instances, bodies);
        for (location, of, offset) in [(0, FLOATS, 0), (1, FLOATS, 16), (2, last, 32)] {
            attribute(gl, location, of, [48, offset], 1);
        }
        mesh.draw(gl, bodies.len());
    }
}

/// Compiles a program from a file, preceded by the `#define` in `which`.
fn variant(gl: &Gl, which: &str, text: &str) -> Result<WebGlProgram, String> {
    program(gl, &[which, include_str!("webgl/view.glsl"), text])
}

/// True if a bird in the middle of the picture is wide enough for its shape to be visible.
fn wide(uniform: &ViewUniform, camera: &Camera) -> bool {
    let [length, _, _, span] = uniform.boid;
    let middle = camera.target - Vec3::from_slice(&uniform.eye);
    length * span > DETAILED * uniform.eye[3] * middle.dot(camera.forward())
}

/// A mesh in buffers of the browser.
#[derive(Debug)]
struct Mesh {
    corners: WebGlBuffer,
    indices: WebGlBuffer,
    count: i32,
}

impl Mesh {
    fn new(gl: &Gl, shape: &Shape) -> Result<Self, String> {
        let (corners, indices) = (buffer(gl)?, buffer(gl)?);
        fill(gl, Gl::ARRAY_BUFFER, &corners, &shape.corners);
        fill(gl, Gl::ELEMENT_ARRAY_BUFFER, &indices, &shape.indices);
        Ok(Mesh { corners, indices, count: shape.indices.len() as i32 })
    }

    /// Draws the mesh once per instance, with the program in use.
    fn draw(&self, gl: &Gl, instances: usize) {
        gl.bind_buffer(Gl::ARRAY_BUFFER, Some(&self.corners));
        for (location, offset) in [(3, 0), (4, 16)] {
            attribute(gl, location, FLOATS, [32, offset], 0);
        }
        gl.bind_buffer(Gl::ELEMENT_ARRAY_BUFFER, Some(&self.indices));
        let instances = instances as i32;
        gl.draw_elements_instanced_with_i32(Gl::TRIANGLES, self.count, Gl::UNSIGNED_SHORT, 0, instances);
    }
}

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
pub fn fill<T: NoUninit>(gl: &Gl, target: u32, buffer: &WebGlBuffer, content: &[T]) {
    gl.bind_buffer(target, Some(buffer));
    gl.buffer_data_with_u8_array(target, cast_slice(content), Gl::DYNAMIC_DRAW);
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

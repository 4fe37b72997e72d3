//! The picture of a flock by WebGL2: the looks, bodies and lines of the scene, with boids from memory. Boids are instances of a
//! mesh; far birds are three triangles from a texture, drawn larger where they are small, and let more light through. There are
//! no trails, and the depth of a flock is not exposed.

use bytemuck::{NoUninit, bytes_of};
use glam::Vec3;
use js_sys::Float32Array;
use web_sys::{WebGl2RenderingContext as Gl, WebGlBuffer, WebGlProgram, WebGlTexture, WebGlUniformLocation};

use super::banks::since;
use super::coverage::Grid;
use super::mesh::{Near, Shape};
use super::things::Things;
use super::{Drawn, Look, ViewUniform};
use crate::view::camera::Camera;
use crate::view::frame::Boids;
use crate::view::webgl::{FLOATS, WORDS, attribute, buffer, fill, program, texture};

/// What the program of boids draws: constants of `boid.glsl`.
#[derive(Clone, Copy, Debug)]
enum Body {
    Cone,
    Bird,
    Falcon,
}

/// Birds at least so many pixels wide in the middle of the picture are meshes, others three triangles.
const DETAILED: f32 = 9.0;
/// Birds in a row of their texture.
const ROW: usize = 1024;

/// Draws flocks.
#[derive(Debug)]
pub struct Flock {
    gl: Gl,
    sky: WebGlProgram,
    boid: WebGlProgram,
    far: WebGlProgram,
    thing: WebGlProgram,
    line: WebGlProgram,
    /// Which [`Body`] is drawn.
    body: Option<WebGlUniformLocation>,
    view: WebGlBuffer,
    /// Positions, velocities and tags of boids; ends of lines and things in the first.
    instances: [WebGlBuffer; 3],
    /// Far birds.
    birds: WebGlTexture,
    /// By id: the level part of a bird's heading in the last picture, and the tangent of its roll to the left.
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
    /// What the browser says against it.
    pub fn new(gl: &Gl) -> Result<Self, String> {
        let variant = |which, text| program(gl, &[which, include_str!("webgl/view.glsl"), text]);
        let program = |text| variant("", text);
        let mesh = |shape: &Shape| Mesh::new(gl, shape);
        let boid = program(include_str!("webgl/boid.glsl"))?;
        Ok(Flock {
            gl: gl.clone(),
            sky: program(include_str!("webgl/sky.glsl"))?,
            thing: program(include_str!("webgl/thing.glsl"))?,
            line: program(include_str!("webgl/line.glsl"))?,
            body: gl.get_uniform_location(&boid, "body"),
            boid,
            far: variant("#define FAR\n", include_str!("webgl/boid.glsl"))?,
            view: buffer(gl)?,
            instances: [buffer(gl)?, buffer(gl)?, buffer(gl)?],
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

    /// Draws a flock over the whole of a viewport of so many pixels.
    pub fn draw(&mut self, drawn: &Drawn<'_, Boids>, camera: &Camera, look: &Look, size: [u32; 2]) {
        let banked = if look.banks(camera.flat) { self.banked(drawn) } else { Vec::new() };
        let gl = &self.gl;
        let grid = Grid { sides: size, block: 1, words: 2, units: 1.0, mesh_pixels: 0.0, most_meshes: 0 };
        let uniform = ViewUniform::new(camera, look, drawn, size, &grid, false);
        fill(gl, Gl::UNIFORM_BUFFER, &self.view, bytes_of(&uniform));
        gl.bind_buffer_base(Gl::UNIFORM_BUFFER, 0, Some(&self.view));
        gl.enable(Gl::BLEND);
        gl.blend_func(Gl::SRC_ALPHA, Gl::ONE_MINUS_SRC_ALPHA);
        gl.disable(Gl::DEPTH_TEST);
        gl.clear_depth(0.0);
        gl.clear(Gl::DEPTH_BUFFER_BIT);
        gl.use_program(Some(&self.sky));
        gl.draw_arrays(Gl::TRIANGLES, 0, 3);

        gl.enable(Gl::DEPTH_TEST);
        gl.depth_func(Gl::GEQUAL);
        let things = Things::new(drawn, camera, look, size[1]);
        self.things(&things.balls, &self.ball);
        if let Boids::Host { position, velocity, tag } = drawn.instances {
            match (camera.flat, look.dusk(camera.flat)) {
                (true, _) => self.boids(Body::Cone, &self.arrowhead, position, velocity, tag),
                (false, false) => self.boids(Body::Cone, &self.cone, position, velocity, tag),
                _ if wide(&uniform, camera) => self.boids(Body::Bird, &self.bird, &banked, velocity, tag),
                _ => self.far_birds(&banked, velocity, tag),
            }
        }
        self.things(&things.cones, &self.smooth_cone);
        self.falcons(&things.falcons);
        self.lines(&things.lines);
        gl.disable(Gl::DEPTH_TEST);
        self.things(&things.marks, &self.smooth_cone);
    }

    /// The positions of birds, with how far each rolls in its turn: as `bank_of` in `coverage.wgsl`.
    fn banked(&mut self, drawn: &Drawn<'_, Boids>) -> Vec<[f32; 4]> {
        let Boids::Host { position, velocity, tag } = drawn.instances else { return Vec::new() };
        if self.banks.len() != position.len() {
            (self.banks, self.last) = (vec![[0.0; 3]; position.len()], None);
        }
        let [left, added] = since(self.last.replace(drawn.step), drawn.step);
        let birds = position.iter().zip(velocity).zip(tag);
        let bank = |((place, velocity), [id, _]): ((&[f32; 4], &[f32; 4]), &[u32; 2])| {
            let heading = Vec3::from_slice(velocity).normalize_or_zero();
            let Some([x, y, bank]) = self.banks.get_mut(*id as usize) else { return *place };
            let turned = (*x * heading.y - *y * heading.x) / heading.truncate().length().max(0.1);
            (*x, *y, *bank) = (heading.x, heading.y, left * *bank + added * turned);
            [place[0], place[1], place[2], bank.clamp(-2.5, 2.5)]
        };
        birds.map(bank).collect()
    }

    fn boids(&self, body: Body, mesh: &Mesh, position: &[[f32; 4]], velocity: &[[f32; 4]], tag: &[[u32; 2]]) {
        if position.is_empty() {
            return;
        }
        let (gl, [first, second, third]) = (&self.gl, &self.instances);
        gl.use_program(Some(&self.boid));
        gl.uniform1i(self.body.as_ref(), body as i32);
        // What lets light through hides nothing.
        gl.depth_mask(!matches!(body, Body::Bird));
        fill(gl, Gl::ARRAY_BUFFER, first, position);
        attribute(gl, 0, FLOATS, [16, 0], 1);
        fill(gl, Gl::ARRAY_BUFFER, second, velocity);
        attribute(gl, 1, FLOATS, [16, 0], 1);
        fill(gl, Gl::ARRAY_BUFFER, third, tag);
        attribute(gl, 2, WORDS, [8, 0], 1);
        mesh.draw(gl, position.len());
        gl.depth_mask(true);
    }

    fn far_birds(&self, banked: &[[f32; 4]], velocity: &[[f32; 4]], tag: &[[u32; 2]]) {
        let (gl, rows) = (&self.gl, banked.len().div_ceil(ROW));
        let mut texels = Vec::with_capacity(8 * ROW * rows);
        for ((place, [x, y, z, perceived]), [id, _]) in banked.iter().zip(velocity).zip(tag) {
            let id = *id as f32;
            texels.extend(place);
            texels.extend([*x, *y, *z, if *perceived < 0.0 { -1.0 - id } else { id }]);
        }
        texels.resize(8 * ROW * rows, 0.0);
        gl.use_program(Some(&self.far));
        gl.bind_texture(Gl::TEXTURE_2D, Some(&self.birds));
        // A lost context takes nothing.
        let _ = gl.tex_image_2d_with_i32_and_i32_and_i32_and_format_and_type_and_opt_array_buffer_view(
            Gl::TEXTURE_2D,
            0,
            Gl::RGBA32F as i32,
            2 * ROW as i32,
            rows as i32,
            0,
            Gl::RGBA,
            Gl::FLOAT,
            Some(&Float32Array::from(&texels[..])),
        );
        gl.depth_mask(false);
        gl.draw_arrays(Gl::TRIANGLES, 0, 9 * banked.len() as i32);
        gl.depth_mask(true);
    }

    fn falcons(&self, falcons: &[Near]) {
        let position: Vec<_> = falcons.iter().map(|falcon| falcon.position).collect();
        let velocity: Vec<_> = falcons.iter().map(|falcon| falcon.velocity).collect();
        let tag: Vec<_> = falcons.iter().map(|falcon| [falcon.tag[0], falcon.tag[1]]).collect();
        self.boids(Body::Falcon, &self.bird, &position, &velocity, &tag);
    }

    /// Draws lines; an end is a place and a colour.
    fn lines<T: NoUninit>(&self, ends: &[T]) {
        if ends.is_empty() {
            return;
        }
        let gl = &self.gl;
        gl.use_program(Some(&self.line));
        fill(gl, Gl::ARRAY_BUFFER, &self.instances[0], ends);
        for (location, offset) in [(0, 0), (1, 16)] {
            attribute(gl, location, FLOATS, [32, offset], 0);
        }
        gl.draw_arrays(Gl::LINES, 0, ends.len() as i32);
    }

    /// Draws a mesh for each of these bodies: a place, a heading and a colour.
    fn things<T: NoUninit>(&self, things: &[T], mesh: &Mesh) {
        if things.is_empty() {
            return;
        }
        let gl = &self.gl;
        gl.use_program(Some(&self.thing));
        fill(gl, Gl::ARRAY_BUFFER, &self.instances[0], things);
        for (location, offset) in [(0, 0), (1, 16), (2, 32)] {
            attribute(gl, location, FLOATS, [48, offset], 1);
        }
        mesh.draw(gl, things.len());
    }
}

/// True if a bird in the middle of the picture is so wide that its shape is seen.
fn wide(uniform: &ViewUniform, camera: &Camera) -> bool {
    let [length, _, _, span] = uniform.boid;
    let middle = camera.target - Vec3::from_slice(&uniform.eye);
    length * span > DETAILED * uniform.eye[3] * middle.dot(camera.forward())
}

/// A shape in the browser's memory.
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

    /// Draws the mesh for each instance of the program in use.
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

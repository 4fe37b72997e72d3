//! The meshes. Cones point along x, with length and width 1 before scaling; each instance sets width over length.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

use super::resources::filled;
use gpu::Gpu;

/// A boid that is drawn as a mesh. Twin of the struct in `shaders/view/coverage.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Near {
    pub position: [f32; 4],
    pub velocity: [f32; 4],
    pub tag: [u32; 4],
}

/// One body: a cone (centre, length) or a ball (centre, radius).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Thing {
    pub place: [f32; 4],
    pub heading: [f32; 4],
    colour: [f32; 4],
}

/// An end of a line; the fourth component of its position is 0 if boids are drawn in front of it, else 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct LineEnd {
    pub place: [f32; 4],
    pub colour: [f32; 4],
}

impl LineEnd {
    /// Both ends of a line.
    pub fn pair(from: Vec3, to: Vec3, before: f32, colour: [f32; 4]) -> [Self; 2] {
        [from, to].map(|at| LineEnd { place: at.extend(before).to_array(), colour })
    }
}

/// A point from 64-bit coordinates.
pub(super) fn point(of: [f64; 3]) -> Vec3 {
    DVec3::from(of).as_vec3()
}

/// A body at a point.
pub(super) fn thing(at: Vec3, size: f32, heading: Vec3, width: f32, colour: [f32; 4]) -> Thing {
    Thing { place: at.extend(size).to_array(), heading: heading.extend(width).to_array(), colour }
}

/// A vertex; the fourth components are not used.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Corner {
    pub place: [f32; 4],
    pub normal: [f32; 4],
}

/// Triangles over shared corners.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub corners: Vec<Corner>,
    pub indices: Vec<u16>,
}

/// The x coordinates of tip and tail.
pub(super) const TIP: f32 = 0.58;
pub(super) const TAIL: f32 = -0.42;

impl Shape {
    fn corner(&mut self, place: Vec3, normal: Vec3) -> u16 {
        self.corners.push(Corner {
            place: place.extend(0.0).to_array(),
            normal: normal.normalize().extend(0.0).to_array(),
        });
        (self.corners.len() - 1) as u16
    }

    fn triangle(&mut self, corners: [Vec3; 3], normal: Vec3) {
        for corner in corners {
            let index = self.corner(corner, normal);
            self.indices.push(index);
        }
    }

    /// A closed round cone with this number of sides. Normals are those of a cone three times as long as wide.
    pub fn cone(sides: u16) -> Self {
        let mut shape = Shape::default();
        let around = |k: u16| {
            let angle = std::f32::consts::TAU * (f32::from(k) + 0.5) / f32::from(sides);
            Vec3::new(0.0, angle.cos(), angle.sin())
        };
        let tip = shape.corner(Vec3::X * TIP, Vec3::X);
        let tail = shape.corner(Vec3::X * TAIL, -Vec3::X);
        for k in 0..sides {
            shape.corner(Vec3::X * TAIL + 0.5 * around(k), around(k) + Vec3::X * 0.17);
        }
        for k in 0..sides {
            let (a, b) = (2 + k, 2 + (k + 1) % sides);
            shape.indices.extend([tip, a, b, tail, b, a]);
        }
        shape
    }

    /// A paper dart in the plane, folded along its middle so that light distinguishes its wings.
    pub fn arrowhead() -> Self {
        let mut shape = Shape::default();
        let notch = Vec3::X * (TAIL + 0.2);
        for wing in [-1.0_f32, 1.0] {
            let normal = Vec3::new(0.0, 0.34 * wing, 1.0);
            let outer = Vec3::new(TAIL, 0.5 * wing, 0.0);
            // The front of both wings is above, towards -z.
            let [second, third] = if wing > 0.0 { [outer, notch] } else { [notch, outer] };
            shape.triangle([Vec3::X * TIP, second, third], normal);
        }
        shape
    }

    /// A bird with wings of span 1 across the body, which `bird_vertex` raises; seen from both sides.
    pub fn bird() -> Self {
        let mut shape = Shape::default();
        let mut triangle = |corners: [[f32; 3]; 3]| shape.triangle(corners.map(Vec3::from), Vec3::Z);
        for side in [-1.0_f32, 1.0] {
            let [wrist, tip, root] = [[0.10, 0.22 * side, 0.0], [-0.10, 0.5 * side, 0.0], [0.11, 0.0, 0.0]];
            let [elbow, rear] = [[-0.09, 0.20 * side, 0.0], [-0.10, 0.0, 0.0]];
            triangle([root, wrist, elbow]);
            triangle([root, elbow, rear]);
            triangle([wrist, tip, elbow]);
            // The body tapers to the bill, and ends in a tail.
            triangle([[0.27, 0.0, -0.01], [0.08, 0.045 * side, 0.0], [0.08, 0.0, -0.03]]);
            triangle([[0.08, 0.045 * side, 0.0], [-0.16, 0.02 * side, 0.0], [0.08, 0.0, -0.03]]);
            triangle([[-0.10, 0.0, 0.0], [-0.30, 0.065 * side, 0.0], [-0.27, 0.0, 0.0]]);
            triangle([[0.08, 0.0, -0.03], [-0.16, 0.02 * side, 0.0], [-0.10, 0.0, 0.0]]);
        }
        shape
    }

    /// A ball of radius 1, in rings from pole to pole.
    pub fn ball() -> Self {
        const RINGS: u16 = 20;
        const SECTORS: u16 = 40;
        let mut shape = Shape::default();
        for ring in 0..=RINGS {
            let (sin, cos) = (std::f32::consts::PI * f32::from(ring) / f32::from(RINGS)).sin_cos();
            for sector in 0..SECTORS {
                let angle = std::f32::consts::TAU * f32::from(sector) / f32::from(SECTORS);
                let out = Vec3::new(sin * angle.cos(), sin * angle.sin(), cos);
                shape.corner(out, out);
            }
        }
        for ring in 0..RINGS {
            for sector in 0..SECTORS {
                let next = (sector + 1) % SECTORS;
                let [a, b] = [sector, next].map(|s| ring * SECTORS + s);
                let [c, d] = [a, b].map(|corner| corner + SECTORS);
                // At the poles one of the two triangles has no area.
                if ring > 0 {
                    shape.indices.extend([a, c, b]);
                }
                if ring < RINGS - 1 {
                    shape.indices.extend([b, c, d]);
                }
            }
        }
        shape
    }
}

/// A shape on the GPU.
#[derive(Debug)]
pub(super) struct Mesh {
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// Number of indices.
    pub count: u32,
}

impl Mesh {
    pub fn new(gpu: &Gpu, shape: &Shape) -> Self {
        Mesh {
            corners: filled(gpu, "corners", &shape.corners, wgpu::BufferUsages::VERTEX),
            indices: filled(gpu, "indices", &shape.indices, wgpu::BufferUsages::INDEX),
            count: shape.indices.len() as u32,
        }
    }

    /// Sets this mesh for the following draws; the vertex buffer before it holds the instances.
    pub fn set(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_vertex_buffer(1, self.corners.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint16);
    }
}

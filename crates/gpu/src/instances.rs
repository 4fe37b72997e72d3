//! The flock in the layout of the drawing passes: three buffers with one entry per boid, in any order.

use flock::Boid;

/// The buffers of a flock, for vertices and storage. Clones share the buffers.
#[derive(Clone, Debug)]
pub struct Instances {
    /// `[f32; 4]` per boid: x, y, z, bias.
    pub position: wgpu::Buffer,
    /// `[f32; 4]` per boid: x, y, z, then −1 at rest, else the number of neighbours perceived in the last step.
    pub velocity: wgpu::Buffer,
    /// `[u32; 2]` per boid: id, [`Boid::tag`].
    pub tag: wgpu::Buffer,
    /// Number of boids.
    pub count: u32,
}

/// A boid's entries in the three buffers.
pub fn entry(id: u32, boid: &Boid<f64>) -> ([f32; 4], [f32; 4], [u32; 2]) {
    let [x, y, z] = boid.position.map(|c| c as f32);
    let [vx, vy, vz] = boid.velocity.map(|c| c as f32);
    let neighbours = if boid.resting() { -1.0 } else { 0.0 };
    ([x, y, z, boid.bias as f32], [vx, vy, vz, neighbours], [id, boid.tag()])
}

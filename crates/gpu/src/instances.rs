//! The flock as a drawing pass reads it: three buffers with one entry per boid, in any order.

use flock::Boid;

/// The buffers of a flock, for vertices and storage. Clones share the buffers.
#[derive(Clone, Debug)]
pub struct Instances {
    /// `[f32; 4]` a boid: x, y, z, bias.
    pub position: wgpu::Buffer,
    /// `[f32; 4]` a boid: x, y, z, then −1 while it rests, else the number of others perceived at its last step.
    pub velocity: wgpu::Buffer,
    /// `[u32; 2]` a boid: id, [`Boid::tag`].
    pub tag: wgpu::Buffer,
    /// Number of boids.
    pub count: u32,
}

/// A boid as the three buffers hold it.
pub fn entry(id: u32, boid: &Boid<f64>) -> ([f32; 4], [f32; 4], [u32; 2]) {
    let [x, y, z] = boid.position.map(|c| c as f32);
    let [vx, vy, vz] = boid.velocity.map(|c| c as f32);
    let neighbours = if boid.resting() { -1.0 } else { 0.0 };
    ([x, y, z, boid.bias as f32], [vx, vy, vz, neighbours], [id, boid.tag()])
}

//! The boids of a picture, where an engine has them.

use gpu::instances::Instances;

/// The boids of a picture.
#[derive(Debug)]
pub enum Boids {
    /// In the engine's own buffers on the GPU, from which the picture is drawn.
    Device(Instances),
    /// In memory, from the CPU engine, to be uploaded.
    Host { position: Vec<[f32; 4]>, velocity: Vec<[f32; 4]>, tag: Vec<[u32; 2]> },
}

impl Boids {
    /// How many there are.
    pub fn count(&self) -> u32 {
        match self {
            Boids::Device(instances) => instances.count,
            Boids::Host { position, .. } => u32::try_from(position.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Default for Boids {
    fn default() -> Self {
        Boids::Host { position: Vec::new(), velocity: Vec::new(), tag: Vec::new() }
    }
}

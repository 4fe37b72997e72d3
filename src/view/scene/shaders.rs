//! The drawing shaders, and what they read besides vertices.

use bytemuck::{Pod, Zeroable};

/// The shader of this name: these files of `shaders/view/`, one after the other.
macro_rules! shader {
    ($name:literal: $($part:literal),*) => {
        (
            concat!("view/", $name),
            concat!($(include_str!(concat!("../../../shaders/view/", $part, ".wgsl"))),*),
        )
    };
}

/// The drawing shaders as they are compiled: name and text. The last two are for devices that cannot compute coverage.
pub const SHADERS: [(&str, &str); 8] = [
    shader!("sky": "common", "boid", "sky"),
    shader!("compose": "common", "boid", "ink", "compose"),
    shader!("things": "common", "boid", "ink", "things"),
    shader!("boids": "common", "boid", "boids"),
    shader!("coverage": "common", "boid", "coverage"),
    shader!("trails": "common", "boid", "ink", "trails"),
    shader!("compose without coverage": "common", "boid", "no_ink", "compose"),
    shader!("things without coverage": "common", "boid", "no_ink", "things"),
];

/// The text of a drawing shader.
pub(super) fn module(device: &wgpu::Device, name: &str) -> wgpu::ShaderModule {
    let text = SHADERS.iter().find(|(known, _)| known.strip_prefix("view/") == Some(name));
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(name),
        source: wgpu::ShaderSource::Wgsl(text.map_or("", |(_, text)| text).into()),
    })
}

/// A boid that is drawn as a mesh. Twin of the struct in `shaders/view/coverage.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Near {
    pub position: [f32; 4],
    pub velocity: [f32; 4],
    pub tag: [u32; 4],
}

/// A buffer that drawing shaders read.
pub(super) fn entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BufferBindingType,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// A texture that fragment shaders read, texel by texel.
pub(super) fn texture_entry(
    binding: u32,
    sample_type: wgpu::TextureSampleType,
) -> wgpu::BindGroupLayoutEntry {
    let view_dimension = wgpu::TextureViewDimension::D2;
    let ty = wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None }
}

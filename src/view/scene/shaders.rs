//! The drawing shaders, and what they read besides vertices.

use bytemuck::{Pod, Zeroable};

/// The drawing shaders as they are compiled: the name, and files of `shaders/view/`, one after the other. The last two are for
/// devices that cannot compute coverage.
pub const SHADERS: [(&str, &[&str]); 8] = [
    ("view/sky", &["common", "boid", "sky"]),
    ("view/compose", &["common", "boid", "ink", "compose"]),
    ("view/things", &["common", "boid", "ink", "things"]),
    ("view/boids", &["common", "boid", "boids"]),
    ("view/coverage", &["common", "boid", "coverage"]),
    ("view/trails", &["common", "boid", "ink", "trails"]),
    ("view/compose without coverage", &["common", "boid", "no_ink", "compose"]),
    ("view/things without coverage", &["common", "boid", "no_ink", "things"]),
];

/// The text of a drawing shader.
#[must_use]
pub fn source(parts: &[&str]) -> String {
    let text = |part: &&str| {
        let is =
            |name: &str| name.strip_prefix("view/").and_then(|name| name.strip_suffix(".wgsl")) == Some(part);
        ::shaders::FILES.iter().find(|(name, _)| is(name)).map_or("", |(_, text)| text)
    };
    parts.iter().map(text).collect()
}

/// Compiles a drawing shader.
pub(super) fn module(device: &wgpu::Device, name: &str) -> wgpu::ShaderModule {
    let parts = SHADERS
        .iter()
        .find(|(known, _)| known.strip_prefix("view/") == Some(name))
        .map_or(&[][..], |(_, parts)| parts);
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(name),
        source: wgpu::ShaderSource::Wgsl(source(parts).into()),
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

//! The textures besides the target: colour with several samples a pixel, and depth.

use super::pipelines::DEPTH_FORMAT;

/// Kept from picture to picture, and recreated when the size changes.
#[derive(Debug)]
pub(super) struct Targets {
    pub size: [u32; 2],
    /// `None` where a pixel has one sample: then the scene draws on the target itself.
    pub colour: Option<wgpu::TextureView>,
    pub depth: wgpu::TextureView,
}

impl Targets {
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat, samples: u32, size: [u32; 2]) -> Self {
        let texture = |label, format| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Targets {
            size,
            colour: (samples > 1).then(|| texture("samples", format)),
            depth: texture("depth", DEPTH_FORMAT),
        }
    }
}

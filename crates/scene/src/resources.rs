//! Textures and buffers of the drawing passes.

use bytemuck::Pod;
use wgpu::{Buffer, BufferUsages, Color, CommandEncoder, Device, LoadOp, RenderPass, Texture, TextureFormat};

use gpu::Gpu;

/// Depth is reversed: 1 near, 0 infinitely far.
pub(super) const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;
/// Square roots of linear light: 10 bits suffice where they are dithered to 8.
pub(super) const BACKDROP_FORMAT: TextureFormat = TextureFormat::Rgb10a2Unorm;
pub(super) const DEPTHS_FORMAT: TextureFormat = TextureFormat::R16Float;
/// Four tiles per texel.
pub(super) const GAINS_FORMAT: TextureFormat = TextureFormat::Rgba16Float;
pub(super) const TRAILS_FORMAT: TextureFormat = TextureFormat::Rgba16Float;

/// A texture of one level, each side at least 1 pixel.
pub fn texture(
    device: &Device,
    label: &str,
    [width, height]: [u32; 2],
    sample_count: u32,
    format: TextureFormat,
    usage: wgpu::TextureUsages,
) -> Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// A texture that is a render target and is read by shaders.
pub fn canvas(device: &Device, format: TextureFormat, size: [u32; 2]) -> Texture {
    use wgpu::TextureUsages as Usages;
    let usage = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING | Usages::COPY_SRC;
    texture(device, "picture", size, 1, format, usage)
}

/// A view of the whole texture.
pub fn view_of(texture: &Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

pub(super) fn buffer(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Buffer {
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// A buffer with these contents, written by the queue: wgpu panics on mapping a buffer of a device that was just lost.
pub(super) fn filled<T: Pod>(gpu: &Gpu, label: &str, contents: &[T], usage: BufferUsages) -> Buffer {
    let size = size_of_val(contents) as u64;
    let buffer = buffer(&gpu.device, label, size, usage | BufferUsages::COPY_DST);
    gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(contents));
    buffer
}

/// Clears the target to black.
pub const BLACK: LoadOp<Color> = LoadOp::Clear(Color::BLACK);

/// Begins a render pass on these textures.
pub fn begin_pass<'a>(
    encoder: &'a mut CommandEncoder,
    name: &str,
    targets: &[&Texture],
    load: LoadOp<Color>,
) -> RenderPass<'a> {
    let views: Vec<_> = targets.iter().map(|texture| view_of(texture)).collect();
    let attachment = |view| {
        let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
        Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
    };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(name),
        color_attachments: &views.iter().map(attachment).collect::<Vec<_>>(),
        ..wgpu::RenderPassDescriptor::default()
    })
}

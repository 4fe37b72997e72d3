//! Pictures without a window: drawn on a texture, and read back if wanted.

use super::camera::Camera;
use super::scene::{Drawn, Look, Scene};
use super::texture::plain;
use cpu::engine::EngineError;
use gpu::{Gpu, readback};

/// A picture of fixed size that is drawn repeatedly.
#[derive(Debug)]
pub struct Offscreen {
    gpu: Gpu,
    scene: Scene,
    size: [u32; 2],
    texture: wgpu::Texture,
    read_back: wgpu::Buffer,
    /// Bytes from row to row in the buffer: a copy requires a multiple of 256.
    row: u32,
}

/// The format of films and PNG: sRGB, 8 bits, red first.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

impl Offscreen {
    /// A picture of so many pixels, each side at least 1, with smooth edges.
    ///
    /// # Errors
    /// When the device cannot hold it.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Result<Self, EngineError> {
        Self::with_smoothing(gpu, size, true)
    }

    /// The same with smooth edges or, which is faster, without.
    ///
    /// # Errors
    /// When the device cannot hold it.
    pub fn with_smoothing(gpu: &Gpu, size: [u32; 2], smooth: bool) -> Result<Self, EngineError> {
        let [width, height] = size;
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let read_back = readback::staging(gpu, u64::from(row) * u64::from(height))?;
        let (scene, texture) = gpu.create(|device| {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
            let texture = plain(device, "picture", size, FORMAT, usage);
            (Scene::new(gpu, FORMAT, smooth), texture)
        })?;
        Ok(Offscreen { gpu: gpu.clone(), scene, size, texture, read_back, row })
    }

    /// Width over height.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    /// Draws a flock and returns the picture: 4 bytes a pixel (red, green, blue, 255) in sRGB, row by row from the
    /// top.
    ///
    /// # Errors
    /// When the device fails.
    pub fn draw(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) -> Result<Vec<u8>, EngineError> {
        self.begin(drawn, camera, look);
        self.read()
    }

    /// Draws a flock; [`Offscreen::read`] returns the picture.
    pub fn begin(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) {
        let mut encoder = self.record(drawn, camera, look);
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.read_back,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.row),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// True if it draws boids where they were: see [`Drawn::shift`].
    #[must_use]
    pub fn shifts(&self) -> bool {
        self.scene.shifts()
    }

    /// Draws a flock without reading the picture back or waiting for it.
    pub fn paint(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) {
        let encoder = self.record(drawn, camera, look);
        self.gpu.queue.submit([encoder.finish()]);
    }

    fn record(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) -> wgpu::CommandEncoder {
        let label = wgpu::CommandEncoderDescriptor { label: Some("picture") };
        let mut encoder = self.gpu.device.create_command_encoder(&label);
        let view = self.texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.scene.draw(&mut encoder, &view, self.size, drawn, camera, look);
        encoder
    }

    /// The pixels of the picture that was begun last, as [`Offscreen::draw`] returns them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self) -> Result<Vec<u8>, EngineError> {
        let used = self.size[0] as usize * 4;
        let mut pixels = Vec::with_capacity(used * self.size[1] as usize);
        readback::mapped(&self.gpu, &self.read_back, |bytes| {
            for row in bytes.chunks_exact(self.row as usize) {
                pixels.extend_from_slice(&row[..used]);
            }
        })?;
        Ok(pixels)
    }
}

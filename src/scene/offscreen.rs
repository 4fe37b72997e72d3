//! Pictures without a window: drawn on a texture, and read back if wanted.

use super::{Camera, Drawn, Look, Near, Scene, ViewUniform, texture, view_of};
use cpu::engine::EngineError;
use gpu::{Gpu, readback};

/// A texture on which a flock is drawn again and again.
#[derive(Debug)]
pub struct Canvas {
    gpu: Gpu,
    scene: Scene,
    pub texture: wgpu::Texture,
    /// True if edges are smooth.
    pub smooth: bool,
}

impl Canvas {
    /// A canvas of so many pixels, each side at least 1.
    ///
    /// # Errors
    /// When the device cannot hold it.
    pub fn new(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        size: [u32; 2],
        smooth: bool,
    ) -> Result<Self, EngineError> {
        let scene = gpu.create(|_| Scene::new(gpu, format, smooth))?;
        let texture = gpu.create(|device| canvas(device, format, size))?;
        Ok(Canvas { gpu: gpu.clone(), scene, texture, smooth })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.texture.width(), self.texture.height()]
    }

    /// Gives it another size; it is empty then.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.texture = canvas(&self.gpu.device, self.texture.format(), size);
    }

    /// Records the drawing of a flock.
    fn record(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) -> wgpu::CommandEncoder {
        let label = wgpu::CommandEncoderDescriptor { label: Some("picture") };
        let mut encoder = self.gpu.device.create_command_encoder(&label);
        let (view, size) = (view_of(&self.texture), self.size());
        self.scene.draw(&mut encoder, &view, size, drawn, camera, look);
        encoder
    }

    /// Draws a flock.
    pub fn paint(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) {
        let encoder = self.record(drawn, camera, look);
        self.gpu.queue.submit([encoder.finish()]);
    }
}

/// A texture that is drawn on, and read.
pub fn canvas(device: &wgpu::Device, format: wgpu::TextureFormat, size: [u32; 2]) -> wgpu::Texture {
    use wgpu::TextureUsages as Usages;
    let usage = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING | Usages::COPY_SRC;
    texture(device, "picture", size, 1, format, usage)
}

/// A picture of fixed size that is drawn repeatedly.
#[derive(Debug)]
pub struct Offscreen {
    canvas: Canvas,
    read_back: wgpu::Buffer,
    /// Bytes from row to row in the buffer: a copy requires a multiple of 256.
    row: u32,
}

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
        let row = (size[0] * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let read_back = readback::staging(gpu, u64::from(row) * u64::from(size[1]))?;
        // The format of films and PNG: sRGB, 8 bits, red first.
        let canvas = Canvas::new(gpu, wgpu::TextureFormat::Rgba8UnormSrgb, size, smooth)?;
        Ok(Offscreen { canvas, read_back, row })
    }

    /// Width over height.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        let [width, height] = self.canvas.size();
        width as f32 / height as f32
    }

    /// True if it draws boids where they were: see [`Drawn::shift`].
    #[must_use]
    pub fn shifts(&self) -> bool {
        self.canvas.scene.shifts()
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

    /// The same of a flock whose parts are covered elsewhere: for a uniform and the number of the coverage's integers `cover`
    /// returns their sums over all parts, and the boids that are drawn as meshes. Of `drawn.instances` only the number counts.
    ///
    /// # Errors
    /// When the device fails or `cover` does, and where it gives other than what the picture needs.
    pub fn draw_parts(
        &mut self,
        drawn: &Drawn<'_>,
        camera: &Camera,
        look: &Look,
        cover: impl FnOnce(&ViewUniform, usize) -> Result<(Vec<u32>, Vec<Near>), EngineError>,
    ) -> Result<Vec<u8>, EngineError> {
        let Canvas { gpu, scene, texture, .. } = &mut self.canvas;
        let shot = scene.shot([texture.width(), texture.height()], drawn, camera, look);
        let (length, most) = (shot.length(), shot.most_meshes());
        let (sums, near) = cover(&shot.uniform, length)?;
        if sums.len() != length || near.len() > most {
            let found = format!("{} boids so near that they are meshes", near.len());
            return Err(gpu.error(format!("{found}: allowed are {most} where ranks draw")));
        }
        let mut encoder = gpu.encoder();
        scene.draw_covered(&mut encoder, &view_of(texture), &shot, (&sums, &near));
        self.copy(encoder);
        self.read()
    }

    /// Draws a flock without reading the picture back or waiting for it.
    pub fn paint(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) {
        self.canvas.paint(drawn, camera, look);
    }

    /// Draws a flock; [`Offscreen::read`] returns the picture.
    pub fn begin(&mut self, drawn: &Drawn<'_>, camera: &Camera, look: &Look) {
        let encoder = self.canvas.record(drawn, camera, look);
        self.copy(encoder);
    }

    /// Submits the drawing of a picture, and its copy to the buffer that is read.
    fn copy(&self, mut encoder: wgpu::CommandEncoder) {
        let (bytes_per_row, texture) = (Some(self.row), &self.canvas.texture);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &self.read_back, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.canvas.gpu.queue.submit([encoder.finish()]);
    }

    /// The pixels of the picture that was begun last, as [`Offscreen::draw`] returns them.
    pub fn read(&self) -> Result<Vec<u8>, EngineError> {
        let used = self.canvas.size()[0] as usize * 4;
        let mut pixels = Vec::with_capacity(used * self.canvas.size()[1] as usize);
        readback::mapped(&self.canvas.gpu, &self.read_back, |bytes| {
            for row in bytes.chunks_exact(self.row as usize) {
                pixels.extend_from_slice(&row[..used]);
            }
        })?;
        Ok(pixels)
    }
}

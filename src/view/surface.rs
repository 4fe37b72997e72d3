//! The window's surface: configured to its size, and brought back when it is lost.

use std::sync::Arc;

use winit::window::Window;

use crate::engine::EngineError;
use crate::gpu::Gpu;

/// What became of a frame's texture.
#[derive(Debug)]
pub enum Acquired {
    /// Draw on it; with `true`, the surface wants to be configured after it was presented.
    Texture(wgpu::SurfaceTexture, bool),
    /// There is nothing to draw on now; try again at the next occasion.
    Nothing,
    /// The surface was put right; try again soon.
    Again,
}

/// A window that can be drawn on.
#[derive(Debug)]
pub struct Screen {
    // Before the window, which it borrows from the system.
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    pub window: Arc<Window>,
}

impl Screen {
    /// Prepares a window's surface on an opened GPU.
    ///
    /// # Errors
    /// When the GPU cannot draw on it.
    pub fn new(gpu: &Gpu, surface: wgpu::Surface<'static>, window: Arc<Window>) -> Result<Self, EngineError> {
        let unfit = || gpu.error("cannot draw on this window");
        let mut config = surface.get_default_config(&gpu.adapter, 1, 1).ok_or_else(unfit)?;
        let can = surface.get_capabilities(&gpu.adapter);
        // Where the flock's picture can be copied to the screen, egui need not paint it pixel by pixel.
        config.usage |= can.usages & wgpu::TextureUsages::COPY_DST;
        // The panel's colours are mixed in the screen's own numbers, so a format that does not convert is wanted.
        if let Some(format) = can.formats.into_iter().find(|format| {
            matches!(format, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm)
        }) {
            config.format = format;
        }
        config.present_mode = wgpu::PresentMode::AutoVsync;
        config.alpha_mode = wgpu::CompositeAlphaMode::Auto;
        let mut screen = Screen { surface, config, window };
        screen.resize(gpu);
        Ok(screen)
    }

    /// The format of its textures.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Whether textures of its format can be copied to it.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        self.config.usage.contains(wgpu::TextureUsages::COPY_DST)
    }

    /// Whether there is anything to see: a minimised window has no size.
    #[must_use]
    pub fn visible(&self) -> bool {
        let size = self.window.inner_size();
        size.width > 0 && size.height > 0
    }

    /// Fits the surface to the window; does nothing while that has no size.
    pub fn resize(&mut self, gpu: &Gpu) {
        if !self.visible() {
            return;
        }
        let (size, most) = (self.window.inner_size(), gpu.limits.max_texture_dimension_2d);
        (self.config.width, self.config.height) = (size.width.min(most), size.height.min(most));
        self.surface.configure(&gpu.device, &self.config);
    }

    /// A texture for the next frame.
    ///
    /// # Errors
    /// When a lost surface cannot be made again.
    pub fn acquire(&mut self, gpu: &Gpu) -> Result<Acquired, EngineError> {
        use wgpu::CurrentSurfaceTexture as Current;
        if !self.visible() {
            return Ok(Acquired::Nothing);
        }
        Ok(match self.surface.get_current_texture() {
            Current::Success(texture) => Acquired::Texture(texture, false),
            Current::Suboptimal(texture) => Acquired::Texture(texture, true),
            Current::Timeout | Current::Occluded => Acquired::Nothing,
            Current::Outdated => {
                self.resize(gpu);
                Acquired::Again
            }
            Current::Lost => {
                self.surface = gpu
                    .instance
                    .create_surface(Arc::clone(&self.window))
                    .map_err(|error| gpu.error(format!("the window's surface was lost: {error}")))?;
                self.resize(gpu);
                Acquired::Again
            }
            // The error itself comes through the device; the next configuration may help.
            Current::Validation => {
                self.resize(gpu);
                Acquired::Nothing
            }
        })
    }
}

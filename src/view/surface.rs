//! The window's surface: configured to its size, and recreated when it is lost.

use std::sync::Arc;

use winit::window::Window;

use cpu::contained::contain;
use cpu::engine::EngineError;
use gpu::Gpu;

/// The result of asking for a frame's texture.
#[derive(Debug)]
pub enum Acquired {
    /// Draw on it; with `true`, the surface must be configured again after it was presented.
    Texture(wgpu::SurfaceTexture, bool),
    /// There is nothing to draw on now; try again later.
    Nothing,
    /// The surface was configured again; try again at once.
    Again,
}

/// A window that can be drawn on.
#[derive(Debug)]
pub struct Screen {
    // Dropped before the window that it belongs to.
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// True if the last configuration held. A surface that is lost meanwhile refuses it.
    configured: bool,
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
        // Copying the flock's picture to the screen is cheaper than drawing it with egui.
        config.usage |= can.usages & wgpu::TextureUsages::COPY_DST;
        // egui blends colours as sRGB values, so the format must not convert them.
        if let Some(format) = can.formats.into_iter().find(|format| {
            matches!(format, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm)
        }) {
            config.format = format;
        }
        config.present_mode = wgpu::PresentMode::AutoVsync;
        config.alpha_mode = wgpu::CompositeAlphaMode::Auto;
        let mut screen = Screen { surface, config, configured: false, window };
        screen.resize(gpu);
        Ok(screen)
    }

    /// The format of its textures.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// True if textures of its format can be copied to it.
    pub fn takes_copies(&self) -> bool {
        self.config.usage.contains(wgpu::TextureUsages::COPY_DST)
    }

    /// True if the window has a size: a minimised one has none.
    pub fn visible(&self) -> bool {
        let size = self.window.inner_size();
        size.width > 0 && size.height > 0
    }

    /// Configures the surface to the window's size; does nothing while that is zero.
    pub fn resize(&mut self, gpu: &Gpu) {
        if !self.visible() {
            return;
        }
        let (size, most) = (self.window.inner_size(), gpu.limits.max_texture_dimension_2d);
        (self.config.width, self.config.height) = (size.width.min(most), size.height.min(most));
        let done = gpu.create(|device| self.surface.configure(device, &self.config));
        self.configured = done.is_ok();
        if let Err(error) = done {
            // It is made anew for a later frame; a lost device is reported where it is asked for.
            log::warn!("the window's surface: {error}");
        }
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
        // wgpu panics at a surface that is not configured.
        let given = if self.configured { contain(|| self.surface.get_current_texture()) } else { None };
        let refused = match given.unwrap_or(Current::Validation) {
            Current::Success(texture) => return Ok(Acquired::Texture(texture, false)),
            Current::Suboptimal(texture) => return Ok(Acquired::Texture(texture, true)),
            refused => refused,
        };
        let remedy = remedy(&refused);
        if remedy.create {
            self.surface = gpu
                .instance
                .create_surface(Arc::clone(&self.window))
                .map_err(|error| gpu.error(format!("the window's surface was lost: {error}")))?;
        }
        if remedy.configure {
            self.resize(gpu);
        }
        Ok(if remedy.again && self.configured { Acquired::Again } else { Acquired::Nothing })
    }
}

/// What is to be done for a surface that has no texture to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remedy {
    /// Create the surface anew.
    create: bool,
    /// Configure it.
    configure: bool,
    /// Ask again at once, else later.
    again: bool,
}

fn remedy(refused: &wgpu::CurrentSurfaceTexture) -> Remedy {
    use wgpu::CurrentSurfaceTexture as Current;
    let (create, configure, again) = match refused {
        Current::Success(_) | Current::Suboptimal(_) => (false, false, true),
        Current::Timeout | Current::Occluded => (false, false, false),
        Current::Outdated => (false, true, true),
        Current::Lost => (true, true, true),
        // It could not be configured, as one cannot that was lost meanwhile.
        Current::Validation => (true, true, false),
    };
    Remedy { create, configure, again }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_remedy() {
        use wgpu::CurrentSurfaceTexture as Current;
        let (create, configure, again) = (true, true, true);
        let wait = Remedy { create: false, configure: false, again: false };
        for (refused, expected) in [
            (Current::Timeout, wait),
            (Current::Occluded, wait),
            (Current::Outdated, Remedy { configure, again, ..wait }),
            (Current::Lost, Remedy { create, configure, again }),
            (Current::Validation, Remedy { create, configure, ..wait }),
        ] {
            assert_eq!(remedy(&refused), expected, "{refused:?}");
        }
    }
}

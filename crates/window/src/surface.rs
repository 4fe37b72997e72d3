//! A device that draws on the window: the window's surface is configured to its size, and recreated when it is lost.

use std::sync::Arc;
use std::time::Duration;

use winit::dpi::PhysicalSize;
use winit::window::Window;

use engine::contained::contain;
use engine::{EngineError, Result};
use gpu::{Choice, Gpu};

/// A window with a surface to draw on.
#[derive(Debug)]
pub struct Screen {
    /// The frame's texture; if `true`, the surface must be configured again after it is presented.
    // Dropped before the surface that it belongs to.
    acquired: Option<(wgpu::SurfaceTexture, bool)>,
    // Dropped before the window that it belongs to.
    surface: wgpu::Surface<'static>,
    pub config: wgpu::SurfaceConfiguration,
    /// True if the last configuration succeeded. A surface that is lost in the meantime refuses it.
    configured: bool,
    pub window: Arc<Window>,
    pub gpu: Gpu,
}

fn surface_of(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<wgpu::Surface<'static>> {
    let refused = |why| EngineError::NoAdapter(format!("no adapter can draw on the window: {why}"));
    instance.create_surface(Arc::clone(window)).map_err(refused)
}

impl Screen {
    /// Opens the best GPU that can draw on a window.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(
        instance: &wgpu::Instance,
        window: Arc<Window>,
        adapter: Option<&str>,
        backend: Option<wgpu::Backend>,
    ) -> Result<Self> {
        let surface = surface_of(instance, &window)?;
        let gpu = Gpu::open(instance, &Choice { adapter, backend, surface: Some(&surface) })?;
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
        let mut screen = Screen { acquired: None, surface, config, configured: false, window, gpu };
        screen.resize();
        Ok(screen)
    }

    /// The window's size; `None` while it is zero, as when minimised. winit panics if the window is gone.
    fn size(&self) -> Option<PhysicalSize<u32>> {
        contain(|| self.window.inner_size()).filter(|size| size.width > 0 && size.height > 0)
    }

    /// Configures the surface to the window's size, if it is not zero.
    pub fn resize(&mut self) {
        let most = self.gpu.limits.max_texture_dimension_2d;
        let Some(size) = self.size() else { return };
        (self.config.width, self.config.height) = (size.width.min(most), size.height.min(most));
        let done = self.gpu.create(|device| self.surface.configure(device, &self.config));
        self.configured = done.is_ok();
        if let Err(error) = done {
            // It is recreated for a later frame; a lost device is reported elsewhere.
            log::warn!("the window's surface: {error}");
        }
    }

    /// Acquires a texture for the next frame; if there is nothing to draw on, returns the time until the next attempt.
    ///
    /// # Errors
    /// When a lost surface cannot be recreated.
    pub fn acquire(&mut self) -> Result<Option<Duration>> {
        use wgpu::CurrentSurfaceTexture as Current;
        let later = Some(Duration::from_millis(100));
        if self.size().is_none() {
            return Ok(later);
        }
        // wgpu panics at a surface without a configuration, such as one that was lost in the meantime.
        let given = if self.configured { contain(|| self.surface.get_current_texture()) } else { None };
        let given = given.unwrap_or(Current::Validation);
        let again = matches!(given, Current::Suboptimal(_));
        let at_once = match given {
            Current::Success(texture) | Current::Suboptimal(texture) => {
                self.acquired = Some((texture, again));
                return Ok(None);
            }
            Current::Timeout | Current::Occluded => return Ok(later),
            Current::Outdated => true,
            refused @ (Current::Lost | Current::Validation) => {
                let lost = |why| self.gpu.error(format!("the window's surface was lost: {why}"));
                self.surface = surface_of(&self.gpu.instance, &self.window).map_err(lost)?;
                matches!(refused, Current::Lost)
            }
        };
        self.resize();
        Ok(if at_once && self.configured { Some(Duration::ZERO) } else { later })
    }

    /// The frame's texture, if one is acquired.
    pub fn target(&self) -> Option<wgpu::Texture> {
        self.acquired.as_ref().map(|(acquired, _)| acquired.texture.clone())
    }

    /// Presents the frame, even if nothing was drawn on it: a lost device keeps a texture that is only dropped.
    pub fn present(&mut self) {
        let Some((texture, again)) = self.acquired.take() else { return };
        self.gpu.queue.present(texture);
        if again {
            self.resize();
        }
    }
}

//! A device that draws on the window: the window's surface is configured to its size, and recreated when it is lost.

use std::sync::Arc;
use std::time::Duration;

use winit::dpi::PhysicalSize;
use winit::window::Window;

use cpu::Result;
use cpu::contained::contain;
use cpu::engine::EngineError;
use gpu::{Choice, Gpu};

/// A window that can be drawn on.
#[derive(Debug)]
pub struct Screen {
    /// The frame's texture; with `true`, the surface must be configured again after it was presented.
    // Dropped before the surface that it belongs to.
    acquired: Option<(wgpu::SurfaceTexture, bool)>,
    // Dropped before the window that it belongs to.
    surface: wgpu::Surface<'static>,
    pub config: wgpu::SurfaceConfiguration,
    /// True if the last configuration held. A surface that is lost meanwhile refuses it.
    configured: bool,
    pub window: Arc<Window>,
    pub gpu: Gpu,
}

fn surface_of(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<wgpu::Surface<'static>> {
    let refused = |why| EngineError::NoAdapter(format!("no adapter can draw on the window: {why}"));
    instance.create_surface(Arc::clone(window)).map_err(refused)
}

impl Screen {
    /// Opens a GPU that draws on a window, the best of those that fit.
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

    /// The window's size; none while it is zero, as when it is minimised. winit panics at a window that is gone.
    fn size(&self) -> Option<PhysicalSize<u32>> {
        contain(|| self.window.inner_size()).filter(|size| size.width > 0 && size.height > 0)
    }

    /// Configures the surface to the window's size, while it has one.
    pub fn resize(&mut self) {
        let most = self.gpu.limits.max_texture_dimension_2d;
        let Some(size) = self.size() else { return };
        (self.config.width, self.config.height) = (size.width.min(most), size.height.min(most));
        let done = self.gpu.create(|device| self.surface.configure(device, &self.config));
        self.configured = done.is_ok();
        if let Err(error) = done {
            // It is made anew for a later frame; a lost device is reported where it is asked for.
            log::warn!("the window's surface: {error}");
        }
    }

    /// Acquires a texture for the next frame; where there is nothing to draw on now, returns when to try again.
    ///
    /// # Errors
    /// When a lost surface cannot be made again.
    pub fn acquire(&mut self) -> Result<Option<Duration>> {
        use wgpu::CurrentSurfaceTexture as Current;
        let later = Some(Duration::from_millis(100));
        if self.size().is_none() {
            return Ok(later);
        }
        // wgpu panics at a surface that is not configured, as one cannot be that was lost meanwhile.
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

    /// What the frame is drawn on, where there is one.
    pub fn target(&self) -> Option<wgpu::Texture> {
        self.acquired.as_ref().map(|(acquired, _)| acquired.texture.clone())
    }

    /// Shows the frame, though nothing may be drawn on it: a lost device keeps a texture that is only dropped.
    pub fn present(&mut self) {
        let Some((texture, again)) = self.acquired.take() else { return };
        self.gpu.queue.present(texture);
        if again {
            self.resize();
        }
    }
}

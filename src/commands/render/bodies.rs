//! Frames of lit bodies: the flock from the engine to the GPU that draws it.

use flock::Parameters;
use flock::parameters::Scope;

use super::path::Path;
use crate::cli::render::RenderRequest;
use crate::drawable::Drawable;
use crate::engines::{Device, Opened};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::offscreen::Offscreen;
use crate::view::scene::{Detail, Drawn, Look};

/// Draws frame after frame.
pub(super) struct Bodies {
    gpu: Gpu,
    offscreen: Offscreen,
    parameters: Parameters,
    look: Look,
    path: Path,
    mark_centre: bool,
    drawable: Drawable,
    pixels: Vec<u8>,
}

impl Bodies {
    pub fn new(request: &RenderRequest, device: &Device, parameters: &Parameters) -> Result<Self, Failure> {
        let gpu = drawing_gpu(request, device)?;
        let most = gpu.limits.max_texture_dimension_2d;
        if let Some(side) = request.size.iter().find(|side| **side > most) {
            let name = gpu.name();
            return Err(Failure::usage(format!(
                "--size: {side} pixels: {name} allows at most {most} a side"
            )));
        }
        let offscreen = Offscreen::new(&gpu, request.size)?;
        let mut look = Look::new(parameters);
        look.colour = request.colour;
        if request.format.is_film() {
            look.detail = Detail::for_window(parameters.flock.boids, gpu.hardware());
        }
        let path = Path::new(&request.sight, request.fps, parameters, look.size, offscreen.aspect());
        // Close to the flock its world's edges are only lines across the picture.
        look.edges = path.shows_edges();
        let cohesion = &parameters.cohesion;
        Ok(Bodies {
            drawable: Drawable::new(&gpu),
            gpu,
            offscreen,
            parameters: *parameters,
            look,
            path,
            // Where all follow the flock's centre, it belongs in the picture.
            mark_centre: request.mark_centre || cohesion.scope == Scope::Flock && cohesion.weight != 0.0,
            pixels: Vec::new(),
        })
    }

    /// Draws the next frame: 4 bytes a pixel, row by row from the top.
    pub fn draw(&mut self, opened: &mut Opened) -> Result<&[u8], Failure> {
        let mut centre = None;
        if self.mark_centre || self.path.looks_up() {
            let state = opened.get().state()?;
            centre = self.path.see(&state).filter(|_| self.mark_centre);
        }
        let camera = self.path.next();
        // What a GPU tells of the predators is then of this step.
        self.gpu.wait()?;
        let (instances, predators) = self.drawable.take(opened)?;
        let drawn = Drawn { instances, predators: &predators, parameters: &self.parameters, centre };
        self.pixels = self.offscreen.draw(&drawn, &camera, &self.look)?;
        Ok(&self.pixels)
    }
}

/// The GPU that steps; or else the one that was named, or the best there is, which may be a program.
fn drawing_gpu(request: &RenderRequest, device: &Device) -> Result<Gpu, Failure> {
    match device {
        Device::Gpu(gpu, _) => Ok(gpu.as_ref().clone()),
        Device::Cpu(..) | Device::Rp2040(_) => {
            Gpu::headless(request.engine.adapter.as_deref(), request.engine.backend).map_err(|error| {
                Failure::adapter(error).hint("drawing needs an adapter, also where the CPU steps")
            })
        }
    }
}

//! Draws the flock off screen as the window does, to time the drawing.

use flock::Parameters;

use crate::view::camera::Camera;
use crate::view::offscreen::Offscreen;
use crate::view::scene::{Drawn, Look, Scenery, first_pitch, smooth_for_window};
use cpu::engine::EngineError;
use cpu::state::State;
use engines::Opened;
use engines::drawable::Drawable;
use gpu::Gpu;
use lab::profile::plan::PICTURE;

/// Draws one flock.
pub struct Painter {
    offscreen: Offscreen,
    drawable: Drawable,
    parameters: Parameters,
    camera: Camera,
    look: Look,
}

impl Painter {
    /// A painter whose camera sees the whole flock of `state`.
    ///
    /// # Errors
    /// When the device cannot hold the picture.
    pub fn new(
        gpu: &Gpu,
        parameters: &Parameters,
        state: &State,
        scenery: Scenery,
    ) -> Result<Self, EngineError> {
        let boids = state.boids.len() as u32;
        let offscreen = Offscreen::with_smoothing(gpu, PICTURE, smooth_for_window(boids, gpu.hardware()))?;
        let look = Look { scenery, ..Look::new(parameters) };
        let mut camera = Camera { pitch: first_pitch(scenery), ..Camera::new(parameters.flat()) };
        let ends = |from: f64, of: fn(f64, f64) -> f64| {
            let corner = |k: usize| state.boids.iter().map(|b| b.position[k]).fold(from, of) as f32;
            [corner(0), corner(1), corner(2)]
        };
        camera.fit(ends(f64::INFINITY, f64::min), ends(f64::NEG_INFINITY, f64::max), offscreen.aspect());
        Ok(Painter { drawable: Drawable::new(gpu), offscreen, parameters: *parameters, camera, look })
    }

    /// Submits a picture of the current state.
    pub fn paint(&mut self, opened: &mut Opened) -> Result<(), EngineError> {
        let step = opened.get().step_number();
        let (instances, predators) = self.drawable.take(opened)?;
        let (parameters, predators) = (&self.parameters, &predators);
        let drawn = Drawn { instances, predators, parameters, centre: None, step, shift: 0.0 };
        self.offscreen.paint(&drawn, &self.camera, &self.look);
        Ok(())
    }
}

//! Frames of lit bodies, with motion blur, drawn on a GPU from the flock of any engine.

use ecolor::{gamma_u8_from_linear_f32, linear_f32_from_gamma_u8};
use flock::{Parameters, Predator, parameters::Scope};

use super::share::{covered, sampled};
use super::{Wanted, path::Path};
use crate::cli::render::RenderRequest;
use crate::commands::note;
use config::{CameraPath, Colour, View};
use engine::{Explanation, HostInstances};
use engines::{AnyEngine, Device, Drawable};
use files::{Failure, Label, Result, write_labels};
use glam::Vec3;
use gpu::{Gpu, buffers::Uploaded};
use ranks::OnRanks;
use scene::offscreen::Offscreen;
use scene::{Camera, Explained, FrameInput, Instances, Look, SETTLING, ViewUniform, framing, of_view};

/// Divisor of the size of pictures that are not kept.
const SMALLER: u32 = 16;

/// Draws frame after frame.
pub(super) struct Bodies {
    gpu: Gpu,
    offscreen: Offscreen,
    size: [u32; 2],
    parameters: Parameters,
    look: Look,
    pub path: Path,
    /// The camera of another flock, which shows this one, too.
    pub led_by: Option<Camera>,
    /// The camera of the last picture.
    pub shown: Option<Camera>,
    mark_centre: bool,
    /// The boid that is explained.
    explained: Option<u32>,
    drawable: Drawable,
    blur: Blur,
}

impl Bodies {
    pub fn new(request: &RenderRequest, gpu: &Gpu, parameters: &Parameters, view: &View) -> Result<Self> {
        let options = &request.options;
        let most = gpu.limits.max_texture_dimension_2d;
        if let Some(side) = options.size.iter().find(|side| **side > most) {
            let why = format!("--size must be at most {most} pixels per side on {}, not {side}", gpu.name());
            return Err(Failure::usage(why));
        }
        let offscreen = Offscreen::new(gpu, options.size)?;
        let scenery = options.look.named.unwrap_or(view.look);
        let (camera, mut look) = of_view(view, Look { scenery, ..Look::new(parameters) }, parameters);
        look.trails = options.trail_steps().map_or(look.trails, |steps| steps as f32);
        look.colour = options.colour.unwrap_or(look.colour);
        let dusk = look.dusk(parameters.flat());
        if let Some(colour) = options.colour.filter(|_| dusk) {
            let why = format!("--colour {} has no effect with --look dusk", Colour::ALL[colour as usize].1);
            return Err(Failure::usage(why).hint("use --look cones, paper or water"));
        }
        let block = offscreen.scene.block(dusk);
        let line = format!(
            "small boids are drawn as blocks of {block} x {block} pixels, the finest that {} supports",
            gpu.name()
        );
        note((block > 1).then_some(line), options.quiet);
        let keys = options.camera.as_deref().map(CameraPath::load).transpose()?.unwrap_or_default();
        let path = Path::new(options, keys, parameters, (camera, view, &look), offscreen.scene.aspect());
        // Near the flock the world's edges are only lines across the picture.
        look.edges = path.shows_edges();
        let cohesion = &parameters.cohesion;
        Ok(Bodies {
            explained: view.bird.filter(|_| options.explain),
            drawable: Drawable::new(gpu),
            gpu: gpu.clone(),
            offscreen,
            size: options.size,
            parameters: *parameters,
            look,
            path,
            led_by: None,
            shown: None,
            // The centre is shown where all boids follow it.
            mark_centre: options.mark_centre || cohesion.scope == Scope::Flock && cohesion.weight != 0.0,
            blur: Blur::new(options.blur, options.every, parameters),
        })
    }

    /// The steps before a still that are drawn, too, as they are seen in it: trails, and turns in which birds bank.
    pub fn lead(&self) -> u64 {
        let banks = if self.look.dusk(self.parameters.flat()) { SETTLING } else { 0 };
        banks.max(self.look.trails.ceil() as u64)
    }

    /// Makes the picture small that is not kept. Birds roll as far in it, but trails need their size.
    fn fit(&mut self, kept: bool) {
        let small = !kept && self.look.trails == 0.0;
        let size = if small { self.size.map(|side| side.div_ceil(SMALLER)) } else { self.size };
        if self.offscreen.scene.size() != size {
            self.offscreen.scene.resize(size);
        }
    }

    /// Draws the next frame: 4 bytes per pixel, row by row from the top. One that is not kept may be smaller.
    pub fn draw(&mut self, opened: &mut AnyEngine, wanted: Wanted<'_>) -> Result<Vec<u8>> {
        self.fit(wanted.kept);
        self.parameters = wanted.parameters.copied().unwrap_or(self.parameters);
        let step = opened.get().step_number();
        self.path.reach(step);
        let (mut centre, mut explanation) = (None, None);
        let bird = self.explained.filter(|_| wanted.kept);
        if self.mark_centre || bird.is_some() || self.path.needs_state() {
            let state = opened.get().state()?;
            centre = self.path.observe(&state).filter(|_| self.mark_centre);
            if let Some(bird) = bird {
                let numeric = opened.get().numeric();
                explanation = Some(Explanation::new(numeric, &self.parameters, &state, bird)?);
            }
        }
        let camera = self.led_by.unwrap_or_else(|| self.path.next());
        self.shown = Some(camera);
        let (camera, look) = (&camera, &self.look);
        // Then the predators that the GPU reports are those of this step.
        self.gpu.wait()?;
        let (instances, predators) = self.drawable.take(opened)?;
        let (predators, parameters) = (&predators, &self.parameters);
        let explanation = explanation.as_ref();
        let explained = explanation.map(|explanation| Explained { explanation, moved: Vec3::ZERO });
        let drawn = FrameInput {
            instances,
            predators,
            parameters,
            centre,
            explained,
            step,
            shift: 0.0,
            camera,
            look,
        };
        let mut picture = |shift| self.offscreen.draw(&FrameInput { shift, ..drawn });
        let mut picture = self.blur.mean(&mut picture)?;
        if wanted.kept {
            self.label(camera, &mut picture);
        }
        Ok(picture)
    }

    /// Draws the next frame of a flock on ranks, each of which covers its own part.
    pub fn draw_parts(&mut self, flock: &mut dyn OnRanks, kept: bool) -> Result<Vec<u8>> {
        self.fit(kept);
        let (count, step) = (flock.boids(), flock.step_number());
        self.path.reach(step);
        let mut centre = None;
        if self.mark_centre || self.path.needs_state() {
            let (boids, mean) = sampled(flock, framing::stride(count as usize))?;
            self.path.follow(&boids);
            centre = mean.filter(|_| self.mark_centre);
        }
        let (camera, look) = (&self.path.next(), &self.look);
        let predators: Vec<Predator<f32>> = flock.predators().iter().map(Predator::convert).collect();
        // The boids are elsewhere: their number is all that is read of these.
        let mut none = Uploaded::default();
        let none = none.write(&self.gpu, &HostInstances::default())?;
        let instances = &Instances { count, ..none.clone() };
        let (predators, parameters) = (&predators[..], &self.parameters);
        let explained = None;
        let drawn = FrameInput {
            instances,
            predators,
            parameters,
            centre,
            explained,
            step,
            shift: 0.0,
            camera,
            look,
        };
        let mut picture = |shift| {
            let cover = |uniform: &ViewUniform, length| covered(flock, uniform, length);
            self.offscreen.draw_parts(&FrameInput { shift, ..drawn }, cover)
        };
        let mut picture = self.blur.mean(&mut picture)?;
        if kept {
            self.label(camera, &mut picture);
        }
        Ok(picture)
    }

    /// Writes the words of the shapes on a picture.
    fn label(&self, camera: &Camera, picture: &mut [u8]) {
        let [width, height] = self.size.map(f64::from);
        let mut labels = Vec::new();
        for (word, place) in scene::words(&self.look, &self.parameters) {
            let Some(seen) = camera.project(place, (width / height) as f32) else { continue };
            if seen.abs().max_element() <= 1.0 {
                let [x, y] = [f64::from(seen.x), f64::from(seen.y)];
                let at = [0.5 * (1.0 + x) * width, 0.5 * (1.0 - y) * height];
                labels.push(Label { text: word.to_owned(), at, size: (height / 36.0).max(11.0) });
            }
        }
        write_labels(picture, self.size, &labels);
    }
}

/// The GPU that steps; else the one that was named, or the best there is, which may be a software adapter.
pub(super) fn drawing_gpu(request: &RenderRequest, device: &Device) -> Result<Gpu> {
    match device {
        Device::Gpu(gpu, _) => Ok(gpu.as_ref().clone()),
        Device::Cpu(..) | Device::Rp2040(_) => {
            Gpu::headless(request.engine.adapter.as_deref(), request.engine.backend).map_err(|error| {
                Failure::adapter(error).hint("drawing requires a GPU adapter, even with --engine cpu")
            })
        }
    }
}

/// The part of a frame's time in which the shutter is open.
const SHUTTER: f32 = 0.5;

/// Motion blur: the mean of pictures of a moment ago to now, in linear light.
#[derive(Clone, Debug)]
struct Blur {
    pictures: u32,
    /// Time between two pictures of a frame.
    apart: f32,
    /// Linear light of each 8-bit value of sRGB.
    light: Vec<f32>,
    sums: Vec<f32>,
}

impl Blur {
    /// The mean of so many pictures; frames are `every` steps apart.
    pub fn new(pictures: u32, every: u64, parameters: &Parameters) -> Self {
        let frame = every as f32 * parameters.motion.time_step as f32;
        let light = (0..=255).map(linear_f32_from_gamma_u8).collect();
        Blur { pictures, apart: SHUTTER * frame / pictures as f32, light, sums: Vec::new() }
    }

    /// The mean of what `picture` gives for a time ahead of now.
    pub fn mean<E>(&mut self, picture: &mut dyn FnMut(f32) -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
        if self.pictures == 1 {
            return picture(0.0);
        }
        let mut pixels = Vec::new();
        self.sums.clear();
        // The earliest first: trails grow from picture to picture.
        for k in (0..self.pictures).rev() {
            pixels = picture(-(k as f32) * self.apart)?;
            self.sums.resize(pixels.len(), 0.0);
            for (sum, value) in self.sums.iter_mut().zip(&pixels) {
                *sum += self.light[usize::from(*value)];
            }
        }
        let share = 1.0 / self.pictures as f32;
        for (pixel, sum) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(self.sums.as_chunks::<4>().0) {
            for (value, sum) in pixel.iter_mut().zip(sum).take(3) {
                *value = gamma_u8_from_linear_f32(sum * share);
            }
        }
        Ok(pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_the_mean_of_what_was_half_a_frame_ago_to_now() {
        let mut parameters = Parameters::default();
        parameters.motion.time_step = 0.5;
        let mut blur = Blur::new(4, 8, &parameters);
        let mut times = Vec::new();
        let mut picture = |shift: f32| {
            times.push(shift);
            // White at one of four moments: a quarter of the light.
            Ok(vec![if shift == 0.0 { 255 } else { 0 }, 128, 0, 255])
        };
        let mean = blur.mean::<()>(&mut picture).expect("pictures");
        assert_eq!(times, [-1.5, -1.0, -0.5, 0.0]);
        assert_eq!(mean, [137, 128, 0, 255]);
    }
}

//! The engines as sources: the window steps them and draws their boids.

use std::sync::Arc;
use std::time::Duration;

use flock::Parameters;
use glam::{DVec3, Vec3};
use web_time::Instant;

use super::frame::{Boids, Clock, Frame};
use cpu::CpuEngine;
use engine::{Engine, HostInstances, PassEvent, Result, State, add_to};
use engines::{AnyEngine, Device};
use gpu::number::OnGpu;
use gpu::{GpuEngine, Measures};

/// An engine with drawable boids.
pub trait Source: std::fmt::Debug + Send {
    /// The engine itself.
    fn engine(&mut self) -> &mut dyn Engine;

    /// True if the flock is on a device, and lost with it.
    fn on_device(&self) -> bool {
        false
    }

    /// Waits until the device has done the steps.
    ///
    /// # Errors
    /// When the device failed.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Fills in the frame: boids, predators, passes and summary.
    ///
    /// # Errors
    /// When the device failed.
    fn publish(&mut self, frame: &mut Frame) -> Result<()>;
}

/// Opens an engine on a device, with this state.
///
/// # Errors
/// When the flock does not fit, or the device fails.
pub fn open(device: &Device, parameters: &Parameters, state: &State) -> Result<Box<dyn Source>> {
    Ok(match device.engine(parameters, state)? {
        AnyEngine::Gpu(engine) => on_gpu(device, *engine),
        AnyEngine::GpuFixed(engine) => on_gpu(device, *engine),
        AnyEngine::Cpu(mut engine) => {
            engine.time_every_step(true)?;
            Box::new(CpuSource { engine, boids: Default::default() })
        }
        AnyEngine::Rp2040(_) => return Err(AnyEngine::cannot_draw()),
    })
}

/// The GPU engine of a device.
fn on_gpu<T: OnGpu>(device: &Device, engine: GpuEngine<T>) -> Box<GpuSource<T>> {
    Box::new(GpuSource { device: device.clone(), engine, summary: None, waited: [0.0; 2] })
}

/// Milliseconds of each pass in the last step of these events.
fn last_step(events: &[PassEvent]) -> Vec<(&'static str, f64)> {
    let last = events.last().map(|event| event.step);
    let mut times: Vec<(&'static str, f64)> = Vec::new();
    for event in events.iter().filter(|event| Some(event.step) == last) {
        add_to(&mut times, event.pass, (event.end - event.begin) / 1e6);
    }
    times
}

/// The CPU engine, which times its passes.
#[derive(Debug)]
struct CpuSource {
    engine: Box<dyn CpuEngine>,
    /// The boids of the next frame, and of the last one, which the window still shows.
    boids: [Arc<HostInstances>; 2],
}

impl Source for CpuSource {
    fn engine(&mut self) -> &mut dyn Engine {
        &mut *self.engine
    }

    fn publish(&mut self, frame: &mut Frame) -> Result<()> {
        let drawn = Arc::make_mut(&mut self.boids[0]);
        self.engine.instances_into(drawn);
        frame.passes = last_step(&self.engine.take_events()?);
        frame.summary = summarise(&drawn.position, &drawn.velocity);
        frame.predators = self.engine.predators();
        frame.boids = Boids::Host(Arc::clone(&self.boids[0]));
        self.boids.swap(0, 1);
        Ok(())
    }
}

/// The GPU engine on the window's own device: pictures are drawn from its buffers.
#[derive(Debug)]
struct GpuSource<T: OnGpu> {
    device: Device,
    engine: GpuEngine<T>,
    /// The last summary, its time and its flock's generation.
    summary: Option<(Instant, u64, Measures)>,
    /// Total milliseconds of recent steps: by pass timestamps, and by the CPU's clock.
    waited: [f64; 2],
}

/// Interval between summaries: each is a reduction and a wait, too slow for every step of a small flock.
const SUMMARY_EVERY: Duration = Duration::from_millis(60);

impl<T: OnGpu> GpuSource<T> {
    fn summarise(&mut self, generation: u64) -> Result<Option<Measures>> {
        if self.engine.boids() == 0 {
            return Ok(None);
        }
        if let Some((made, of, summary)) = self.summary
            && of == generation
            && made.elapsed() < SUMMARY_EVERY
        {
            return Ok(Some(summary));
        }
        let summary = self.engine.measures()?;
        self.summary = Some((Instant::now(), generation, summary));
        Ok(Some(summary))
    }

    /// True if the pass times are plausible. A software adapter that has drawn may write all its timestamps at the end:
    /// the passes then seem far shorter than the steps.
    fn trusts_timestamps(&mut self, frame: &Frame) -> bool {
        let Device::Gpu(gpu, _) = &self.device else { return false };
        let [passes, steps] = &mut self.waited;
        if frame.steps > 0 {
            *passes = 0.95 * *passes + frame.passes.iter().map(|(_, time)| time).sum::<f64>();
            *steps = 0.95 * *steps + 1e3 * frame.step_time.as_secs_f64();
        }
        gpu.timestamps() && (gpu.hardware() || *passes >= *steps / 8.0)
    }
}

impl<T: OnGpu> Source for GpuSource<T> {
    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.engine
    }

    fn on_device(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<()> {
        self.engine.finish()
    }

    fn publish(&mut self, frame: &mut Frame) -> Result<()> {
        frame.summary = self.summarise(frame.generation)?;
        frame.predators = self.engine.predators();
        frame.passes = self.engine.pass_times().to_vec();
        frame.clock = if self.trusts_timestamps(frame) { Clock::Passes } else { Clock::Steps };
        if frame.clock == Clock::Steps {
            frame.passes.clear();
        }
        frame.boids = Boids::Device(self.engine.instances()?.clone());
        Ok(())
    }
}

/// The measures that the charts show; `None` without boids.
///
/// Sums are in f64, so that rounding does not matter with a million boids.
pub fn summarise(position: &[[f32; 4]], velocity: &[[f32; 4]]) -> Option<Measures> {
    let count = position.len();
    if count == 0 {
        return None;
    }
    let (mut centre, mut heading) = (DVec3::ZERO, DVec3::ZERO);
    // Loops without closures: this crate is compiled at level 1.
    for [x, y, z, _] in position {
        centre += Vec3::new(*x, *y, *z).as_dvec3();
    }
    for [x, y, z, _] in velocity {
        heading += Vec3::new(*x, *y, *z).normalize_or_zero().as_dvec3();
    }
    let total = count as f64;
    Some(Measures {
        polarization: (heading / total).length() as f32,
        centre: (centre / total).as_vec3().to_array(),
        gyration: f32::NAN,
        deviation: [f32::NAN; 3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passes_of_the_last_step_are_summed_up() {
        let event =
            |pass, step, begin: f64, end: f64| PassEvent { pass, step, begin: 1e6 * begin, end: 1e6 * end };
        let events = [
            event("sort", 7, 0.0, 9.0),
            event("sort", 8, 10.0, 11.0),
            event("step", 8, 11.0, 14.0),
            event("sort", 8, 14.0, 16.0),
        ];
        assert_eq!(last_step(&events), [("sort", 3.0), ("step", 3.0)]);
        assert!(last_step(&[]).is_empty());
    }

    #[test]
    fn aligned_flocks_are_ordered_and_flocks_at_rest_are_not() {
        let position: Vec<[f32; 4]> = (0..100).map(|k| [k as f32, 2.0, -1.0, 0.0]).collect();
        for (against, speed, polarization) in [(0, 3.0, 1.0), (40, 2.0, 0.2), (0, 0.0, 0.0)] {
            let velocity: Vec<[f32; 4]> =
                (0..100).map(|k| [if k < against { -speed } else { speed }, 0.0, 0.0, 0.0]).collect();
            let found = summarise(&position, &velocity).expect("boids are there");
            assert!((found.polarization - polarization).abs() < 1e-6, "{}", found.polarization);
            assert_eq!(found.centre, [49.5, 2.0, -1.0]);
        }
        assert!(summarise(&[], &[]).is_none());
    }
}

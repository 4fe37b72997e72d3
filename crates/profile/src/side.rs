//! The inputs of a profile: a flock, the device that steps it, and the painter that draws it.

use flock::Parameters;

use config::{ConfigError, Document, Setting, with_settings};
use engine::{Result, State};
use engines::{AnyEngine, Device};
use gpu::Gpu;

/// A flock of any size, and the device that steps it.
#[derive(Debug)]
pub struct Configuration {
    pub device: Device,
    pub flock: Document,
    /// The preset or file, and how the flock differs from it.
    pub name: String,
}

/// The parameters of a flock with `boids` boids.
///
/// # Errors
/// When the world would leave its range.
pub fn at_size(flock: &Document, boids: u32) -> Result<Parameters, ConfigError> {
    if flock.parameters.flock.boids == boids {
        return Ok(flock.parameters);
    }
    let setting = Setting::parse(&format!("flock.boids={boids}"))?;
    Ok(with_settings(*flock, &[setting])?.parameters)
}

/// Width and height of timed pictures in pixels: the initial size of the window.
pub const PICTURE: [u32; 2] = [1280, 800];

/// Submits a picture of an engine's flock.
pub type Painter = dyn FnMut(&mut AnyEngine) -> Result;

/// Makes a painter that sees the whole flock of a state.
pub type NewPainter = dyn Fn(&Gpu, &Parameters, &State) -> Result<Box<Painter>>;

/// The device that draws and its painter, if frames are timed. On hardware it is the device that steps; on a software
/// adapter it is a second device.
pub type Drawing<'a> = Option<(Gpu, &'a NewPainter)>;

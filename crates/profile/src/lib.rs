//! Times the passes of a step and compares them with the limits of the device.
//!
//! [`plan`] measures point by point: `measure` times the steps of one flock, `settle` steps it until its measures
//! are steady, `census` counts candidates and neighbours, `cost` the traffic and operations of each pass and the
//! limits of the device. [`result`] holds the results, with the largest flock in real time, and writes them as JSON;
//! `table`, `plot` and `trace` show them. [`versus`] times two configurations in turns.
//!
//! It knows engines by [`engines::Device`]; the caller draws ([`Painter`]). Begin with `plan.rs`.

pub mod census;
mod cost;
mod measure;
pub mod plan;
mod plot;
pub mod result;
mod settle;
mod table;
#[cfg(test)]
mod tests;
mod trace;
pub mod versus;

use census::{Census, census};
use config::{ConfigError, Document, Setting, with_settings};
use cost::{Cost, Limits, SEARCH_PASS, cost, limits};
use engine::{Result, State};
use engines::{AnyEngine, Device};
use flock::Parameters;
use gpu::Gpu;
use measure::{PassName, Runner, Sample, at_both_ages, clock, in_turns, measure};
use plan::{LONG, Sizes};
use result::{
    ABOUT, Clock, Condition, Method, Pass, Point, Profile, Rate, Spread, Subject, percentile, rates,
    without_passes,
};
use settle::settle;
use table::{ReportColumn, milliseconds, rounded, table};

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

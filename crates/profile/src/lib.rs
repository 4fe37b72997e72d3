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

/// An invented profile.
#[cfg(test)]
mod tests {
    use crate::census::Census;
    use crate::cost::Cost;
    use crate::result::{
        ABOUT, Clock, Condition, FEWER, MORE, Method, Pass, Point, Profile, Rate, Spread, Subject,
    };
    use engine::{Numeric, PassEvent};

    /// 1,000 and 10,000 boids, start and settled: two steps from step 10 on, with 8 ns per boid for `step` and 2 for
    /// `order`.
    pub fn profile() -> Profile {
        let conditions = [Condition::Start, Condition::Settled];
        let points = [1000, 10_000].into_iter().flat_map(|boids| conditions.map(|when| point(boids, when)));
        let rate =
            |frames, drawn, bound, boids| Rate { frames, condition: Condition::Start, drawn, bound, boids };
        Profile {
            subject: Subject {
                engine: "a device".to_owned(),
                driver: "driver 7".to_owned(),
                numeric: Numeric::F32,
                tuning: None,
                clock: Clock::Timestamps,
                flock: "preset cornell".to_owned(),
                dimensions: 2,
                drawn: None,
            },
            method: Method { steps: 2, repeats: 2, warm_up: 3, settle: 100 },
            limits: None,
            points: points.collect(),
            rates: vec![
                rate(60, false, ABOUT, 123_456),
                rate(30, false, MORE, 200_000),
                rate(60, true, FEWER, 1000),
            ],
            stopped: None,
        }
    }

    fn point(boids: u32, condition: Condition) -> Point {
        let size = f64::from(boids);
        let spread = |median: f64| Spread { median, least: 0.9 * median, most: 1.2 * median };
        let pass = |name, ns: f64| Pass::new(name, spread(ns * size), Cost::default(), None);
        let event = |(turn, pass, begin, end): (u32, _, f64, f64)| PassEvent {
            pass,
            step: 10 + u64::from(turn),
            begin: 500.0 + (f64::from(10 * turn) + begin) * size,
            end: 500.0 + (f64::from(10 * turn) + end) * size,
        };
        let events =
            [(0, "step", 0.0, 8.0), (0, "order", 8.0, 10.0), (1, "step", 0.0, 8.0), (1, "order", 8.0, 10.0)];
        Point {
            boids,
            condition,
            at_step: 10,
            steady: (condition == Condition::Settled).then_some(true),
            step: spread(10.0 * size),
            step_p95_ns: Some(11.0 * size),
            step_p99_ns: Some(12.0 * size),
            frame_ns: None,
            picture_ns: None,
            boid_ns: 10.0,
            candidate_ps: None,
            passes: vec![pass("step", 8.0), pass("order", 2.0)],
            census: Census::default(),
            untimed_steps: 0,
            events: events.map(event).to_vec(),
        }
    }
}

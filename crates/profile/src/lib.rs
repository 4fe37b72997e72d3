//! Times the passes of a step and compares them with the limits of the device.
//!
//! [`plan`] measures point by point: `measure` times the steps of one flock, `settle` steps it until its measures
//! are steady, `census` counts candidates and neighbours, `cost` the traffic and operations of each pass and the
//! limits of the device. [`result`] holds the results, with the largest flock in real time, and writes them as JSON;
//! `table`, `plot` and `trace` show them. [`versus`] times two configurations in turns.
//!
//! It knows engines by [`engines::Device`]; the caller draws ([`side::Painter`]). Begin with `plan.rs`.

pub mod census;
mod cost;
mod measure;
pub mod plan;
mod plot;
pub mod result;
mod settle;
pub mod side;
mod table;
#[cfg(test)]
mod tests;
mod trace;
pub mod versus;

use census::{Census, census};
use cost::{Cost, Limits, SEARCH_PASS, cost, limits};
use measure::{PassName, Runner, Sample, at_both_ages, clock, in_turns, measure};
use plan::{LONG, Sizes};
use result::{
    ABOUT, Clock, Condition, Method, Pass, Point, Profile, Rate, Spread, Subject, percentile, rates,
    without_passes,
};
use settle::settle;
use side::{Configuration, Drawing, Painter, at_size};
use table::{ReportColumn, milliseconds, rounded, table};

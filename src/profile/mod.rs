//! Times the passes of a step and compares them with the limits of the device.
//!
//! [`plan`] measures point by point: [`measure`] times the steps of one flock, [`settle`] steps it until its measures
//! are steady, [`census`] counts candidates and neighbours, [`cost`] the traffic and operations of each pass, [`limits`]
//! measures the device. [`result`] holds the results, [`rates`] derives the largest flock in real time, [`table`],
//! [`json`], [`plot`] and [`trace`] show them. [`versus`] times two configurations in turns.

pub mod census;
pub(crate) mod cost;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod measure;
pub(crate) mod paint;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod rates;
pub(crate) mod result;
pub(crate) mod settle;
pub(crate) mod table;
#[cfg(test)]
mod testing;
pub(crate) mod trace;
pub(crate) mod versus;

//! Times the passes of a step and compares them with the limits of the device.
//!
//! [`plan`] measures point by point: [`measure`] times the steps of one flock, [`settle`] steps it until its measures
//! are steady, [`census`] counts candidates and neighbours, [`cost`] the traffic and operations of each pass, [`limits`]
//! measures the device. [`result`] holds the results, [`rates`] derives the largest flock in real time, [`table`],
//! [`json`], [`plot`] and [`trace`] show them. [`versus`] times two configurations in turns.

pub mod census;
mod cost;
mod json;
mod limits;
mod measure;
pub mod plan;
mod plot;
mod rates;
pub mod result;
mod settle;
mod table;
#[cfg(test)]
mod tests;
mod trace;
pub mod versus;

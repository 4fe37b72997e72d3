//! What a step costs, pass by pass, and how near it comes to what the device can do.
//!
//! [`plan`] says what is measured and has it measured point by point: [`measure`] times the steps of one flock,
//! [`settle`] brings it to where its measures are steady, [`census`] counts who looks at whom. [`result`] holds what
//! came of it, [`rates`] asks it for the largest flock in real time, [`table`], [`json`],
//! [`plot`] and [`trace`] show it.

pub mod census;
pub mod json;
pub mod measure;
pub mod plan;
pub mod plot;
pub mod rates;
pub mod result;
pub mod settle;
pub mod table;
#[cfg(test)]
mod testing;
pub mod trace;

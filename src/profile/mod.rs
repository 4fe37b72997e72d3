//! What a step costs, pass by pass, and how near it comes to what the device can do.
//!
//! [`plan`] says what is measured and has it measured point by point: [`measure`] times the steps of one flock,
//! [`settle`] brings it to where its measures are steady, [`census`] counts who looks at whom, [`cost`] what each pass
//! moves and computes, [`limits`] what the device could. [`result`] holds what came of it, [`rates`] asks it for the
//! largest flock in real time, [`table`], [`json`], [`plot`] and [`trace`]
//! show it, [`compare`] sets it beside an earlier one. [`versus`]
//! times two configurations in turns.

pub mod census;
pub mod compare;
pub mod cost;
pub mod json;
pub mod limits;
pub mod measure;
pub mod paint;
pub mod plan;
pub mod plot;
pub mod rates;
pub mod result;
pub mod settle;
pub mod table;
#[cfg(test)]
mod testing;
pub mod trace;
pub mod versus;

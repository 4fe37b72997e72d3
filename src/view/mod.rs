//! # What is seen
//!
//! [`camera`] says from where, [`scene`] draws the flock from the engine's own buffers, on a window or off screen.

pub mod camera;
pub mod scene;

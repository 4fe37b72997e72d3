//! # The window
//!
//! ```text
//! window (winit) ── events ─▶ panel, keys, pointer (egui) ─▶ session ── orders ─▶ worker (engine, own thread)
//!        ◀── picture and panel ── painter ◀── frame: the engine's buffers, a few numbers ──┘
//! ```
//!
//! [`camera`] says from where, [`scene`] draws the flock from the engine's own buffers, on a window or off screen.
//! [`session`] is the state of it all and knows no window: what keys, pointer and panel do, they do to a session.

pub mod camera;
pub mod frame;
pub mod history;
pub mod keys;
mod painter;
pub mod panel;
mod picture;
mod pointer;
pub mod scene;
pub mod session;
mod sight;
pub mod sources;
mod summary;
mod surface;
pub mod theme;
pub mod tools;
mod window;
pub mod worker;

pub use window::{Options, open};

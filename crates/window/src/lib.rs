//! # The window
//!
//! ```text
//! window (winit) ── events ─▶ panel, keys, pointer (egui) ── Action ─▶ session ── orders ─▶ worker (engine, own thread)
//!        ◀── picture and panel ── painter ◀── frame: the engine's buffers, a few numbers ──┘
//! ```
//!
//! [`scene`] draws the flock. [`session`] is the state, which actions alone change; it knows no window.
//!
//! The crate knows no command line: a call becomes [`Options`]. On a page it draws by WebGPU or WebGL2 into a canvas.
//! Begin with `window.rs` and `session/action.rs`.

pub mod detail;
pub mod frame;
pub(crate) mod history;
pub(crate) mod keys;
mod open_file;
#[cfg(target_arch = "wasm32")]
pub mod page;
mod painter;
pub mod panel;
mod pointer;
#[cfg_attr(target_arch = "wasm32", path = "recorder_page.rs")]
mod recorder;
pub mod session;
pub mod settled;
pub mod sources;
mod surface;
pub mod theme;
#[cfg(target_arch = "wasm32")]
mod webgl;
mod window;
pub mod worker;

pub use window::{Opening, OpeningClock, Options, open};

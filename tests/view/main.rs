//! The user interface: the panel without a window, drawn pictures by pixel, and the window on an X server that draws
//! into memory.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../support/adapters.rs"]
mod adapters;
#[path = "../support/lent.rs"]
mod lent;
#[macro_use]
#[path = "../support/every.rs"]
mod every;
#[cfg(target_os = "linux")]
#[path = "../support/resident.rs"]
mod resident;
#[path = "../support/scope.rs"]
mod scope;
#[path = "../support/sessions.rs"]
mod sessions;

mod panel;
mod pictures;
#[cfg(target_os = "linux")]
mod window;

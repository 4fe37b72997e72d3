//! The command line: parses and resolves arguments. Parsing reads no file and opens no device.
//!
//! Each command has a file with its options; [`shared`] holds what several commands have in common. A page in a browser
//! takes the options of `view` from its address.

#[cfg(not(target_arch = "wasm32"))]
mod command_line;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod conform;
pub mod page;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod plot;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod profile;
#[cfg(not(target_arch = "wasm32"))]
pub mod render;
#[cfg(not(target_arch = "wasm32"))]
pub mod run;
pub mod shared;
#[cfg(not(target_arch = "wasm32"))]
pub mod sweep;
mod usage;
pub(crate) mod view;

#[cfg(not(target_arch = "wasm32"))]
pub use command_line::{Call, CommandLine, PresetsAction, TermsAction, parse, request};

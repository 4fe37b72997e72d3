//! The outputs of a run: pictures, films, tables and CSV files; and how a call ends.
//!
//! Every file is written beside its target and gets its name when it is whole ([`AtomicFile`]); every error is one
//! line that names the file ([`Failure`]). `tables/` reads and writes states, trajectories and measures, `film/`
//! encodes frames, `drawing/` draws plots and vector fields, as pixels or as SVG; `terminal.rs` has tables
//! and a progress bar for a terminal, [`interrupt`] handles Ctrl-C.
//!
//! The crate takes states and pixels: it knows no GPU, no engine and no study. On a web page it offers files as
//! downloads (`atomic/download.rs`). Begin with `atomic.rs` and `failure.rs`.

#[cfg_attr(target_arch = "wasm32", path = "atomic/download.rs")]
mod atomic;
#[cfg(not(target_arch = "wasm32"))]
mod drawing;
pub mod failure;
#[cfg(not(target_arch = "wasm32"))]
mod film;
#[cfg(not(target_arch = "wasm32"))]
pub mod interrupt;
mod png;
mod rows;
#[cfg(not(target_arch = "wasm32"))]
mod tables;
mod terminal;
pub mod user_folder;

#[cfg(target_arch = "wasm32")]
pub use atomic::download;
pub use atomic::{AtomicFile, check_ending, is_stdout};
#[cfg(not(target_arch = "wasm32"))]
use atomic::{extension, folder_of, is_part, other_ending};
#[cfg(not(target_arch = "wasm32"))]
pub use atomic::{is_unread, replaces, same_file, unless_unread};
#[cfg(not(target_arch = "wasm32"))]
pub use drawing::{
    Arrows, Cell, Chart, Curve, Dot, Label, Level, Mark, Panel, Plot, Scale, round_step, series_colour,
    write_labels,
};
pub use failure::{Failure, FailureKind, Result};
#[cfg(not(target_arch = "wasm32"))]
pub use film::{Film, Format, Numbered};
pub use png::{beside, halves, png, write_png};
pub use rows::{Item, state_text};
#[cfg(not(target_arch = "wasm32"))]
pub use tables::*;
pub use terminal::Table;
#[cfg(not(target_arch = "wasm32"))]
pub use terminal::{ProgressBar, progress};

/// The fate of a file that has the name of a result, whenever it came to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays. Only an empty file that was there before the work is filled.
    Keep,
    /// The result replaces it.
    Replace,
}

impl Existing {
    /// The choice by the option `--yes`.
    pub fn replaced_if(yes: bool) -> Self {
        if yes { Existing::Replace } else { Existing::Keep }
    }
}

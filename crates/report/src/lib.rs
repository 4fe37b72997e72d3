//! What a run leaves behind: pictures, films, tables and CSV files.
//!
//! Every file is written beside its target and renamed over it when it is whole
//! ([`AtomicFile`]); every error is one line that names the file ([`Error`]).

mod arrows;
#[cfg_attr(target_arch = "wasm32", path = "atomic/download.rs")]
mod atomic;
mod canvas;
mod csv_input;
#[cfg(not(target_arch = "wasm32"))]
mod data;
mod error;
pub mod failure;
#[cfg(not(target_arch = "wasm32"))]
mod film;
#[cfg(not(target_arch = "wasm32"))]
mod gsd;
#[cfg(not(target_arch = "wasm32"))]
pub mod interrupt;
mod metrics_csv;
#[cfg(not(target_arch = "wasm32"))]
pub mod parquet;
#[cfg(not(target_arch = "wasm32"))]
mod part;
mod plot;
mod png;
#[cfg(not(target_arch = "wasm32"))]
mod progress;
mod state_csv;
mod table;
#[cfg(not(target_arch = "wasm32"))]
mod trajectory;
pub mod user_folder;

pub use arrows::Arrows;
#[cfg(target_arch = "wasm32")]
pub use atomic::download;
pub use atomic::same_file;
pub use atomic::{AtomicFile, is_stdout, replaces};
#[cfg(not(target_arch = "wasm32"))]
pub use data::{Cells, Data};
pub use error::{Error, Result};
#[cfg(not(target_arch = "wasm32"))]
pub use film::{Film, Format, Numbered};
pub use metrics_csv::{Metrics, Value};
pub use plot::{Cell, Chart, Curve, Dot, Level, Mark, Panel, Plot, Scale, round_step, series_colour};
pub use png::write_png;
#[cfg(not(target_arch = "wasm32"))]
pub use progress::Progress;
pub use state_csv::{StateFile, predators_path, read_state, state_texts, write_state};
pub use table::Table;
#[cfg(not(target_arch = "wasm32"))]
pub use trajectory::{Recording, Trajectory};

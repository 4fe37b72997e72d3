//! States, trajectories and measures in files: CSV, Apache Parquet and GSD.

mod csv_input;
mod csv_output;
mod data;
mod gsd;
#[cfg_attr(not(feature = "parquet"), path = "tables/no_parquet.rs")]
pub mod parquet;
mod state_csv;
mod trajectory;

pub use self::csv_output::CsvTable;
pub use self::data::{Data, read_table};
pub use self::state_csv::{StateFile, predators_path, read_state, write_state};
pub use self::trajectory::{Recording, Trajectory};

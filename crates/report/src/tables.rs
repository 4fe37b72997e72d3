//! States, trajectories and measures in files: CSV, Apache Parquet and GSD.

mod csv_input;
mod data;
mod gsd;
mod output;
#[cfg_attr(not(feature = "parquet"), path = "tables/no_parquet.rs")]
mod parquet;
mod state_csv;
mod trajectory;

pub use self::data::{Data, read_table};
pub use self::output::TableFile;
pub use self::state_csv::{StateFile, predators_path, read_state, write_state};
pub use self::trajectory::{Recording, Trajectory};

//! Studies: many runs of one flock, over settings and seeds.
//!
//! A [`Spec`] (a file and options) becomes a [`Study`] (every setting and seed, written out), whose runs are numbered: run
//! = setting · seeds + seed. Each finished run is a line in the folder's [`Log`], which alone decides what is left to do.
//! Tables are made from the log in run order, so neither the order of finishing, nor shards, nor a resume shows in them.
//!
//! It knows engines by [`engines::Device`] and files by [`files`], and no window or command line. Begin with `spec.rs`.

mod axis;
mod column;
mod confidence;
mod folder;
mod log;
mod plan;
mod schedule;
mod shard;
mod spec;
mod tables;
mod work;

use axis::{Design, Settings, setting};
use confidence::{course, mean, squares, wilson, within};
use log::Outcome;
use schedule::lines;
use spec::Stop;
use work::cell;

pub use axis::{Axis, MAX_RUNS, NO_VIEW};
pub use column::{Column, Measure, interval};
pub use confidence::{Interval, Method};
pub use folder::{Folder, Identity, TABLES, extent, merge};
pub use log::Log;
pub use plan::Study;
pub use schedule::Schedule;
pub use shard::Shard;
pub use spec::{Spec, seeds};
pub use tables::{ColumnKind, kind as kind_of_column, list, write as write_tables};
pub use work::{Worker, execute};

//! Studies: many runs of one flock, over settings and seeds.
//!
//! A [`Spec`] (a file and options) becomes a [`Study`] (every setting and seed, written out), whose runs are numbered: run
//! = setting · seeds + seed. Each finished run is a line in the folder's [`Log`], which alone decides what is left to do.
//! Tables are made from the log in run order, so neither the order of finishing, nor shards, nor a resume shows in them.

mod axis;
mod column;
mod confidence;
mod design;
mod folder;
mod log;
mod merge;
mod plan;
mod pool;
mod schedule;
mod series;
mod shard;
mod spec;
mod table;
mod tables;
mod work;

pub use axis::{Axis, MOST_RUNS};
pub use column::{Column, interval};
pub use confidence::{Interval, Method};
pub use folder::{BUILD, Folder, Host, Identity, VERSION};
pub use log::Log;
pub use merge::merge;
pub use plan::Study;
pub use pool::execute;
pub use schedule::Schedule;
pub use shard::Shard;
pub use spec::{Spec, seeds};
pub use table::{Format, quoted};
pub use tables::write as write_tables;
pub use work::Worker;

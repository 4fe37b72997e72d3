//! Experiments on flocks, in three independent modules.
//!
//! - [`study`]: many runs of one flock, over settings and seeds; their log, tables and confidence intervals.
//! - [`conform`]: every backend of the machine compared with the rule: equal bits in integers, one step within derived
//!   bounds in floating point, equal statistics of long runs; and negative controls, which must be caught.
//! - [`profile`]: the cost of a step: the time of each pass against the limits of the device, or of two configurations
//!   in turns.
//!
//! The crate knows engines by [`engines::Device`] and files by [`report`]; it knows no window and no command line.
//! Begin with `study/mod.rs`, `conform/mod.rs` or `profile/mod.rs`; each names its files in the order of work.

pub mod conform;
pub mod profile;
pub mod study;

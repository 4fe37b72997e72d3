//! A recorded flight: how a flock starts, and every change to it by its step. Repeated on an engine of the same number
//! type it gives the same bits, in integers on any engine; hashes in it show the first step that differs.
//!
//! ```text
//! Flight = Start (parameters, number type, first state) + Changes (parameters, steered predators) + hashes
//!        = lines of JSON (`text.rs`), positions as differences (`track.rs`)
//! ```
//!
//! The crate knows no engine but the trait, no window and no file. Begin with [`Flight`]; [`Replay`] repeats one.

mod cameras;
mod changes;
mod recording;
mod replay;
pub mod settled;
mod text;
mod track;

pub use cameras::{POSE_EVERY, Pose, pose_at};
pub use changes::{Change, ChangeAt, Changes, InFlight};
pub use recording::{First, Flight, HashAt, Start, starts_differ};
pub use replay::{Comparison, Divergence, Replay};
pub use text::{ENDING, FORMAT, LONGEST_LINK, Writer, load, parse};
pub use track::snapped;

#[cfg(test)]
mod tests;

//! Common ground of all engines and of all that use them: the trait [`Engine`], the [`State`] between engines and files,
//! their [`EngineError`], the [`measures`] of a flock, and the [`Explanation`] of one boid.
//!
//! An engine holds a state and advances it by the rule of its parameters. Files, pictures and experiments know this
//! crate and no engine. Besides, it has what differs between platforms: threads, tasks and futures ([`system`]), and
//! memory that runs short ([`memory`]).
//!
//! It knows no engine, GPU, window or file. Begin with `engine.rs` and `state.rs`; `measures/mod.rs` lists the measures.

pub mod contained;
mod engine;
mod error;
mod explain;
pub mod measures;
pub mod memory;
mod pacing;
mod state;
// The differences between a computer and a browser: how a program waits, and how it works in the background. A browser has
// one thread, which may not block. There a task is suspended while it waits (JavaScript Promise Integration), so that the
// same code runs in both. If a browser cannot suspend tasks, nothing waits and no GPU is used.
#[cfg(not(target_arch = "wasm32"))]
#[path = "system/native.rs"]
pub mod system;
#[cfg(target_arch = "wasm32")]
#[path = "system/web.rs"]
pub mod system;

pub use engine::{Engine, HostInstances, PassEvent, PreparedRule, Timed, VectorOf, Vectors, add_to, rule};
pub use error::{EngineError, Result};
pub use explain::{Change, Explanation, Limit, Neighbour, Sense, senses};
pub use pacing::{Batcher, ReadBackTimer};
pub use state::{NumberType, Numeric, State};

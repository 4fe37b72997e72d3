//! Compares all backends with the rule (docs/conformance.md).
//!
//! Bits (`exact`): integer engines have equal bits at every step. Step (`onestep`): one step in floating point lies
//! within its error bounds of the rule in f64. Each of the `controls` has a deliberate error that must be caught.
//!
//! It knows all engines, and no window or command line. Begin with `plan.rs`.

pub mod backends;
pub mod bounds;
pub mod brute;
mod compare;
pub mod controls;
pub mod device_check;
pub mod errors;
mod exact;
#[cfg(not(target_arch = "wasm32"))]
pub mod flights;
pub mod flocks;
mod onestep;
#[cfg(not(target_arch = "wasm32"))]
pub mod plan;
pub mod report;
mod subject;

pub use exact::constants;

use backends::{Backend, Platform};
use bounds::Guarantee;
use brute::{Brute, Mutation, SumNeighbours};
use errors::Errors;
use exact::{Divergence, ExactFlock, quantities};
use flocks::DIMENSIONS;
use onestep::StepCase;
use report::{ReportRow, Tier};
use subject::{Session, Subject};

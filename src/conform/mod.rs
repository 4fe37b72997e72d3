//! All backends held to one rule (docs/conformance.md).
//!
//! Tier A ([`exact`]): integers hold the same bits at every step. Tier B ([`onestep`]): one step lies within its bounds
//! of the rule in f64. Tier C ([`statistics`]): long runs are of one kind. [`controls`] are wrong on purpose, and must
//! be caught.

pub mod backends;
pub mod bounds;
pub mod brute;
pub mod constants;
pub mod controls;
mod decisions;
pub mod divergence;
pub mod errors;
pub mod exact;
pub mod flocks;
pub mod onestep;
pub mod plan;
pub mod report;
mod sensitivity;
mod smirnov;
pub mod states;
pub mod statistics;
pub mod subject;

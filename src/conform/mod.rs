//! Compares all backends with the rule (docs/conformance.md).
//!
//! Bits ([`exact`]): integer engines have the same ones at every step. Step ([`onestep`]): one lies within its bounds of the
//! rule in f64. Statistics ([`statistics`]): long runs have the same ones. Each of the [`controls`] has a deliberate error
//! that must be caught.

pub(crate) mod backends;
pub mod bounds;
pub mod brute;
pub(crate) mod constants;
pub(crate) mod controls;
mod decisions;
pub(crate) mod divergence;
pub(crate) mod errors;
pub(crate) mod exact;
pub mod flocks;
mod kolmogorov_smirnov;
pub(crate) mod onestep;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod result;
mod sensitivity;
pub(crate) mod states;
pub(crate) mod statistics;
pub(crate) mod subject;

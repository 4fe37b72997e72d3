//! One step of every engine against the reference, within bounds that the reference derives for each number
//! (docs/conformance.md), and what else must hold of every engine.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../support/adapters.rs"]
mod adapters;
mod cases;
mod controls;
mod decisions;
mod digits;
mod endurance;
mod engines;
mod flocks;
mod formulas;
mod integers;
#[path = "../support/lent.rs"]
mod lent;
mod long_runs;
mod own_integers;
mod presets;
#[path = "../support/random_flock.rs"]
mod random_flock;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/reference.rs"]
mod reference;
mod repeat;
mod rule;
#[path = "../support/scope.rs"]
mod scope;
mod special;
mod subjects;
#[path = "../support/zones.rs"]
mod zones;

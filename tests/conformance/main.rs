//! One step of every engine against the reference, within bounds that the reference derives for each number
//! (docs/conformance.md), and what else must hold of every engine.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../support/adapters.rs"]
mod adapters;
mod cases;
mod controls;
mod endurance;
mod engines;
mod formulas;
mod integers;
#[path = "../support/lent.rs"]
mod lent;
#[path = "../support/random_flock.rs"]
mod random_flock;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/scope.rs"]
mod scope;
mod special;
#[path = "../support/zones.rs"]
mod zones;

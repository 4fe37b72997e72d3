//! The GPU on every adapter: the engine, its kernels, its integers bit for bit, and every shader as it is
//! translated. The comparison of all engines and presets, with bounds derived for each number, is `tests/conformance/`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../support/adapters.rs"]
mod adapters;
#[path = "../support/scope.rs"]
mod scope;
#[macro_use]
#[path = "../support/every.rs"]
mod every;
#[path = "../support/hashes.rs"]
mod hashes;
#[path = "../support/image.rs"]
mod image;
#[path = "../support/lent.rs"]
mod lent;
#[path = "../support/random_flock.rs"]
mod random_flock;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/zones.rs"]
mod zones;

mod crowds;
mod engine;
mod formulas;
mod help;
mod integers;
mod kernels;
mod reductions;
mod rules;
mod shaders;
mod translations;
mod uniform;

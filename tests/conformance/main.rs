//! One step of every engine against the reference, within bounds that the reference derives for each number
//! (docs/conformance.md), and what else must hold of every engine.

#[path = "../support/adapters.rs"]
mod adapters;
mod arithmetic;
mod cases;
mod compare;
mod controls;
mod enclosure;
mod endurance;
mod engines;
mod flocks;
mod paths;
mod presets;
mod reference;
mod repeat;
mod rule;
mod special;
mod subjects;

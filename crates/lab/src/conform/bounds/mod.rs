//! Error bounds of a step in floating point, computed for each number of each boid by the rule's own code
//! (docs/conformance.md, "The reference and its bounds").

pub mod arithmetic;
pub mod compare;
pub mod enclosure;
pub mod integers;
mod nearest;
mod paths;
pub mod reference;

use flock::Parameters;

use arithmetic::{Arithmetic, Ieee32, Ieee64, Wgsl32};
use compare::{Comparison, compare};
use cpu::State;
use enclosure::{AnyOrder, Enclosed};
use paths::{decide, explore};
use reference::{Expected, Reference, numbers};

/// The arithmetic that an engine guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    Ieee32,
    Wgsl32,
    Ieee64,
}

/// The step after one state, with the bounds for one kind of arithmetic.
#[derive(Debug)]
pub enum Bounds {
    Ieee32(Reference<Ieee32>),
    Wgsl32(Reference<Wgsl32>),
    Ieee64(Reference<Ieee64>),
}

impl Bounds {
    /// Computes the bounds. The state's numbers must be representable in that arithmetic.
    pub fn new(promise: Promise, parameters: &Parameters, state: &State) -> Self {
        match promise {
            Promise::Ieee32 => Bounds::Ieee32(reference::step(parameters, state)),
            Promise::Wgsl32 => Bounds::Wgsl32(reference::step(parameters, state)),
            Promise::Ieee64 => Bounds::Ieee64(reference::step(parameters, state)),
        }
    }

    /// Compares the state that an engine computed with the bounds.
    pub fn compare(&self, actual: &State) -> Comparison {
        match self {
            Bounds::Ieee32(reference) => compare(reference, actual),
            Bounds::Wgsl32(reference) => compare(reference, actual),
            Bounds::Ieee64(reference) => compare(reference, actual),
        }
    }
}

//! Error bounds of a step in floating point, computed for each number of each boid by the rule's own code
//! (docs/conformance.md, "The reference and its bounds").

pub mod compare;
pub mod enclosure;
pub mod paths;
pub mod reference;

use flock::Parameters;

use compare::{Comparison, compare};
use enclosure::{Arithmetic, Enclosed, Ieee32, Ieee64, Wgsl32, any_order_vectors};
use engine::{Result, State};
use paths::{decide, explore};
use reference::{Expected, Reference, numbers};

/// The arithmetic that an engine guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    Ieee32,
    Wgsl32,
    Ieee64,
}

impl Guarantee {
    pub const ALL: [Guarantee; 3] = [Guarantee::Ieee32, Guarantee::Wgsl32, Guarantee::Ieee64];
}

/// Compares the state that an engine computed with the step after one state, by its bounds for one kind of arithmetic.
pub type Bounds = Box<dyn Fn(&State) -> Comparison + Send + Sync>;

/// Computes the bounds. The state's numbers must be representable in that arithmetic.
///
/// # Errors
/// When a custom term does not fit the arithmetic.
pub fn bounds(guarantee: Guarantee, parameters: &Parameters, state: &State) -> Result<Bounds> {
    fn of<A: Arithmetic>(parameters: &Parameters, state: &State) -> Result<Bounds> {
        let reference = reference::step::<A>(parameters, state)?;
        Ok(Box::new(move |actual| compare(&reference, actual)))
    }
    match guarantee {
        Guarantee::Ieee32 => of::<Ieee32>(parameters, state),
        Guarantee::Wgsl32 => of::<Wgsl32>(parameters, state),
        Guarantee::Ieee64 => of::<Ieee64>(parameters, state),
    }
}

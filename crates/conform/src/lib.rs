//! Compares all backends with the rule (docs/conformance.md).
//!
//! Bits (`exact`): integer engines have equal bits at every step. Step (`onestep`): one step in floating point lies
//! within its error bounds of the rule in f64. Each of the `controls` has a deliberate error that must be caught.
//!
//! It knows all engines, and no window or command line. Begin with `plan.rs`.

pub mod backends;
pub mod bounds;
pub mod brute;
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

pub use exact::constants;

use backends::{Backend, Platform, Session, Subject};
use bounds::Guarantee;
use brute::{Brute, Mutation, SumNeighbours};
use engine::Result;
use errors::Errors;
use exact::{Divergence, ExactFlock, quantities};
use flocks::DIMENSIONS;
use onestep::StepCase;
use report::{ReportRow, Tier};

/// The expected results of one model in two or three dimensions.
struct Expected {
    /// For integers, or why they refuse the model.
    pub exact: Result<Vec<ExactFlock>>,
    /// For floating point.
    pub steps: Vec<StepCase>,
}

/// Compares a backend that is there, and notes why it fails.
fn compare_backend(backend: &Backend, steps: u32, expected: &Expected, row: &mut ReportRow) {
    let Ok(subject) = &backend.subject else { return };
    if let Err(error) = compare(subject, steps, expected, row) {
        row.failed.get_or_insert_with(|| error.to_string());
    }
}

/// Compares a subject in all tiers that have expected results for its number type.
fn compare(subject: &Subject, steps: u32, expected: &Expected, row: &mut ReportRow) -> Result {
    let mut session = subject.session();
    match subject.guarantee {
        None => {
            for flock in expected.exact.as_ref().map_err(Clone::clone)? {
                let divergence = exact::check(&mut session, flock, steps)?;
                let bits = row.bits.get_or_insert_default();
                bits.flocks += 1;
                bits.steps = steps;
                bits.wrong += usize::from(divergence.is_some());
                row.note(Tier::Bits, &flock.name, divergence);
            }
        }
        Some(guarantee) => {
            for case in &expected.steps {
                let (step, divergence) = onestep::judge(&mut session, guarantee, case)?;
                let errors = if case.hostile { &mut row.hostile } else { &mut row.natural };
                errors.get_or_insert_default().merge(&step);
                row.note(Tier::Step, &case.name, divergence);
            }
        }
    }
    Ok(())
}

//! The comparison of a backend with what is expected of it.

use super::{Backend, ExactFlock, ReportRow, StepCase, Subject, Tier, exact, onestep};
use engine::Result;

/// The expected results of one model in two or three dimensions.
pub(super) struct Expected {
    /// For integers, or why they refuse the model.
    pub exact: Result<Vec<ExactFlock>>,
    /// For floating point.
    pub steps: Vec<StepCase>,
}

/// Compares a backend that is there, and notes why it fails.
pub(super) fn compare_backend(backend: &Backend, steps: u32, expected: &Expected, row: &mut ReportRow) {
    let Ok(subject) = &backend.subject else { return };
    if let Err(error) = compare(subject, steps, expected, row) {
        row.failed.get_or_insert_with(|| error.to_string());
    }
}

/// Compares a subject in all tiers that have expected results for its number type.
pub(super) fn compare(subject: &Subject, steps: u32, expected: &Expected, row: &mut ReportRow) -> Result {
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

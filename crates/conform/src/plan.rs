//! The comparisons and their order.

use super::flocks::Model;
use super::{
    Backend, Control, ExactFlock, Platform, Report, ReportRow, StepCase, Subject, Tier, controls, exact,
    onestep,
};
use config::presets;
use engine::Result;
use files::{Failure, interrupt};

/// The comparisons to make.
#[derive(Clone, Debug)]
pub struct Plan {
    pub tiers: Vec<Tier>,
    pub models: Vec<Model>,
    /// Steps on which bits are compared.
    pub steps: u32,
    /// Steps on which bits are compared on a microcontroller, at most `steps`.
    pub board_steps: u32,
    /// True if the negative controls are run.
    pub controls: bool,
}

/// Steps of the negative controls.
const CONTROL_STEPS: u32 = 100;

impl Plan {
    /// The number of calls of `done` that [`Plan::run`] makes.
    pub fn parts(&self, backends: &[Backend]) -> u64 {
        let flocks: usize = self.models.iter().map(|model| model.dimensions().len()).sum();
        let controls = if self.controls { controls::all().len() } else { 0 };
        (flocks * backends.len() + controls) as u64
    }

    /// Makes all comparisons, or those before an interrupt; calls `done` after each part.
    ///
    /// # Errors
    /// When the preset of a control cannot be read or its engine fails.
    pub fn run(&self, backends: &[Backend], done: impl Fn()) -> Result<Report, Failure> {
        let mut report = Report::default();
        for model in &self.models {
            let mut rows: Vec<ReportRow> =
                backends.iter().map(|backend| ReportRow::new(backend, model)).collect();
            for dimensions in model.dimensions() {
                if interrupt::asked() {
                    return Ok(report);
                }
                let expected = Expected::new(self, model, dimensions)?;
                for (backend, row) in backends.iter().zip(&mut rows) {
                    if interrupt::asked() {
                        return Ok(report);
                    }
                    self.compare_backend(backend, &expected, row);
                    done();
                }
            }
            report.rows.extend(rows);
        }
        if self.controls {
            for control in controls::all() {
                if interrupt::asked() {
                    return Ok(report);
                }
                report.controls.push(self.try_control(&control)?);
                done();
            }
        }
        Ok(report)
    }

    fn compare_backend(&self, backend: &Backend, expected: &Expected, row: &mut ReportRow) {
        let Ok(subject) = &backend.subject else { return };
        let steps = if backend.place == Platform::Board { self.board_steps } else { self.steps };
        if let Err(error) = compare(subject, steps, expected, row) {
            row.failed.get_or_insert_with(|| error.to_string());
        }
    }

    fn try_control(&self, control: &Control) -> Result<ReportRow, Failure> {
        let plan = Plan { steps: self.steps.min(CONTROL_STEPS), ..self.clone() };
        let model = Model::preset(presets::find(control.preset)?)?;
        let expected = Expected::new(&plan, &model, model.parameters.flock.dimensions)?;
        let mut row = ReportRow {
            name: control.name.to_owned(),
            numeric: control.subject.numeric,
            preset: model.name,
            ..ReportRow::default()
        };
        compare(&control.subject, plan.steps, &expected, &mut row)?;
        Ok(row)
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

/// The expected results of one model in two or three dimensions.
struct Expected {
    /// For integers, or why they refuse the model.
    exact: Result<Vec<ExactFlock>>,
    /// For floating point.
    steps: Vec<StepCase>,
}

impl Expected {
    fn new(plan: &Plan, model: &Model, dimensions: u32) -> Result<Self, Failure> {
        let mut expected = Expected { exact: Ok(Vec::new()), steps: Vec::new() };
        if plan.tiers.contains(&Tier::Bits) {
            expected.exact = exact::flocks(model, dimensions, plan.steps);
        }
        if plan.tiers.contains(&Tier::Step) {
            expected.steps = onestep::cases(model, dimensions)?;
        }
        Ok(expected)
    }
}

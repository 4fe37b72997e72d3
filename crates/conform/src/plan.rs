//! The comparisons and their order.

use super::controls::{self, Control};
use super::flocks::Model;
use super::report::Report;
use super::{Backend, Expected, Platform, ReportRow, Tier, compare, compare_backend, exact, onestep};
use config::presets;
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
                let expected = self.expected(model, dimensions)?;
                for (backend, row) in backends.iter().zip(&mut rows) {
                    if interrupt::asked() {
                        return Ok(report);
                    }
                    let is_board = backend.place == Platform::Board;
                    let steps = if is_board { self.board_steps } else { self.steps };
                    compare_backend(backend, steps, &expected, row);
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

    /// The expected results of one model in two or three dimensions.
    fn expected(&self, model: &Model, dimensions: u32) -> Result<Expected, Failure> {
        let mut expected = Expected { exact: Ok(Vec::new()), steps: Vec::new() };
        if self.tiers.contains(&Tier::Bits) {
            expected.exact = exact::flocks(model, dimensions, self.steps);
        }
        if self.tiers.contains(&Tier::Step) {
            expected.steps = onestep::cases(model, dimensions)?;
        }
        Ok(expected)
    }

    fn try_control(&self, control: &Control) -> Result<ReportRow, Failure> {
        let plan = Plan { steps: self.steps.min(CONTROL_STEPS), ..self.clone() };
        let model = Model::preset(presets::find(control.preset)?)?;
        let expected = plan.expected(&model, model.parameters.flock.dimensions)?;
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

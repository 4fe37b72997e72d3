//! The check that a window offers: every preset in integers against the recorded hashes, and one step in f32 within its
//! bounds, on the CPU and on the device that draws.

use super::flocks::Model;
use super::report::{Report, ReportRow};
use super::{Backend, Expected, Platform, Subject, compare_backend, exact, onestep};
use config::presets::PRESETS;
use engine::{Numeric, Result};
use engines::Device;
use files::Failure;

/// Steps on which integers are compared, at the recorded ones among them.
const STEPS: u32 = 100;

/// A check under way.
#[derive(Debug)]
pub struct DeviceCheck {
    backends: Vec<Backend>,
    /// A preset, and the dimensions in which it is compared.
    flocks: Vec<(Model, u32)>,
    /// Number of flocks that were compared.
    done: usize,
    report: Report,
}

impl DeviceCheck {
    /// The check of the CPU and of a device.
    ///
    /// # Errors
    /// When the file of a preset is not valid.
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let mut backends = Vec::new();
        for numeric in [Numeric::Fixed, Numeric::F32] {
            backends.push(backend("cpu", Platform::Cpu, Device::cpu(numeric)));
            if let Device::Gpu(gpu, _) = device {
                backends.push(backend("gpu", Platform::Gpu, Device::Gpu(gpu.clone(), numeric)));
            }
        }
        let mut flocks = Vec::new();
        for preset in PRESETS {
            let model = Model::preset(preset)?;
            for dimensions in model.dimensions() {
                flocks.push((model.clone(), dimensions));
            }
        }
        Ok(DeviceCheck { backends, flocks, done: 0, report: Report::default() })
    }

    /// The number of flocks that were compared, and of all.
    pub fn progress(&self) -> [usize; 2] {
        [self.done, self.flocks.len()]
    }

    /// The results up to now: for each preset a row a backend.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Compares the next flock on every backend, if one is left.
    ///
    /// # Errors
    /// When a step of the rule itself fails.
    pub fn advance(&mut self) -> Result<(), Failure> {
        let Some((model, dimensions)) = self.flocks.get(self.done) else { return Ok(()) };
        if self.report.rows.last().is_none_or(|row| row.preset != model.name) {
            self.report.rows.extend(self.backends.iter().map(|backend| ReportRow::new(backend, model)));
        }
        let expected = Expected {
            exact: exact::recorded(model, *dimensions),
            steps: onestep::cases(model, *dimensions)?,
        };
        let first = self.report.rows.len() - self.backends.len();
        for (backend, row) in self.backends.iter().zip(&mut self.report.rows[first..]) {
            compare_backend(backend, STEPS, &expected, row);
        }
        self.done += 1;
        Ok(())
    }
}

fn backend(name: &str, place: Platform, device: Device) -> Backend {
    let (name, numeric) = (name.to_owned(), device.numeric());
    Backend { name, numeric, place, subject: Ok(Subject::of_device(device)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls;

    /// Runs a check to its end; returns the results of its rows.
    fn results(mut check: DeviceCheck) -> Vec<&'static str> {
        while check.done < check.flocks.len() {
            check.advance().expect("the presets can be stepped");
        }
        check.report.rows.iter().map(ReportRow::result).collect()
    }

    #[test]
    fn the_right_engines_agree_and_each_with_a_mistake_differs() {
        for control in controls::all() {
            let mut check = DeviceCheck::new(&Device::cpu(Numeric::F32)).expect("the presets are valid");
            check.flocks.retain(|(model, _)| model.name == control.preset);
            check.backends.push(Backend {
                name: control.name.to_owned(),
                numeric: control.subject.numeric,
                place: Platform::Cpu,
                subject: Ok(control.subject),
            });
            assert_eq!(results(check), ["agrees", "agrees", "differs"], "{}", control.name);
        }
    }
}

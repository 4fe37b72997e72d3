//! The changes to a flock in flight, in the order in which they were made.

use flock::Parameters;

use config::{ConfigError, Document, differences};
use engine::{Engine, EngineError, Result};

/// A change to a flock in flight.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Parameters, as differences from those before.
    Parameters {
        differences: Vec<String>,
        /// True if an effect of the pointer is among the parameters: it ends by itself.
        by_pointer: bool,
    },
    /// A predator is steered to a point.
    Steer { predator: usize, position: [f32; 3] },
}

impl Change {
    /// Makes the change.
    ///
    /// # Errors
    /// When the engine refuses it.
    pub fn make(&self, engine: &mut dyn Engine, parameters: &mut Parameters) -> Result {
        match self {
            Change::Parameters { .. } => {
                let mut new = *parameters;
                self.set(&mut new)?;
                engine.set_parameters(&new)?;
                *parameters = new;
                Ok(())
            }
            Change::Steer { predator, position } => engine.steer_predator(*predator, *position),
        }
    }

    /// Sets the parameters of the change, without an engine.
    ///
    /// # Errors
    /// When they cannot be set.
    pub fn set(&self, parameters: &mut Parameters) -> Result {
        if let Change::Parameters { differences, .. } = self {
            let refused = |why: ConfigError| EngineError::Refused(why.to_string());
            *parameters = with(parameters, differences).map_err(refused)?;
        }
        Ok(())
    }

    /// Approximate size in bytes.
    fn size(&self) -> usize {
        match self {
            Change::Parameters { differences, .. } => {
                differences.iter().map(|text| text.len() + size_of::<String>()).sum()
            }
            Change::Steer { .. } => 0,
        }
    }
}

/// Parameters with differences.
///
/// # Errors
/// See [`Document::apply`].
pub(crate) fn with(parameters: &Parameters, differences: &[String]) -> Result<Parameters, ConfigError> {
    let mut document = Document { parameters: *parameters, ..Document::default() };
    document.apply(differences)?;
    Ok(document.parameters)
}

/// A change, made before the step after this one.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeAt {
    pub step: u64,
    pub change: Change,
}

/// Changes in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    all: Vec<ChangeAt>,
    /// Approximate size in bytes.
    size: usize,
}

impl Changes {
    /// Adds new parameters, if they differ from those before.
    pub fn set_parameters(&mut self, step: u64, before: &Parameters, new: &Parameters, by_pointer: bool) {
        let differences = differences(before, new);
        if !differences.is_empty() {
            self.add(step, Change::Parameters { differences, by_pointer });
        }
    }

    /// Adds a steered predator. Its last position before a step replaces the ones before.
    pub fn steer(&mut self, step: u64, predator: usize, position: [f32; 3]) {
        let change = Change::Steer { predator, position };
        if let Some(last) = self.all.last_mut()
            && last.step == step
            && matches!(last.change, Change::Steer { predator: same, .. } if same == predator)
        {
            last.change = change;
            return;
        }
        self.add(step, change);
    }

    /// Adds a change. Steps do not decrease.
    pub(crate) fn add(&mut self, step: u64, change: Change) {
        self.size += size_of::<ChangeAt>() + change.size();
        self.all.push(ChangeAt { step, change });
    }

    /// All changes.
    pub fn all(&self) -> &[ChangeAt] {
        &self.all
    }

    /// The changes that are made at a step.
    pub fn at(&self, step: u64) -> &[ChangeAt] {
        let begin = self.all.partition_point(|change| change.step < step);
        let length = self.all[begin..].partition_point(|change| change.step == step);
        &self.all[begin..begin + length]
    }

    /// The first step after this one at which there is a change.
    pub fn next_after(&self, step: u64) -> Option<u64> {
        let next = self.all.partition_point(|change| change.step <= step);
        self.all.get(next).map(|change| change.step)
    }

    /// Drops the changes from a step on.
    pub fn truncate(&mut self, step: u64) {
        self.all.truncate(self.all.partition_point(|change| change.step < step));
        self.measure();
    }

    /// Drops the changes before a step.
    pub fn forget_before(&mut self, step: u64) {
        self.all.drain(..self.all.partition_point(|change| change.step < step));
        self.measure();
    }

    /// Approximate size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    fn measure(&mut self) {
        self.size = self.all.iter().map(|at| size_of::<ChangeAt>() + at.change.size()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_by_their_steps_and_counted() {
        let mut changes = Changes::default();
        let before = Parameters::default();
        let mut new = before;
        new.separation.radius = 7.25;
        changes.set_parameters(3, &before, &before, false);
        assert!(changes.all().is_empty());
        changes.set_parameters(3, &before, &new, true);
        for (step, x) in [(3, 1.0), (3, 2.0), (4, 3.0), (9, 3.0)] {
            changes.steer(step, 0, [x, 0.0, 0.0]);
        }
        assert_eq!(changes.all().len(), 4);
        let [parameters, steered] = changes.at(3) else { panic!("{:?}", changes.at(3)) };
        let differences = vec!["separation.radius=7.25".to_owned()];
        assert_eq!(parameters.change, Change::Parameters { differences, by_pointer: true });
        assert_eq!(steered.change, Change::Steer { predator: 0, position: [2.0, 0.0, 0.0] });
        assert_eq!(
            [changes.next_after(0), changes.next_after(4), changes.next_after(9)],
            [Some(3), Some(9), None]
        );
        assert!(changes.at(5).is_empty());
        let size = changes.size();
        changes.truncate(9);
        assert_eq!((changes.all().len(), changes.next_after(4)), (3, None));
        changes.forget_before(4);
        assert!(changes.all().len() == 1 && changes.size() < size);
        // At one step, another predator or other parameters in between are no replacement.
        changes.steer(4, 1, [0.0; 3]);
        changes.steer(4, 0, [0.0; 3]);
        assert_eq!(changes.all().len(), 3);
    }
}

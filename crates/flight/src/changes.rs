//! The changes to a flock in flight, in the order in which they were made.

use std::ops::Range;

use flock::Parameters;

use config::{ConfigError, Document, differences};
use engine::{Engine, EngineError, Result};

/// The parameters of a flock in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// Those that were set.
    pub set: Parameters,
    /// Those that step the flock: with the effect of a pointer, which ends by itself.
    pub engine: Parameters,
}

impl InFlight {
    /// Parameters without an effect of a pointer.
    pub fn new(parameters: Parameters) -> Self {
        InFlight { set: parameters, engine: parameters }
    }
}

/// A change to a flock in flight.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Parameters {
        /// Differences from the parameters that were set before.
        set: Vec<String>,
        /// Differences from those that are set now: the effect of a pointer.
        pointer: Vec<String>,
    },
    /// A predator is steered to a point.
    Steer { predator: usize, position: [f32; 3] },
}

impl Change {
    /// Makes the change.
    ///
    /// # Errors
    /// When the engine refuses it.
    pub fn make(&self, engine: &mut dyn Engine, parameters: &mut InFlight) -> Result {
        match self {
            Change::Parameters { .. } => {
                let mut new = *parameters;
                self.apply(&mut new).map_err(refused)?;
                engine.set_parameters(&new.engine)?;
                *parameters = new;
                Ok(())
            }
            Change::Steer { predator, position } => engine.steer_predator(*predator, *position),
        }
    }

    /// Sets the parameters of the change, without an engine.
    ///
    /// # Errors
    /// When they are not valid.
    pub fn apply(&self, parameters: &mut InFlight) -> Result<(), ConfigError> {
        if let Change::Parameters { set, pointer } = self {
            let set = with(&parameters.set, set)?;
            let engine = if pointer.is_empty() { set } else { with(&set, pointer)? };
            *parameters = InFlight { set, engine };
        }
        Ok(())
    }

    /// Approximate size in bytes.
    fn size(&self) -> usize {
        match self {
            Change::Parameters { set, pointer } => {
                let texts = set.iter().chain(pointer);
                texts.map(|text| text.len() + size_of::<String>()).sum()
            }
            Change::Steer { .. } => 0,
        }
    }
}

/// The refusal of parameters that are not valid.
fn refused(why: ConfigError) -> EngineError {
    EngineError::Refused(why.to_string())
}

/// Parameters with differences.
///
/// # Errors
/// See [`Document::apply`].
fn with(parameters: &Parameters, differences: &[String]) -> Result<Parameters, ConfigError> {
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
    /// The steps at which parameters were set, apart from effects of the pointer, once each.
    set_at: Vec<u64>,
    /// Approximate size in bytes.
    size: usize,
}

/// Maximum number of marks.
const MARKS: usize = 256;

impl Changes {
    /// Adds new parameters, if they differ from those before.
    pub fn set_parameters(&mut self, step: u64, before: &InFlight, new: &InFlight) {
        if new != before {
            let set = differences(&before.set, &new.set);
            let pointer = differences(&new.set, &new.engine);
            self.add(step, Change::Parameters { set, pointer });
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
        debug_assert!(self.all.last().is_none_or(|last| last.step <= step), "changes are made in order");
        self.size += size_of::<ChangeAt>() + change.size();
        self.mark(step, &change);
        self.all.push(ChangeAt { step, change });
    }

    /// Marks a step at which something was set.
    fn mark(&mut self, step: u64, change: &Change) {
        let is_set = matches!(change, Change::Parameters { set, .. } if !set.is_empty());
        if is_set && self.set_at.last() != Some(&step) {
            self.set_at.push(step);
        }
    }

    /// Steps at which parameters were set, apart from effects of the pointer; some of them if they are very many.
    pub fn marks(&self) -> Vec<u64> {
        let every = self.set_at.len().div_ceil(MARKS).max(1);
        self.set_at.iter().copied().step_by(every).collect()
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

    /// Sets the parameters that the changes at these steps set, without an engine.
    ///
    /// # Errors
    /// When they are not valid.
    pub fn apply(&self, steps: Range<u64>, parameters: &mut InFlight) -> Result {
        for at in self.all.iter().filter(|at| steps.contains(&at.step)) {
            at.change.apply(parameters).map_err(refused)?;
        }
        Ok(())
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

    /// Begins with what a pointer has added to the parameters of the start, so that it can end.
    pub(crate) fn begin_with(&mut self, step: u64, parameters: &InFlight) {
        if parameters.set != parameters.engine {
            let set = differences(&parameters.engine, &parameters.set);
            let pointer = differences(&parameters.set, &parameters.engine);
            self.all.insert(0, ChangeAt { step, change: Change::Parameters { set, pointer } });
            self.measure();
        }
    }

    /// Approximate size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    fn measure(&mut self) {
        self.size = self.all.iter().map(|at| size_of::<ChangeAt>() + at.change.size()).sum();
        match (self.all.first(), self.all.last()) {
            (Some(first), Some(last)) => {
                let steps = first.step..=last.step;
                self.set_at.retain(|step| steps.contains(step));
            }
            _ => self.set_at.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_by_their_steps_and_counted() {
        let mut changes = Changes::default();
        let before = InFlight::new(Parameters::default());
        let mut new = before;
        new.engine.separation.radius = 7.25;
        changes.set_parameters(3, &before, &before);
        assert!(changes.all().is_empty());
        changes.set_parameters(3, &before, &new);
        for (step, x) in [(3, 1.0), (3, 2.0), (4, 3.0), (9, 3.0)] {
            changes.steer(step, 0, [x, 0.0, 0.0]);
        }
        assert_eq!(changes.all().len(), 4);
        let [parameters, steered] = changes.at(3) else { panic!("{:?}", changes.at(3)) };
        let pointer = vec!["separation.radius=7.25".to_owned()];
        assert_eq!(parameters.change, Change::Parameters { set: Vec::new(), pointer });
        let mut found = before;
        parameters.change.apply(&mut found).expect("allowed");
        assert_eq!(found, new);
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

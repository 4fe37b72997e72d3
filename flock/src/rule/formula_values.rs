//! Custom terms and their values, as fields of a rule.

use super::quantise::cosine_sine;
use crate::formula::{Each, FormulaTerms, MAX_REFERENCES, Reference, ValueSource};
use crate::parameters::{MAX_NEAREST, Parameters, Value, find};

/// The cosine and the sine of an angle in degrees, from 0 to 180. At 180 the cosine is less than any, so that rounding
/// leaves no boid right behind out of sight, and no turn short.
#[must_use]
pub fn angle_values(degrees: f64) -> [f64; 2] {
    if degrees >= 180.0 { [-2.0, 0.0] } else { cosine_sine(degrees.max(0.0)) }
}

/// The terms and their numbers, in users' units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FormulaValues {
    /// The terms, with their own values.
    pub terms: FormulaTerms,
    /// Number of boids of the flock.
    pub boids: u32,
    references: [f64; MAX_REFERENCES],
}

impl FormulaValues {
    /// The values at some parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let terms = parameters.terms;
        let mut references = [0.0; MAX_REFERENCES];
        let named = terms.compiled().map_or(&[][..], |set| set.references);
        for (value, Reference { parameter, component }) in references.iter_mut().zip(named) {
            let component = component % 3;
            *value = match find(parameter).map(|parameter| parameter.get(parameters)) {
                Some(Value::Real(number)) => number,
                Some(Value::Count(number)) => number.into(),
                Some(Value::Flag(on)) => u8::from(on).into(),
                Some(Value::Vector(_)) if parameters.flat() && component == 2 => 0.0,
                Some(Value::Vector(vector)) => vector[component],
                Some(Value::Choice(_) | Value::Spheres(_) | Value::Shares(_)) | None => 0.0,
            };
        }
        FormulaValues { terms, boids: parameters.flock.boids, references }
    }

    /// Number of nearest boids in a sum, rounded; 0: all.
    #[must_use]
    pub fn nearest(&self, each: &Each) -> u32 {
        // The cast gives 0 for NaN.
        each.nearest.map_or(0, |k| (self.terms.value(k) + 0.5) as u32).min(MAX_NEAREST)
    }

    /// True if some sum is over the nearest boids only.
    #[must_use]
    pub fn ranks(&self) -> bool {
        self.terms.terms().iter().flat_map(|term| term.sums).any(|each| self.nearest(each) > 0)
    }

    /// The rows of the table that a value is the first of; 0 of any other.
    #[must_use]
    pub fn side(&self, source: ValueSource) -> usize {
        if let ValueSource::Parameter(k) = source { self.terms.side(k) } else { 0 }
    }

    /// A value of a formula.
    #[must_use]
    pub fn value(&self, source: ValueSource) -> f64 {
        match source {
            ValueSource::Constant(number) => number,
            ValueSource::Parameter(k) => self.terms.value(k),
            ValueSource::Cosine(k) => angle_values(self.terms.value(k))[0],
            ValueSource::Sine(k) => angle_values(self.terms.value(k))[1],
            ValueSource::Reference(k) => self.references.get(k).copied().unwrap_or(0.0),
        }
    }
}

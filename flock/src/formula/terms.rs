//! Custom terms as data: compiled once, shared by all copies of the parameters.

use core::num::NonZeroU8;

use super::code::Node;
use super::{MAX_PARAMETERS, MAX_TERMS};
use crate::parameters::{Refused, Value, ValueKind};

/// The terms of a flock and the values of their parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormulaTerms {
    set: Option<&'static TermSet>,
    values: [f64; MAX_PARAMETERS],
}

impl Default for FormulaTerms {
    fn default() -> Self {
        FormulaTerms { set: None, values: [0.0; MAX_PARAMETERS] }
    }
}

/// Terms that were compiled together. Registers, values and parameters are numbered.
#[derive(Clone, Debug, PartialEq)]
pub struct TermSet {
    /// The terms, at most [`MAX_TERMS`], in the order of their names.
    pub terms: &'static [FormulaTerm],
    /// The parameters of all terms, at most [`MAX_PARAMETERS`].
    pub parameters: &'static [FormulaParameter],
    /// The numbers of the flock's own parameters that formulas name, at most
    /// [`super::MAX_REFERENCES`].
    pub references: &'static [Reference],
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaTerm {
    /// The name, as in `[terms.NAME]`.
    pub name: &'static str,
    /// One sentence; may be empty.
    pub help: &'static str,
    /// The sums over the neighbours, at most [`super::MAX_SUMS`].
    pub sums: &'static [Each],
    /// The request (length/time).
    pub request: Formula,
}

/// A sum over the neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The name, as in `[terms.TERM.sums.NAME]`; empty for the only sum of a term, its `each`.
    pub name: &'static str,
    /// The summand of a neighbour.
    pub formula: Formula,
    /// The number of the parameter below which a boid is a neighbour (length).
    pub radius: usize,
    /// The register that is 0 for a boid within the radius that is not perceived; none if all are.
    pub perceived: Option<NonZeroU8>,
    /// The number of the parameter that limits the sum to the nearest of these; none if all count.
    pub nearest: Option<usize>,
}

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The text, as it was written.
    pub text: &'static str,
    /// The operations.
    pub nodes: &'static [Node],
    /// The constants and parameters that it reads, by the number that [`super::Op::Value`] has.
    pub values: &'static [ValueSource],
    /// The registers of x, y and z.
    pub result: [u8; 3],
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSource {
    /// The formula itself.
    Constant(f64),
    /// A parameter of the terms, by its number.
    Parameter(usize),
    /// The cosine of a parameter of the terms, by its number: half a field of view in degrees.
    Cosine(usize),
    /// The sine of a parameter of the terms, by its number: an angle in degrees.
    Sine(usize),
    /// A parameter of the flock: one of [`TermSet::references`].
    Reference(usize),
}

/// A parameter of a term: a real number, alone or one of a table. The numbers of a table come in a row, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaParameter {
    /// `terms.TERM.KEY`; in a table `terms.TERM.KEY[ROW][COLUMN]`, from 0.
    pub name: &'static str,
    /// The name of the term.
    pub term: &'static str,
    /// The name within the term; `sums.SUM.KEY` for a parameter of one of its sums.
    pub key: &'static str,
    /// The unit, as it was written; empty for a pure number.
    pub unit: &'static str,
    /// The value that it starts with.
    pub default: f64,
    /// The least and the greatest value.
    pub range: [f64; 2],
    /// Number of rows, and of columns, of its table; 0 for a single number.
    pub side: usize,
}

/// A number of the flock's own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `table.key` of a parameter: a number, a flag or a vector.
    pub parameter: &'static str,
    /// The component of a vector, from 0.
    pub component: usize,
}

impl FormulaTerms {
    /// The terms of a set, at the values that they start with.
    #[must_use]
    pub fn new(set: &'static TermSet) -> Self {
        let mut terms = FormulaTerms { set: Some(set), ..Self::default() };
        terms.values.iter_mut().zip(set.parameters).for_each(|(value, parameter)| *value = parameter.default);
        terms
    }

    /// The compiled terms, if there are any.
    #[must_use]
    pub fn compiled(&self) -> Option<&'static TermSet> {
        self.set
    }

    /// The terms.
    #[must_use]
    pub fn terms(&self) -> &'static [FormulaTerm] {
        self.set.map_or(&[], |set| &set.terms[..set.terms.len().min(MAX_TERMS)])
    }

    /// The parameters with their values.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static FormulaParameter, f64)> {
        self.set.map_or(&[][..], |set| set.parameters).iter().zip(self.values)
    }

    /// The parameters with their values, those of a table together.
    pub fn grouped(&self) -> impl Iterator<Item = (&'static [FormulaParameter], &[f64])> {
        let parameters = self.set.map_or(&[][..], |set| set.parameters);
        let mut rest = &self.values[..];
        parameters.chunk_by(|a, b| (a.term, a.key) == (b.term, b.key)).map(move |all| {
            let (values, after) = rest.split_at(all.len().min(rest.len()));
            rest = after;
            (all, values)
        })
    }

    /// The value of a parameter, by `terms.TERM.KEY`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.parameters().find(|(parameter, _)| parameter.name == name).map(|(_, value)| value)
    }

    /// Sets a parameter, by `terms.TERM.KEY`; false where there is none.
    ///
    /// # Errors
    /// When the value lies outside of the range; nothing is changed then.
    pub fn set(&mut self, name: &str, value: f64) -> Result<bool, Refused> {
        let Some((k, (parameter, _))) =
            self.parameters().enumerate().find(|(_, (parameter, _))| parameter.name == name)
        else {
            return Ok(false);
        };
        let Value::Real(value) = parameter.kind().check(Value::Real(value))? else { return Ok(false) };
        self.values[k] = value;
        Ok(true)
    }

    /// The value of parameter number k; 0 where there is none.
    pub(crate) fn value(&self, k: usize) -> f64 {
        self.values.get(k).copied().unwrap_or(0.0)
    }

    /// The rows of the table that begins with parameter number k; 0 where none does.
    pub(crate) fn side(&self, k: usize) -> usize {
        self.set.and_then(|set| set.parameters.get(k)).map_or(0, |parameter| parameter.side)
    }

    /// The parameters that are radii of sums over neighbours, with their values.
    pub fn radii(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let sums = self.terms().iter().flat_map(|term| term.sums);
        sums.filter_map(|each| self.parameters().nth(each.radius))
            .map(|(parameter, value)| (parameter.name, value))
    }

    /// The greatest radius of a sum over neighbours; 0 where there is none.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.radii().map(|(_, radius)| radius).fold(0.0, f64::max)
    }
}

impl FormulaParameter {
    /// The name of its sum and its own within it, if it is a parameter of a named sum.
    #[must_use]
    pub fn of_sum(&self) -> Option<(&'static str, &'static str)> {
        self.key.strip_prefix("sums.")?.split_once('.')
    }

    /// Its type and range.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        ValueKind::Real { min: self.range[0], max: self.range[1] }
    }
}

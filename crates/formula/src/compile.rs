//! Compiles the texts of terms to the code that engines run, all formulas of a flock together.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU8;
use std::sync::{LazyLock, Mutex, PoisonError};

use flock::formula::{
    Each, Formula, FormulaParameter, FormulaTerm, FormulaTerms, MAX_PARAMETERS, MAX_REFERENCES, MAX_TERMS,
    MAX_TOGETHER, MAX_VALUES, Node, Reference, TermSet, ValueSource,
};

use crate::error::Error;
use crate::lower::{Lowered, lower};
use crate::names::{FormulaKind, NEAREST, PERCEPTION, RADIUS, TermParameter};
use crate::parse::parse;
use crate::units::Unit;

/// A term as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermText {
    /// A name that formulas do not use: see [`crate::names::refused`].
    pub name: String,
    /// One sentence; may be empty.
    pub help: String,
    pub parameters: Vec<ParameterText>,
    /// The formula of a neighbour's summand.
    pub each: Option<String>,
    pub request: String,
}

/// The numbers of a parameter: one, or those of a table row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Number of rows, and of columns; 0 for a single number.
    pub side: usize,
    pub all: Vec<f64>,
}

impl From<f64> for Numbers {
    fn from(number: f64) -> Self {
        Numbers { side: 0, all: vec![number] }
    }
}

impl fmt::Display for Numbers {
    /// The numbers as in a TOML file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            0 => write!(f, "{:?}", self.all.first().copied().unwrap_or_default()),
            side => write!(f, "{:?}", self.all.chunks(side).collect::<Vec<_>>()),
        }
    }
}

/// A parameter of a term: a real number, or a table of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterText {
    pub key: String,
    /// The unit, as [`Unit::parse`] reads it.
    pub unit: String,
    /// Within the range.
    pub default: Numbers,
    /// The least and the greatest value.
    pub range: [f64; 2],
}

/// The part of a term that has an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One of its formulas.
    Formula(FormulaKind),
    /// A parameter, by its key.
    Parameter(String),
    /// The term as a whole.
    Term,
}

/// An error in a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermError {
    /// The number of the term.
    pub term: usize,
    pub place: Place,
    pub error: Error,
}

/// Terms as they were written, with the values that their parameters have.
#[must_use]
pub fn texts(terms: &FormulaTerms) -> Vec<TermText> {
    let parameter = |(all, values): (&[FormulaParameter], &[f64])| ParameterText {
        key: all[0].key.to_owned(),
        unit: all[0].unit.to_owned(),
        default: Numbers { side: all[0].side, all: values.to_vec() },
        range: all[0].range,
    };
    let text = |term: &FormulaTerm| TermText {
        name: term.name.to_owned(),
        help: term.help.to_owned(),
        parameters: terms.grouped().filter(|(all, _)| all[0].term == term.name).map(parameter).collect(),
        each: term.each.as_ref().map(|each| each.formula.text.to_owned()),
        request: term.request.text.to_owned(),
    };
    terms.terms().iter().map(text).collect()
}

/// The terms with another formula in one of them, at the values that their parameters have.
///
/// # Errors
/// See [`compile()`].
pub fn edited(
    terms: &FormulaTerms,
    term: usize,
    kind: FormulaKind,
    formula: &str,
) -> Result<FormulaTerms, TermError> {
    let mut texts = texts(terms);
    if let Some(text) = texts.get_mut(term) {
        match kind {
            FormulaKind::Each => text.each = Some(formula.to_owned()),
            FormulaKind::Request => text.request = formula.to_owned(),
        }
    }
    compile(&texts).map(FormulaTerms::new)
}

/// All formulas so far.
#[derive(Default)]
struct Room {
    instructions: usize,
    values: usize,
    parameters: usize,
    references: Vec<Reference>,
}

/// A compiled formula.
struct CompiledFormula {
    nodes: Vec<Node>,
    values: Vec<ValueSource>,
    result: [u8; 3],
    /// The unit of the result; none if any unit fits, like that of 0.
    unit: Option<Unit>,
    /// The register that is 0 for a neighbour that is not perceived.
    perceived: Option<NonZeroU8>,
}

/// A compiled sum over neighbours, with the indices of its radius and of its number of nearest neighbours.
struct CompiledSum {
    formula: CompiledFormula,
    radius: usize,
    nearest: Option<usize>,
}

/// A compiled term.
struct CompiledTerm {
    sum: Option<CompiledSum>,
    request: CompiledFormula,
    /// The range of each parameter.
    ranges: Vec<[f64; 2]>,
}

/// The sets of terms that are kept, by their texts.
#[derive(Default)]
struct Kept {
    sets: HashMap<String, &'static TermSet>,
    /// Their size.
    bytes: usize,
}

/// The most bytes of sets of terms. Parameters are copied freely, so no set can be freed: tens of thousands fit.
const MOST_KEPT: usize = 64 << 20;

/// Compiles the terms of a flock. The result for each set of texts is kept, up to a size of all; what has an error is
/// not.
///
/// # Errors
/// Names the first error and its place.
pub fn compile(texts: &[TermText]) -> Result<&'static TermSet, TermError> {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).compile(texts, MOST_KEPT)
}

impl Kept {
    fn compile(&mut self, texts: &[TermText], most: usize) -> Result<&'static TermSet, TermError> {
        let key = format!("{texts:?}");
        if let Some(same) = self.sets.get(&key) {
            return Ok(same);
        }
        let mut room = Room::default();
        let mut terms = Vec::new();
        for (k, text) in texts.iter().enumerate() {
            let placed = |(place, error)| TermError { term: k, place, error };
            if k == MAX_TERMS {
                let why = format!("too many terms: a flock has at most {MAX_TERMS}");
                return Err(placed((Place::Term, Error::new(0..0, why))));
            }
            terms.push(room.term(text).map_err(placed)?);
        }
        // The texts are kept twice, in the key and in the set.
        let numbers =
            size_of::<FormulaParameter>() * room.parameters + size_of::<ValueSource>() * room.values;
        let bytes = 2 * key.len() + numbers + size_of::<Node>() * room.instructions;
        if self.bytes + bytes > most {
            let why = "too many formulas were compiled; restart the program";
            return Err(TermError { term: 0, place: Place::Term, error: Error::new(0..0, why) });
        }
        self.bytes += bytes;
        let set = leaked(texts, terms, room.references);
        self.sets.insert(key, set);
        Ok(set)
    }
}

/// The set in memory that is never freed.
fn leaked(texts: &[TermText], terms: Vec<CompiledTerm>, references: Vec<Reference>) -> &'static TermSet {
    let (mut formula_terms, mut parameters) = (Vec::new(), Vec::new());
    for (text, term) in texts.iter().zip(terms) {
        let name = leak(&text.name);
        for (parameter, range) in text.parameters.iter().zip(term.ranges) {
            let (key, unit, side) = (leak(&parameter.key), leak(&parameter.unit), parameter.default.side);
            for (k, default) in parameter.default.all.iter().copied().enumerate() {
                let at = k.checked_div(side).map_or(String::new(), |row| format!("[{row}][{}]", k % side));
                let full = format!("terms.{name}.{key}{at}").leak();
                parameters.push(FormulaParameter { name: full, term: name, key, unit, default, range, side });
            }
        }
        let each = term.sum.map(|CompiledSum { formula, radius, nearest }| {
            let perceived = formula.perceived;
            let formula = formula.leaked(text.each.as_deref().unwrap_or_default());
            Each { formula, radius, perceived, nearest }
        });
        let request = term.request.leaked(&text.request);
        formula_terms.push(FormulaTerm { name, help: leak(&text.help), each, request });
    }
    Box::leak(Box::new(TermSet {
        terms: formula_terms.leak(),
        parameters: parameters.leak(),
        references: references.leak(),
    }))
}

impl CompiledFormula {
    fn leaked(self, text: &str) -> Formula {
        let CompiledFormula { nodes, values, result, .. } = self;
        Formula { text: leak(text), nodes: nodes.leak(), values: values.leak(), result }
    }
}

fn leak(text: &str) -> &'static str {
    String::from(text).leak()
}

/// An error of a parameter.
fn at_parameter(key: &str, why: String) -> (Place, Error) {
    (Place::Parameter(key.to_owned()), Error::new(0..0, why))
}

/// The range of a parameter; for a parameter of perception, limited to its greatest range.
fn range(text: &TermText, parameter: &ParameterText) -> Result<[f64; 2], (Place, Error)> {
    let ([low, high], key) = (parameter.range, parameter.key.as_str());
    let Some((.., most, allowed)) = PERCEPTION.iter().find(|(name, ..)| text.each.is_some() && *name == key)
    else {
        return Ok([low, high]);
    };
    let range = [low.max(0.0), high.min(*most)];
    match parameter.default.all.iter().find(|number| !(range[0]..=range[1]).contains(number)) {
        Some(number) => Err(at_parameter(key, format!("must be {allowed}, not {number:?}"))),
        None => Ok(range),
    }
}

/// The number of the radius among a term's parameters; checks that those of perception have their units and are not
/// tables.
fn radius(parameters: &[TermParameter]) -> Result<usize, (Place, Error)> {
    for (name, unit, ..) in PERCEPTION {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else { continue };
        if parameter.side > 0 {
            return Err(at_parameter(name, "must be a number, not a table".to_owned()));
        }
        if parameter.unit != unit {
            let why = match unit {
                Unit::NONE => format!("must have no unit, not {}", parameter.unit),
                unit => format!("must have the unit {unit}, not {}", parameter.unit),
            };
            return Err(at_parameter(name, why));
        }
    }
    parameters.iter().position(|parameter| parameter.name == RADIUS).ok_or_else(|| {
        let why = format!("'each' requires the parameter {RADIUS}, within which a boid is a neighbour");
        let hint = format!("{RADIUS} = {{ default = 3, range = [0, 20], unit = \"len\" }}");
        (Place::Term, Error::new(0..0, why).hint(hint))
    })
}

impl Room {
    fn term(&mut self, text: &TermText) -> Result<CompiledTerm, (Place, Error)> {
        let mut end = self.parameters;
        let named = |parameter: &ParameterText| {
            let (first, side) = (end, parameter.default.side);
            end += parameter.default.all.len();
            TermParameter { name: parameter.key.clone(), unit: Unit::of(&parameter.unit), first, side }
        };
        let parameters: Vec<TermParameter> = text.parameters.iter().map(named).collect();
        if end > MAX_PARAMETERS {
            let why =
                format!("too many parameters: all terms together have at most {MAX_PARAMETERS} numbers");
            return Err((Place::Term, Error::new(0..0, why)));
        }
        self.parameters = end;
        let ranges =
            text.parameters.iter().map(|parameter| range(text, parameter)).collect::<Result<_, _>>()?;
        let mut read = vec![false; parameters.len()];
        let mut sum = None;
        if let Some(formula) = &text.each {
            let radius = radius(&parameters)?;
            let nearest = parameters.iter().position(|parameter| parameter.name == NEAREST);
            let formula = self
                .formula(formula, FormulaKind::Each, &parameters, None, &mut read)
                .map_err(|error| (Place::Formula(FormulaKind::Each), error))?;
            nearest.into_iter().chain([radius]).for_each(|k| read[k] = true);
            let nearest = nearest.map(|k| parameters[k].first);
            sum = Some(CompiledSum { formula, radius: parameters[radius].first, nearest });
        }
        let request = self
            .formula(
                &text.request,
                FormulaKind::Request,
                &parameters,
                sum.as_ref().map(|sum| &sum.formula),
                &mut read,
            )
            .map_err(|error| (Place::Formula(FormulaKind::Request), error))?;
        if let Some(unread) = read.iter().position(|read| !read) {
            return Err(at_parameter(
                &parameters[unread].name,
                "not used by any formula of the term".to_owned(),
            ));
        }
        Ok(CompiledTerm { sum, request, ranges })
    }

    /// Compiles a formula. `sum` is that of the term's `each`; `read` marks the parameters that are read.
    fn formula(
        &mut self,
        text: &str,
        kind: FormulaKind,
        parameters: &[TermParameter],
        sum: Option<&CompiledFormula>,
        read: &mut [bool],
    ) -> Result<CompiledFormula, Error> {
        let references = std::mem::take(&mut self.references);
        let parsed = parse(text, kind, parameters)?;
        let Lowered { nodes, values, references, result, perceived, unit, reads, reads_sum } =
            lower(text, &parsed, kind, parameters, sum.and_then(|each| each.unit), references)?;
        let wrong = |why: &str| Error::new(0..text.len(), why);
        let [x, y, z] = result[..] else {
            return Err(wrong("must be a vector of three numbers").hint("use vec3(x, y, z)"));
        };
        match (kind, sum) {
            (FormulaKind::Request, None) if reads_sum => {
                return Err(wrong("sum and count are only available in a term with 'each'"));
            }
            (FormulaKind::Request, Some(_)) if !reads_sum => {
                return Err(wrong("must use sum or count, because the term has 'each'"));
            }
            _ => {}
        }
        if let Some(unit) = unit.filter(|unit| kind == FormulaKind::Request && *unit != Unit::VELOCITY) {
            let why = format!("must be a velocity, with the unit {}, not {unit}", Unit::VELOCITY);
            let factor = format!("multiply by a factor with the unit {}", Unit::VELOCITY - unit);
            return Err(wrong(&why).hint(factor));
        }
        read.iter_mut().zip(reads).for_each(|(all, here)| *all |= here);
        self.references = references;
        self.instructions += nodes.len();
        self.values += values.len();
        for (what, count, most) in [
            ("operations", self.instructions, MAX_TOGETHER),
            ("constants and parameters", self.values, MAX_VALUES),
            ("numbers of the flock's parameters", self.references.len(), MAX_REFERENCES),
        ] {
            if count > most {
                let why = format!("too many {what}: all formulas together have at most {most}");
                return Err(wrong(&why));
            }
        }
        Ok(CompiledFormula { nodes, values, result: [x, y, z], unit, perceived })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(request: &str) -> [TermText; 1] {
        [TermText { name: "a".to_owned(), request: request.to_owned(), ..TermText::default() }]
    }

    #[test]
    fn what_is_compiled_is_kept_up_to_a_size_and_errors_are_not() {
        let (mut kept, most) = (Kept::default(), 10_000);
        let first = kept.compile(&term("velocity"), most).expect("a formula");
        let bytes = kept.bytes;
        assert!(std::ptr::eq(first, kept.compile(&term("velocity"), most).expect("the same")));
        for k in 0..1000 {
            kept.compile(&term(&format!("velocit{k}")), most).expect_err("no such name");
        }
        assert_eq!((kept.bytes, kept.sets.len()), (bytes, 1));
        let some = (2..1000).take_while(|k| kept.compile(&term(&format!("velocity * {k}.0")), most).is_ok());
        assert!((2..500).contains(&some.count()));
        let refused = kept.compile(&term("velocity * 0.5"), most).expect_err("no room");
        assert!(refused.error.message.contains("restart"), "{refused:?}");
        assert!(std::ptr::eq(first, kept.compile(&term("velocity"), most).expect("it is kept")));
    }
}

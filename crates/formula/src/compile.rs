//! Compiles the texts of terms to the code that engines run, all formulas of a flock together.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU8;
use std::sync::{LazyLock, Mutex, PoisonError};

use flock::formula::{
    Each, Formula, FormulaParameter, FormulaTerm, FormulaTerms, MAX_PARAMETERS, MAX_REFERENCES, MAX_SUMS,
    MAX_TERMS, MAX_TOGETHER, MAX_VALUES, Node, Reference, TermSet, ValueSource,
};

use crate::Error;
use crate::lower::{Lowered, lower};
use crate::names::{FormulaKind, FormulaPlace, NEAREST, Names, PERCEPTION, RADIUS, TermParameter, TermSum};
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
    /// The formula of a neighbour's summand, where the term has one sum without a name.
    pub each: Option<String>,
    /// The sums with names; none with `each`.
    pub sums: Vec<SumText>,
    pub request: String,
}

/// A named sum of a term as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SumText {
    pub name: String,
    /// Those of [`PERCEPTION`], the radius among them.
    pub parameters: Vec<ParameterText>,
    /// The formula of a neighbour's summand.
    pub each: String,
}

impl TermText {
    /// The text of one of its formulas; none where it has no such sum.
    #[must_use]
    pub fn formula(&self, place: FormulaPlace) -> Option<&str> {
        match place {
            FormulaPlace::Request => Some(&self.request),
            FormulaPlace::Each(sum) => match self.sums.get(sum) {
                Some(sum) => Some(&sum.each),
                None => self.each.as_deref().filter(|_| sum == 0),
            },
        }
    }
}

/// The key of a named sum or, after it, of what it has.
fn sum_key(sum: &str, key: &str) -> String {
    format!("sums.{sum}.{key}")
}

/// The key of a sum's formula: `each` for the only sum of a term, which has no name.
#[must_use]
pub fn each_key(sum: &str) -> String {
    if sum.is_empty() { "each".to_owned() } else { sum_key(sum, "each") }
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
    Formula(FormulaPlace),
    /// A parameter, by its key.
    Parameter(String),
    /// A named sum, by its number.
    Sum(usize),
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
    terms.terms().iter().map(|term| text(terms, term)).collect()
}

/// A term as it was written.
fn text(terms: &FormulaTerms, term: &FormulaTerm) -> TermText {
    let mut text = TermText {
        name: term.name.to_owned(),
        help: term.help.to_owned(),
        request: term.request.text.to_owned(),
        ..TermText::default()
    };
    for each in term.sums {
        let formula = each.formula.text.to_owned();
        if each.name.is_empty() {
            text.each = Some(formula);
        } else {
            text.sums.push(SumText { name: each.name.to_owned(), each: formula, ..SumText::default() });
        }
    }
    for (all, values) in terms.grouped().filter(|(all, _)| all[0].term == term.name) {
        let parameter = |key: &str| ParameterText {
            key: key.to_owned(),
            unit: all[0].unit.to_owned(),
            default: Numbers { side: all[0].side, all: values.to_vec() },
            range: all[0].range,
        };
        match all[0]
            .of_sum()
            .and_then(|(sum, key)| Some((text.sums.iter_mut().find(|text| text.name == sum)?, key)))
        {
            Some((sum, key)) => sum.parameters.push(parameter(key)),
            None => text.parameters.push(parameter(all[0].key)),
        }
    }
    text
}

/// The terms with another formula in one of them, at the values that their parameters have.
///
/// # Errors
/// See [`compile()`].
pub fn edited(
    terms: &FormulaTerms,
    term: usize,
    place: FormulaPlace,
    formula: &str,
) -> Result<FormulaTerms, TermError> {
    let mut texts = texts(terms);
    if let Some(text) = texts.get_mut(term) {
        match place {
            FormulaPlace::Each(sum) if let Some(sum) = text.sums.get_mut(sum) => {
                sum.each = formula.to_owned();
            }
            FormulaPlace::Each(_) => text.each = Some(formula.to_owned()),
            FormulaPlace::Request => text.request = formula.to_owned(),
        }
    }
    compile(&texts).map(FormulaTerms::new)
}

/// All formulas so far.
#[derive(Default)]
struct Room {
    rows: usize,
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

/// A compiled sum over neighbours, with its name, its text, and the indices of its radius and of its number of nearest
/// neighbours.
struct CompiledSum {
    name: String,
    text: String,
    formula: CompiledFormula,
    radius: usize,
    nearest: Option<usize>,
}

/// A compiled term.
struct CompiledTerm {
    sums: Vec<CompiledSum>,
    request: CompiledFormula,
    /// All its parameters by their keys, those of its sums last, with their ranges.
    parameters: Vec<ParameterText>,
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
            room.rows += text.sums.len().max(1);
            if room.rows > MAX_TERMS {
                let why = format!(
                    "too many terms: a flock has at most {MAX_TERMS}, and one with several sums counts as one for each"
                );
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
        for parameter in &term.parameters {
            let (key, unit, side) = (leak(&parameter.key), leak(&parameter.unit), parameter.default.side);
            let range = parameter.range;
            for (k, default) in parameter.default.all.iter().copied().enumerate() {
                let at = k.checked_div(side).map_or(String::new(), |row| format!("[{row}][{}]", k % side));
                let full = format!("terms.{name}.{key}{at}").leak();
                parameters.push(FormulaParameter { name: full, term: name, key, unit, default, range, side });
            }
        }
        let mut sums = Vec::new();
        for CompiledSum { name, text, formula, radius, nearest } in term.sums {
            let perceived = formula.perceived;
            sums.push(Each { name: leak(&name), formula: formula.leaked(&text), radius, perceived, nearest });
        }
        let request = term.request.leaked(&text.request);
        formula_terms.push(FormulaTerm { name, help: leak(&text.help), sums: sums.leak(), request });
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

/// Limits a parameter of perception, with the key `key`, to its greatest range.
fn limit_range(parameter: &mut ParameterText, key: &str) -> Result<(), (Place, Error)> {
    let Some((.., most, allowed)) = PERCEPTION.iter().find(|(name, ..)| *name == key) else { return Ok(()) };
    parameter.range = [parameter.range[0].max(0.0), parameter.range[1].min(*most)];
    let [low, high] = parameter.range;
    match parameter.default.all.iter().find(|number| !(low..=high).contains(number)) {
        Some(number) => Err(at_parameter(&parameter.key, format!("must be {allowed}, not {number:?}"))),
        None => Ok(()),
    }
}

/// Refuses the name of a sum that a parameter has, and a parameter that belongs to a sum.
fn check_names(text: &TermText) -> Result<(), (Place, Error)> {
    let Some(first) = text.sums.first() else { return Ok(()) };
    let has = |key: &str| text.parameters.iter().any(|parameter| parameter.key == key);
    if let Some((key, ..)) = PERCEPTION.iter().find(|(key, ..)| has(key)) {
        let why = format!("must be a parameter of a sum, such as {}", sum_key(&first.name, key));
        return Err(at_parameter(key, why));
    }
    match text.sums.iter().position(|sum| has(&sum.name)) {
        Some(number) => {
            Err((Place::Sum(number), Error::new(0..0, "the term has a parameter with this name")))
        }
        None => Ok(()),
    }
}

/// The number of the radius among the parameters of a sum; checks that those of perception have their units and are not
/// tables. `key` gives their keys in the term; `place` is that of the sum.
fn radius(
    parameters: &[TermParameter],
    key: impl Fn(&str) -> String,
    place: Place,
) -> Result<usize, (Place, Error)> {
    for (name, unit, ..) in PERCEPTION {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else { continue };
        if parameter.side > 0 {
            return Err(at_parameter(&key(name), "must be a number, not a table".to_owned()));
        }
        if parameter.unit != unit {
            let why = match unit {
                Unit::NONE => format!("must have no unit, not {}", parameter.unit),
                unit => format!("must have the unit {unit}, not {}", parameter.unit),
            };
            return Err(at_parameter(&key(name), why));
        }
    }
    parameters.iter().position(|parameter| parameter.name == RADIUS).ok_or_else(|| {
        let why = format!("'each' requires the parameter {RADIUS}, within which a boid is a neighbour");
        let hint = format!("{RADIUS} = {{ default = 3, range = [0, 20], unit = \"len\" }}");
        (place, Error::new(0..0, why).hint(hint))
    })
}

impl Room {
    fn term(&mut self, text: &TermText) -> Result<CompiledTerm, (Place, Error)> {
        if text.sums.len() > MAX_SUMS {
            let why = format!("too many sums: a term has at most {MAX_SUMS}");
            return Err((Place::Sum(MAX_SUMS), Error::new(0..0, why)));
        }
        if text.each.is_some() && !text.sums.is_empty() {
            let why = "a term with 'sums' cannot have 'each'; make it a sum with a name";
            return Err(at_parameter("each", why.to_owned()));
        }
        let mut parameters = text.parameters.clone();
        if text.each.is_some() {
            for parameter in &mut parameters {
                let key = parameter.key.clone();
                limit_range(parameter, &key)?;
            }
        }
        let own = self.number(&parameters)?;
        check_names(text)?;
        let mut read = vec![false; own.len()];
        let mut sums = Vec::new();
        if let Some(formula) = &text.each {
            let radius = radius(&own, str::to_owned, Place::Term)?;
            sums.push(self.sum(0, ("", formula), &own, radius, &mut read)?);
        }
        for (number, sum) in text.sums.iter().enumerate() {
            let mut of_sum = sum.parameters.clone();
            for parameter in &mut of_sum {
                let key = parameter.key.clone();
                parameter.key = sum_key(&sum.name, &key);
                limit_range(parameter, &key)?;
            }
            // Formulas name them without the key of the sum.
            let mut known = own.clone();
            known.extend(self.number(&sum.parameters)?);
            let key = |key: &str| sum_key(&sum.name, key);
            let radius = own.len() + radius(&known[own.len()..], key, Place::Sum(number))?;
            let mut reads = vec![false; known.len()];
            sums.push(self.sum(number, (&sum.name, &sum.each), &known, radius, &mut reads)?);
            read.iter_mut().zip(reads).for_each(|(all, here)| *all |= here);
            parameters.extend(of_sum);
        }
        let known: Vec<TermSum> =
            sums.iter().map(|sum| TermSum { name: sum.name.clone(), unit: sum.formula.unit }).collect();
        let names = Names { kind: FormulaKind::Request, parameters: &own, sums: &known };
        let request = self
            .formula(&text.request, names, &mut read)
            .map_err(|error| (Place::Formula(FormulaPlace::Request), error))?;
        if let Some(unread) = read.iter().position(|read| !read) {
            return Err(at_parameter(&own[unread].name, "not used by any formula of the term".to_owned()));
        }
        Ok(CompiledTerm { sums, request, parameters })
    }

    /// Numbers the next parameters among those of all terms.
    fn number(&mut self, parameters: &[ParameterText]) -> Result<Vec<TermParameter>, (Place, Error)> {
        let mut numbered = Vec::new();
        for parameter in parameters {
            let (first, side) = (self.parameters, parameter.default.side);
            self.parameters += parameter.default.all.len();
            let (name, unit) = (parameter.key.clone(), Unit::of(&parameter.unit));
            numbered.push(TermParameter { name, unit, first, side });
        }
        if self.parameters > MAX_PARAMETERS {
            let why =
                format!("too many parameters: all terms together have at most {MAX_PARAMETERS} numbers");
            return Err((Place::Term, Error::new(0..0, why)));
        }
        Ok(numbered)
    }

    /// Compiles a sum by its number, name and formula. `radius` is the number of its radius among its parameters, of
    /// which `read` marks those that are read.
    fn sum(
        &mut self,
        number: usize,
        (name, text): (&str, &str),
        parameters: &[TermParameter],
        radius: usize,
        read: &mut [bool],
    ) -> Result<CompiledSum, (Place, Error)> {
        let nearest = parameters.iter().position(|parameter| parameter.name == NEAREST);
        let names = Names { kind: FormulaKind::Each, parameters, sums: &[] };
        let formula = self
            .formula(text, names, read)
            .map_err(|error| (Place::Formula(FormulaPlace::Each(number)), error))?;
        for k in nearest.into_iter().chain([radius]) {
            read[k] = true;
        }
        Ok(CompiledSum {
            name: name.to_owned(),
            text: text.to_owned(),
            formula,
            radius: parameters[radius].first,
            nearest: nearest.map(|k| parameters[k].first),
        })
    }

    /// Compiles a formula; `read` marks the parameters that are read.
    fn formula(&mut self, text: &str, names: Names<'_>, read: &mut [bool]) -> Result<CompiledFormula, Error> {
        let kind = names.kind;
        let references = std::mem::take(&mut self.references);
        let parsed = parse(text, &names)?;
        let Lowered { nodes, values, references, result, perceived, unit, reads, reads_sum, reads_sums } =
            lower(text, &parsed, names, references)?;
        let wrong = |why: &str| Error::new(0..text.len(), why);
        let [x, y, z] = result[..] else {
            return Err(wrong("must be a vector of three numbers").hint("use vec3(x, y, z)"));
        };
        if names.has_named_sums() {
            if let Some(unread) = reads_sums.iter().position(|read| !read) {
                let name = &names.sums[unread].name;
                return Err(wrong(&format!(
                    "must use {name}.sum or {name}.count, because the term has this sum"
                )));
            }
        } else if kind == FormulaKind::Request && names.sums.is_empty() && reads_sum {
            return Err(wrong("sum and count are only available in a term with 'each'"));
        } else if !names.sums.is_empty() && !reads_sum {
            return Err(wrong("must use sum or count, because the term has 'each'"));
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

//! The table `[terms]`: reads user-defined terms, one table each, and writes them back.

use flock::formula::{FormulaParameter, FormulaTerm, FormulaTerms};
use flock::parameters::{MAX_GROUPS, Value, ValueKind};
use formula::names::{FormulaPlace, INNER_RADIUS, PERCEPTION, RADIUS, refused};
use formula::{Numbers, ParameterText, Place, SumText, TermError, TermText, each_key, units::Unit};
use serde_json::{Map, json};
use toml::de::DeValue;

use crate::value::{convert, quoted, real, shorten};
use crate::{ConfigError, Entry, TomlFile, shown};

/// The name of the table.
pub(crate) const TABLE: &str = "terms";

/// Maximum magnitude of a parameter of a term.
const FAR: f64 = 1e6;
pub(crate) const NUMBER: ValueKind = ValueKind::Real { min: -FAR, max: FAR };

/// Reads the table.
pub(crate) fn read(table: &Entry<'_>) -> Result<FormulaTerms, ConfigError> {
    let entries = table.table().ok_or_else(|| table.refused("tables, [terms.NAME]"))?;
    let texts = entries.iter().map(term).collect::<Result<Vec<_>, _>>()?;
    let set = formula::compile(&texts).map_err(|error| place(&entries, &texts, &error))?;
    Ok(FormulaTerms::new(set))
}

fn term(entry: &Entry<'_>) -> Result<TermText, ConfigError> {
    let name = &entry.name;
    let no_table = || entry.error(format!("terms.{0} must be a table, [terms.{0}]", shown(name)));
    let fields = entry.table().ok_or_else(no_table)?;
    if let Some(why) = refused(name) {
        return Err(entry.error(format!("terms.{}: {why}", shown(name))));
    }
    let mut text = TermText { name: name.clone(), ..TermText::default() };
    for field in fields {
        let word =
            |field: &Entry<'_>| field.clone().below(&format!("terms.{name}")).word().map(str::to_owned);
        match field.name.as_str() {
            "help" => text.help = word(&field)?.split_whitespace().collect::<Vec<_>>().join(" "),
            "each" => text.each = Some(word(&field)?),
            "request" => text.request = word(&field)?,
            "sums" if is_sums(&field) => {
                for sum in field.below(&format!("{TABLE}.{name}")).table().unwrap_or_default() {
                    text.sums.push(named_sum(&sum, name)?);
                }
            }
            key if let Some(why) = refused(key) => {
                return Err(field.error(format!("terms.{name}.{}: {why}", shown(key))));
            }
            key if field.word().is_ok() => {
                let why = "must be a number, or be called 'each' or 'request' if it is a formula";
                return Err(field.error(format!("terms.{name}.{key} {why}")));
            }
            _ => text.parameters.push(parameter(&field.below(&format!("terms.{name}")))?),
        }
    }
    if text.request.is_empty() {
        let why = "requires 'request', the formula of what a boid requests";
        return Err(entry.error(format!("terms.{name} {why}")));
    }
    Ok(text)
}

/// True for the table of a term's sums; a parameter of this name is a number, or has a default.
fn is_sums(field: &Entry<'_>) -> bool {
    field.table().is_some_and(|keys| keys.iter().all(|key| key.name != "default"))
}

/// Reads `[terms.TERM.sums.NAME]`.
fn named_sum(entry: &Entry<'_>, term: &str) -> Result<SumText, ConfigError> {
    let (name, full) = (&entry.name, format!("{TABLE}.{term}.sums.{}", shown(&entry.name)));
    let fields = entry.table().ok_or_else(|| entry.error(format!("{full} must be a table, [{full}]")))?;
    if let Some(why) = refused(name) {
        return Err(entry.error(format!("{full}: {why}")));
    }
    let mut sum = SumText { name: name.clone(), ..SumText::default() };
    for field in fields {
        let field = field.below(&full);
        let key = field.name.rsplit('.').next().unwrap_or_default();
        if key == "each" {
            sum.each = field.word()?.to_owned();
        } else if PERCEPTION.iter().any(|(name, ..)| *name == key) {
            sum.parameters.push(parameter(&field)?);
        } else {
            let mut keys = vec!["each"];
            keys.extend(PERCEPTION.map(|(name, ..)| name));
            return field.locate(Err(ConfigError::unknown(&format!("{full}."), key, "key", &keys)));
        }
    }
    if sum.each.is_empty() {
        return Err(entry.error(format!("{full} requires 'each', the formula of a neighbour's summand")));
    }
    Ok(sum)
}

/// A number or a square table of numbers, each of a kind, or any; `name` is shown in errors.
pub(crate) fn numbers(
    name: &str,
    kind: Option<ValueKind>,
    value: &DeValue<'_>,
    text: &str,
) -> Result<Numbers, ConfigError> {
    let no_number = || ConfigError::must_be(name, "a number", &shorten(text));
    let number = |value: &DeValue<'_>| match kind {
        None => real(value).filter(|number| number.is_finite()).ok_or_else(no_number),
        Some(kind) => match convert(name, kind, value, text)? {
            Value::Real(number) => Ok(number),
            _ => Err(no_number()),
        },
    };
    let Some(rows) = value.as_array() else { return number(value).map(Numbers::from) };
    let side = rows.len();
    let mut all = Vec::new();
    for row in rows.iter() {
        let row = row.get_ref().as_array().filter(|row| row.len() == side && side <= MAX_GROUPS);
        let row = row.ok_or_else(|| {
            let allowed = format!("a square table of 1 to {MAX_GROUPS} rows");
            ConfigError::must_be(name, allowed, &shorten(text))
        })?;
        for value in row.iter() {
            all.push(number(value.get_ref())?);
        }
    }
    if all.is_empty() {
        let allowed = format!("a number, or a square table of 1 to {MAX_GROUPS} rows");
        return Err(ConfigError::must_be(name, allowed, "[]"));
    }
    Ok(Numbers { side, all })
}

/// Reads `{ default, range, unit }`; a plain number or table has the range ±[`FAR`], and no unit unless it is a radius.
fn parameter(entry: &Entry<'_>) -> Result<ParameterText, ConfigError> {
    let key = entry.name.rsplit('.').next().unwrap_or_default().to_owned();
    let far = [-FAR, FAR];
    let of =
        |entry: &Entry<'_>| entry.locate(numbers(&entry.name, Some(NUMBER), entry.value(), entry.written()));
    let Some(fields) = entry.table() else {
        let default = of(entry)?;
        let unit = if [RADIUS, INNER_RADIUS].contains(&&*key) { "len" } else { "" };
        return Ok(ParameterText { key, unit: unit.to_owned(), default, range: far });
    };
    let (mut default, mut range, mut unit) = (None, far, String::new());
    for field in fields {
        let field = field.below(&entry.name);
        let real = |entry: &Entry<'_>| match entry.convert(&entry.name, NUMBER)? {
            Value::Real(number) => Ok(number),
            _ => Err(entry.refused(NUMBER)),
        };
        match field.name.rsplit('.').next().unwrap_or_default() {
            "default" => default = Some(of(&field)?),
            "range" => {
                let ends = field.array().unwrap_or_default();
                let ends = ends.iter().map(real).collect::<Result<Vec<_>, _>>()?;
                range = match ends[..] {
                    [low, high] if low <= high => [low, high],
                    _ => return Err(field.refused("[minimum, maximum]")),
                };
            }
            "unit" => {
                unit = field.word()?.to_owned();
                if Unit::parse(&unit).is_none() {
                    let powers =
                        "powers of len and t (such as \"len/t\", \"1/t\" or \"len^2\"; angles have no unit)";
                    return Err(field.refused(powers));
                }
            }
            other => {
                let (table, keys) = (format!("{}.", entry.name), ["default", "range", "unit"]);
                return field.locate(Err(ConfigError::unknown(&table, other, "key", &keys)));
            }
        }
    }
    let default = default.ok_or_else(|| entry.error(format!("{} requires a default", entry.name)))?;
    if let Some(outside) = default.all.iter().find(|number| !(range[0]..=range[1]).contains(number)) {
        let [low, high] = range;
        return Err(entry.error(format!("{} must be {low:?} to {high:?}, not {outside:?}", entry.name)));
    }
    Ok(ParameterText { key, unit, default, range })
}

/// The subject of an error, `terms.TERM` or `terms.TERM.KEY`, and its text if it is a formula.
fn subject<'a>(texts: &'a [TermText], error: &TermError) -> (String, Option<&'a str>) {
    let text = &texts[error.term];
    let sum = |number: usize| text.sums.get(number).map(|sum| sum.name.as_str());
    let key = match &error.place {
        Place::Formula(FormulaPlace::Each(number)) => each_key(sum(*number).unwrap_or_default()),
        Place::Formula(FormulaPlace::Request) => "request".to_owned(),
        Place::Parameter(key) => key.clone(),
        Place::Sum(number) => format!("sums.{}", sum(*number).unwrap_or_default()),
        Place::Term => return (format!("{TABLE}.{}", text.name), None),
    };
    let formula = match error.place {
        Place::Formula(place) => text.formula(place),
        _ => None,
    };
    (format!("{TABLE}.{}.{key}", text.name), formula)
}

/// Places an error of a term in the file: the line, and for a formula also the column.
fn place(entries: &[Entry<'_>], texts: &[TermText], error: &TermError) -> ConfigError {
    let (entry, (name, formula)) = (&entries[error.term], subject(texts, error));
    let mut field = None;
    for key in name.split('.').skip(2) {
        let fields = field.as_ref().unwrap_or(entry).table().unwrap_or_default();
        field = fields.into_iter().find(|field| field.name == key);
    }
    let why = error.error.to_string();
    let problem = if why.starts_with("must ") { format!("{name} {why}") } else { format!("{name}: {why}") };
    let at = match (formula, &field) {
        (Some(formula), Some(field)) => field.place_within(error.error.place(formula)),
        (_, Some(field)) => field.place(),
        (_, None) => entry.place(),
    };
    ConfigError::new(problem).at(&at).hint(error.error.hint.clone())
}

/// Sets a parameter of a term, by `terms.TERM.KEY`, or one number of a table, by `terms.TERM.KEY[ROW][COLUMN]`.
pub(crate) fn set(terms: &mut FormulaTerms, name: &str, numbers: &Numbers) -> Result<(), ConfigError> {
    let all: Vec<_> = terms.grouped().map(|(all, _)| (key(all), all)).collect();
    let one = |parameter: &'static FormulaParameter| parameter.name == name && numbers.side == 0;
    let chosen: Vec<&FormulaParameter> = match all.iter().find(|(key, _)| key == name) {
        Some((_, all)) if all[0].side == numbers.side => all.iter().collect(),
        Some((_, all)) => {
            let allowed = match all[0].side {
                0 => "a number".to_owned(),
                side => format!("a table of {side} rows with {side} numbers each"),
            };
            return Err(ConfigError::must_be(name, allowed, &numbers.to_string()));
        }
        None => all.iter().flat_map(|(_, all)| all.iter()).filter(|parameter| one(parameter)).collect(),
    };
    let of_table = |(key, all): &&(String, &[FormulaParameter])| {
        all[0].side > 0 && name.strip_prefix(&**key).is_some_and(|rest| rest.starts_with('['))
    };
    if let Some((_, all)) = all.iter().find(of_table).filter(|_| chosen.is_empty()) {
        let last = all[0].side - 1;
        let why = format!("{} is out of range: rows and columns are 0 to {last}", shown(name));
        return Err(ConfigError::new(why));
    }
    if chosen.is_empty() {
        let names: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).collect();
        if names.is_empty() {
            let why = format!("unknown parameter '{}': the flock has no custom terms", shown(name));
            return Err(ConfigError::new(why));
        }
        return Err(ConfigError::unknown("", name, "parameter", &names));
    }
    for (parameter, number) in chosen.into_iter().zip(&numbers.all) {
        terms
            .set(parameter.name, *number)
            .map_err(|refused| ConfigError::must_be(parameter.name, refused, &format!("{number:?}")))?;
    }
    Ok(())
}

/// `terms.TERM.KEY` of a parameter.
fn key(all: &[FormulaParameter]) -> String {
    format!("{TABLE}.{}.{}", all[0].term, all[0].key)
}

/// The value of a parameter as TOML.
fn written(all: &[FormulaParameter], values: &[f64]) -> String {
    Numbers { side: all[0].side, all: values.to_vec() }.to_string()
}

/// Adds or replaces the term `terms.NAME`, given as a TOML table by an option.
pub(crate) fn add(
    terms: &mut FormulaTerms,
    name: &str,
    table: &str,
    option: &str,
) -> Result<(), ConfigError> {
    let line = format!("{name} = {table}\n");
    let file = TomlFile::parse(&line, option)?;
    let all = file.entries();
    let [terms_alone] = &all[..] else {
        return Err(ConfigError::new(format!("{name} must be one table, {{ request = '…' }}")));
    };
    let fields = terms_alone.table().unwrap_or_default();
    replace(terms, fields.iter().map(term).collect::<Result<_, _>>()?).map_err(|error| error.at(option))
}

/// Adds all terms of another flock; terms of the same names are replaced.
pub(crate) fn join(terms: &mut FormulaTerms, added: &FormulaTerms) -> Result<(), ConfigError> {
    replace(terms, formula::texts(added))
}

/// Adds terms; terms of the same names are replaced.
fn replace(terms: &mut FormulaTerms, added: Vec<TermText>) -> Result<(), ConfigError> {
    let mut texts = formula::texts(terms);
    texts.retain(|text| added.iter().all(|added| added.name != text.name));
    texts.extend(added);
    let set = formula::compile(&texts).map_err(|error| {
        let (name, formula) = subject(&texts, &error);
        let at = formula.map(|formula| error.error.place(formula));
        let at = at.map_or(String::new(), |(line, column)| format!("{line}:{column}: "));
        ConfigError::new(format!("{name}: {at}{}", error.error)).hint(error.error.hint)
    })?;
    *terms = FormulaTerms::new(set);
    Ok(())
}

/// The settings that change the terms `base` into `wanted`.
pub fn term_settings(base: &FormulaTerms, wanted: &FormulaTerms) -> Vec<String> {
    // But for the values that they start with.
    let ranges = |terms: &FormulaTerms| {
        terms
            .parameters()
            .map(|(parameter, _)| (parameter.unit, parameter.range, parameter.side))
            .collect::<Vec<_>>()
    };
    if base.terms() != wanted.terms() || ranges(base) != ranges(wanted) {
        let terms = wanted.terms().iter();
        return terms
            .map(|term| format!("{TABLE}.{}={}", term.name, TermFields::new(wanted, term).inline()))
            .collect();
    }
    let both = base.grouped().zip(wanted.grouped()).filter(|(base, wanted)| base.1 != wanted.1);
    both.map(|(_, (all, values))| format!("{}={}", key(all), written(all, values))).collect()
}

/// The terms as TOML, a table each, and a table for each named sum.
pub fn save(terms: &FormulaTerms) -> String {
    let mut text = String::new();
    for term in terms.terms() {
        let fields = TermFields::new(terms, term);
        text += &format!("\n[{TABLE}.{}]\n{}\n", term.name, fields.own.join("\n"));
        for (name, of_sum) in fields.sums {
            text += &format!("\n[{TABLE}.{}.sums.{name}]\n{}\n", term.name, of_sum.join("\n"));
        }
    }
    text
}

/// The keys of a term with their values, as TOML.
struct TermFields {
    own: Vec<String>,
    /// Those of each named sum.
    sums: Vec<(&'static str, Vec<String>)>,
}

impl TermFields {
    fn new(terms: &FormulaTerms, term: &FormulaTerm) -> Self {
        let mut fields = TermFields { own: Vec::new(), sums: Vec::new() };
        if !term.help.is_empty() {
            fields.own.push(format!("help = {}", quoted(term.help)));
        }
        let named = term.sums.iter().filter(|sum| !sum.name.is_empty());
        fields.sums.extend(named.map(|sum| (sum.name, Vec::new())));
        for (all, values) in terms.grouped().filter(|(all, _)| all[0].term == term.name) {
            let FormulaParameter { key, unit, range: [low, high], .. } = all[0];
            let (sum, key) = all[0].of_sum().unwrap_or(("", key));
            let (unit, value) = (quoted(unit), written(all, values));
            let field =
                format!("{key} = {{ default = {value}, range = [{low:?}, {high:?}], unit = {unit} }}");
            fields.of(sum).push(field);
        }
        for each in term.sums {
            let formula = format!("each = {}", quoted(each.formula.text));
            fields.of(each.name).push(formula);
        }
        fields.own.push(format!("request = {}", quoted(term.request.text)));
        fields
    }

    /// The keys of a named sum; those of the term for any other name.
    fn of(&mut self, sum: &str) -> &mut Vec<String> {
        match self.sums.iter_mut().find(|(name, _)| *name == sum) {
            Some((_, fields)) => fields,
            None => &mut self.own,
        }
    }

    /// The term as one inline table.
    fn inline(mut self) -> String {
        let sums: Vec<String> =
            self.sums.iter().map(|(name, fields)| format!("{name} = {{ {} }}", fields.join(", "))).collect();
        if !sums.is_empty() {
            self.own.push(format!("sums = {{ {} }}", sums.join(", ")));
        }
        format!("{{ {} }}", self.own.join(", "))
    }
}

/// The terms with their formulas and the values of their parameters.
pub(crate) fn to_json(terms: &FormulaTerms) -> serde_json::Value {
    let mut all = Map::new();
    for term in terms.terms() {
        let (mut fields, mut sums) = (Map::new(), Map::new());
        for each in term.sums {
            let text = json!(each.formula.text);
            if each.name.is_empty() {
                fields.insert("each".to_owned(), text);
            } else {
                sums.insert(each.name.to_owned(), json!({ "each": text }));
            }
        }
        for (all, values) in terms.grouped().filter(|(all, _)| all[0].term == term.name) {
            let value = match all[0].side {
                0 => json!(values[0]),
                side => values.chunks(side).collect(),
            };
            match all[0].of_sum().and_then(|(sum, key)| Some((sums.get_mut(sum)?, key))) {
                Some((sum, key)) => sum[key] = value,
                None => _ = fields.insert(all[0].key.to_owned(), value),
            }
        }
        if !sums.is_empty() {
            fields.insert("sums".to_owned(), sums.into());
        }
        fields.insert("request".to_owned(), json!(term.request.text));
        all.insert(term.name.to_owned(), fields.into());
    }
    all.into()
}

//! Parses text to naga's typed tree: the text is the body of a WGSL function whose arguments are the names of formulas.

use std::ops::Range;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::Error;
use crate::names::{
    FUNCTIONS, FormulaKind, Names, OF_SUM, QUANTITIES, Quantity, THEIRS, TYPES, instead, numbers, tables,
};

/// The longest formula in bytes.
pub const LONGEST: usize = 4096;

/// The name of the value that the body ends with; no name of a formula contains two underscores.
pub const RESULT: &str = "result__";

/// A hint on types that fit each other.
const KINDS: &str = "write numbers as 1.0, not 1; both arguments of select, min and max must have the same type, such as \
                     vec3(0.0) and velocity; f32(…) converts a whole number";

/// A parsed formula.
#[derive(Debug)]
pub struct Parsed {
    pub module: naga::Module,
    pub place: FormulaPosition,
}

/// The position of a formula in the source that naga parses.
#[derive(Clone, Copy, Debug)]
pub struct FormulaPosition {
    /// The byte at which it begins there, and the byte of the formula at which its last expression begins.
    offset: usize,
    last: usize,
    length: usize,
}

impl FormulaPosition {
    /// The bytes of the formula that a span of naga's is about.
    pub fn of(self, span: naga::Span) -> Range<usize> {
        let FormulaPosition { offset, last, length } = self;
        let Some(range) = span.to_range() else { return 0..length };
        // The inserted words shift everything after them.
        let inserted = "let  = ".len() + RESULT.len();
        let back = |byte: usize| {
            let byte = byte.saturating_sub(offset);
            if byte > last { byte.saturating_sub(inserted).max(last) } else { byte }.min(length)
        };
        back(range.start)..back(range.end)
    }
}

/// Parses a formula and checks its types.
///
/// # Errors
/// Names the first error and its place.
pub fn parse(text: &str, names: &Names<'_>) -> Result<Parsed, Error> {
    if text.len() > LONGEST {
        return Err(Error::new(
            0..0,
            format!("the formula has {} bytes; the maximum is {LONGEST}", text.len()),
        ));
    }
    let last = check_words(text, names)?;
    let (written, text) = (text, &renamed(text));
    let head = head(names);
    let source = format!("{head}{}let {RESULT} = {}\n;}}", &text[..last], &text[last..]);
    let place = FormulaPosition { offset: head.len(), last, length: text.len() };
    let module = naga::front::wgsl::parse_str(&source).map_err(|error| {
        let label = error.labels().next().map(|(span, label)| (place.of(span), label.to_owned()));
        let (span, label) = label.unwrap_or((0..text.len(), String::new()));
        let message = error.message().trim_end_matches('.');
        // The `;` behind the formula is not its own.
        let ends = error.location(&source).is_some_and(|at| source.len() - at.offset as usize <= ";}".len());
        let message = if ends { message.replace("found \";\"", "found the end") } else { message.to_owned() };
        let message = SHADOWS.iter().fold(message, |said, (name, other)| said.replace(other, name));
        let message = message.replace(
            "built-in function argument is out of valid range",
            "of a constant outside of its range",
        );
        let message = message.replace("invalid field accessor", "a number has no component");
        let said = ["", "see msg", "invalid accessor"].contains(&&*label);
        let message = if said || message.contains(&label) { message } else { format!("{message}: {label}") };
        let quotients = ["Divide operation overflowed", "Modulo operation overflowed", "Division by zero"];
        if quotients.contains(&&*message) {
            let why = "a quotient of constants must be a finite f32";
            return Error::new(span, why).hint("x / 0 is 0 only if x or the divisor is not a constant");
        }
        let hint = message.contains("type").then(|| KINDS.to_owned());
        Error { hint, ..Error::new(span, message) }
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).map_err(|error| {
        let span = error.spans().next().map_or(0..text.len(), |(span, _)| place.of(*span));
        let shown = written.get(span.clone()).filter(|text| (1..=60).contains(&text.len())).unwrap_or("this");
        let mut cause: &dyn std::error::Error = error.as_inner();
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let cause = cause.to_string();
        let (what, hint) = if cause.starts_with("Abstract") {
            (
                "mixes whole numbers with other numbers, or has a part with only constants",
                "write f32(…) around one of the constants, or write out their value; use whole numbers only with id and group",
            )
        } else if cause.starts_with("Division") {
            ("divides a whole number by 0", "numbers with a decimal point give 0")
        } else {
            ("mismatched types", KINDS)
        };
        Error::new(span, format!("`{shown}`: {what}")).hint(hint)
    })?;
    Ok(Parsed { module, place })
}

/// An argument of the function that a formula is the body of.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A table of the flock's parameters.
    Table(&'static str),
    Quantity(&'static Quantity),
    Their,
    /// A parameter of the term.
    Parameter(usize),
    /// A sum of the term, by its number.
    Sum(usize),
}

/// The arguments in their order.
pub fn arguments(names: &Names<'_>) -> Vec<Argument> {
    let tables = tables().into_iter().filter(|table| numbers(table).next().is_some());
    let mut arguments: Vec<Argument> = tables.map(Argument::Table).collect();
    arguments.extend(names.quantities().map(Argument::Quantity));
    if names.kind == FormulaKind::Each {
        arguments.push(Argument::Their);
    }
    arguments.extend((0..names.parameters.len()).map(Argument::Parameter));
    if names.has_named_sums() {
        arguments.extend((0..names.sums.len()).map(Argument::Sum));
    }
    arguments
}

/// The source before the formula.
fn head(names: &Names<'_>) -> String {
    let mut head = String::from(
        "fn random(k: u32) -> f32 { return 0.5; }\nstruct Table__ { it: f32 }\n\
         fn table(k: Table__, row: u32, column: u32) -> f32 { return k.it; }\n\
         fn turn(v: vec3<f32>, towards: vec3<f32>, angle: f32) -> vec3<f32> { return v; }\n\
         fn turn_away(v: vec3<f32>, away: vec3<f32>, angle: f32) -> vec3<f32> { return v; }\n",
    );
    let fields = |fields: &mut dyn Iterator<Item = (&str, &str)>| {
        fields.map(|(name, wgsl)| format!("{name}: {wgsl}, ")).collect::<String>()
    };
    let theirs = fields(&mut THEIRS.iter().map(|quantity| (quantity.name, quantity.wgsl)));
    head += &format!("struct Their {{ {theirs}}}\n");
    let of_sum = fields(&mut OF_SUM.iter().map(|(name, _, wgsl)| (*name, *wgsl)));
    head += &format!("struct Sum__ {{ {of_sum}}}\n");
    let parameters = names.parameters;
    let mut typed = Vec::new();
    for argument in arguments(names) {
        typed.push(match argument {
            Argument::Table(table) => {
                let fields = fields(&mut numbers(table).map(|(parameter, wgsl)| (parameter.key, wgsl)));
                head += &format!("struct {table}_table {{ {fields}}}\n");
                format!("{table}: {table}_table")
            }
            Argument::Quantity(quantity) => {
                let name = SHADOWS.iter().find(|(name, _)| *name == quantity.name);
                format!("{}: {}", name.map_or(quantity.name, |(_, other)| other), quantity.wgsl)
            }
            Argument::Their => "their: Their".to_owned(),
            Argument::Parameter(k) if parameters[k].side > 0 => format!("{}: Table__", parameters[k].name),
            Argument::Parameter(k) => format!("{}: f32", parameters[k].name),
            Argument::Sum(k) => format!("{}: Sum__", names.sums[k].name),
        });
    }
    head + &format!("fn formula({}) {{\n", typed.join(", "))
}

/// Quantities with the names of functions, and replacements of the same length that shadow no function.
const SHADOWS: [(&str, &str); 2] = [("distance", "dist__ce"), ("step", "st__")];

/// The text with those names, where they are not called.
fn renamed(text: &str) -> String {
    let (tokens, mut renamed) = (tokens(text), text.to_owned());
    for (k, Token { span, word, .. }) in tokens.iter().enumerate() {
        let shadow = SHADOWS.iter().find(|(name, _)| name == word);
        let called = word_at(&tokens, k + 1) == "(" || word_at(&tokens, k.wrapping_sub(1)) == ".";
        if let Some((_, other)) = shadow.filter(|_| !called) {
            renamed.replace_range(span.clone(), other);
        }
    }
    renamed
}

/// A word of a formula, or a sign, and where it stands.
#[derive(Debug)]
struct Token<'a> {
    kind: TokenKind,
    span: Range<usize>,
    word: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TokenKind {
    Name,
    Number,
    Sign(char),
}

/// The tokens; white space and comments are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        let (kind, within): (_, fn(char) -> bool) = if c.is_alphabetic() || c == '_' {
            (TokenKind::Name, |c| c.is_alphanumeric() || c == '_')
        } else if c.is_ascii_digit() {
            (TokenKind::Number, |c| c.is_ascii_alphanumeric() || c == '.')
        } else if c.is_whitespace() {
            continue;
        } else {
            (TokenKind::Sign(c), |_| false)
        };
        let mut end = start + c.len_utf8();
        while let Some((at, next)) = rest.next_if(|(_, next)| within(*next)) {
            end = at + next.len_utf8();
        }
        tokens.push(Token { kind, span: start..end, word: &text[start..end] });
    }
    tokens
}

/// A token by its number; nothing before the first and after the last.
fn word_at<'a>(tokens: &[Token<'a>], k: usize) -> &'a str {
    tokens.get(k).map_or("", |token| token.word)
}

/// Checks words and signs, so that errors are in terms of formulas, and naga sees the body of one function.
/// Returns the byte at which the last expression begins.
fn check_words(text: &str, names: &Names<'_>) -> Result<usize, Error> {
    if text.trim().is_empty() {
        return Err(Error::new(0..0, "expected an expression, found nothing"));
    }
    if let Some(at) = text.find("//").or_else(|| text.find("/*")) {
        return Err(Error::new(at..at + 2, "a formula cannot have comments"));
    }
    let (tokens, parameters) = (tokens(text), names.parameters);
    let is_sum = |word: &str| !word.is_empty() && names.sums.iter().any(|sum| sum.name == word);
    let mut bound: Vec<&str> = Vec::new();
    let (mut last, mut depth) = (0, 0_usize);
    for (k, Token { kind, span, word }) in tokens.iter().enumerate() {
        let word = *word;
        let (before, after) = (word_at(&tokens, k.wrapping_sub(1)), word_at(&tokens, k + 1));
        match kind {
            TokenKind::Sign('(') => {
                depth += 1;
                if depth > 48 {
                    return Err(Error::new(span.clone(), "brackets are nested more than 48 deep"));
                }
            }
            TokenKind::Sign(')') => depth = depth.saturating_sub(1),
            TokenKind::Sign(';') => last = span.end,
            TokenKind::Sign('&' | '|') => {
                if before != word && after != word {
                    return Err(Error::new(
                        span.clone(),
                        format!("unknown operator '{word}'; did you mean '{word}{word}'?"),
                    ));
                }
            }
            TokenKind::Sign(sign) if !"+-*/%<>=!,.)".contains(*sign) => {
                let why = format!("unexpected '{}'", sign.escape_default());
                return Err(Error { hint: instead(word), ..Error::new(span.clone(), why) });
            }
            TokenKind::Sign(_) | TokenKind::Number => {}
            TokenKind::Name if before == "." => check_member(&tokens, k, names)?,
            TokenKind::Name if before == "let" => {
                if crate::names::refused(word).is_some()
                    || parameters.iter().any(|parameter| parameter.name == word)
                    || bound.contains(&word)
                    || is_sum(word)
                {
                    let why = "the name is already used, or has characters other than a to z, 0 to 9 and _";
                    return Err(Error::new(span.clone(), format!("let {word}: {why}")));
                }
                bound.push(word);
            }
            TokenKind::Name => {
                check_name(word, span, names, &bound, after == "(")?;
                let looked_up = (word_at(&tokens, k.wrapping_sub(2)), before, after) == ("table", "(", ",");
                if parameters.iter().any(|parameter| parameter.name == word && parameter.side > 0)
                    != looked_up
                {
                    let why =
                        "a table, and only a table, must be the first argument of table(NAME, row, column)";
                    return Err(Error::new(span.clone(), format!("{word}: {why}")));
                }
                if (word == "their" || tables().contains(&word) || is_sum(word)) && after != "." {
                    return Err(Error::new(span.clone(), format!("{word} must be followed by .NAME")));
                }
            }
        }
    }
    if text[last..].trim().is_empty() {
        return Err(Error::new(last.saturating_sub(1)..last, "expected an expression after the last ';'"));
    }
    Ok(last)
}

/// The names of one word in a formula.
fn first_words<'a>(names: &Names<'a>, bound: &[&'a str]) -> Vec<&'a str> {
    let mut words: Vec<&str> = names.quantities().map(|quantity| quantity.name).collect();
    words.extend(names.parameters.iter().map(|parameter| parameter.name.as_str()));
    words.extend(names.sums.iter().map(|sum| sum.name.as_str()).filter(|name| !name.is_empty()));
    words.extend(bound);
    words.extend(tables());
    words.extend(FUNCTIONS.iter().chain(TYPES));
    words.extend(["let", "true", "false"]);
    if names.kind == FormulaKind::Each {
        words.push("their");
    }
    words
}

fn check_name(
    word: &str,
    span: &Range<usize>,
    names: &Names<'_>,
    bound: &[&str],
    called: bool,
) -> Result<(), Error> {
    let words = first_words(names, bound);
    let here = names.quantities().any(|quantity| quantity.name == word);
    let quantity = QUANTITIES.iter().any(|quantity| quantity.name == word);
    if words.contains(&word) && (called || !quantity || here) {
        let local = names.parameters.iter().any(|parameter| parameter.name == word) || bound.contains(&word);
        if !called && !here && !local && FUNCTIONS.contains(&word) {
            return Err(Error::new(span.clone(), format!("{word} is a function: write {word}(…)")));
        }
        return Ok(());
    }
    let elsewhere = quantity || word == "their";
    let of_sum = OF_SUM.iter().any(|(name, ..)| *name == word);
    if let (true, Some(first)) = (of_sum && names.has_named_sums(), names.sums.first()) {
        let why = format!("'{word}' requires the name of its sum");
        return Err(Error::new(span.clone(), why).hint(format!("such as {}.{word}", first.name)));
    }
    let why = match (elsewhere, names.kind) {
        (true, FormulaKind::Each) => format!("{word} is only available in 'request'"),
        (true, FormulaKind::Request) => format!("{word} is only available in 'each'"),
        (false, _) => format!("unknown name '{word}'"),
    };
    let near = nearest(word, words.into_iter());
    let error = Error::new(span.clone(), why);
    Err(match near {
        _ if instead(word).is_some() => Error { hint: instead(word), ..error },
        Some(near) if !elsewhere && near != word => error.hint(format!("did you mean '{near}'?")),
        _ => error,
    })
}

/// Checks the name after a point: a parameter of a table, a quantity of a neighbour, or components of a vector.
fn check_member(tokens: &[Token<'_>], k: usize, names: &Names<'_>) -> Result<(), Error> {
    let [before, owner, word] = [3, 2, 0].map(|back| word_at(tokens, k.wrapping_sub(back)));
    let span = tokens[k].span.clone();
    let members: Vec<&str> = if before != "." && tables().contains(&owner) {
        numbers(owner).map(|(parameter, _)| parameter.key).collect()
    } else if before != "." && owner == "their" && names.kind == FormulaKind::Each {
        THEIRS.iter().map(|quantity| quantity.name).collect()
    } else if before != "." && !owner.is_empty() && names.sums.iter().any(|sum| sum.name == owner) {
        OF_SUM.iter().map(|(name, ..)| *name).collect()
    } else {
        let components = !word.is_empty() && word.len() <= 3 && word.chars().all(|c| "xyz".contains(c));
        let why = || format!("unknown component '.{word}'; a vector has .x, .y and .z");
        return if components { Ok(()) } else { Err(Error::new(span, why())) };
    };
    if members.contains(&word) {
        return Ok(());
    }
    let error =
        Error::new(span, format!("unknown name '{owner}.{word}'; {owner} has {}", members.join(", ")));
    let mend = instead(&format!("{owner}.{word}"));
    Err(match nearest(word, members.into_iter()) {
        _ if mend.is_some() => Error { hint: mend, ..error },
        Some(near) => error.hint(format!("did you mean '{owner}.{near}'?")),
        None => error,
    })
}

/// The name with the nearest spelling, if one is near.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = names.map(|name| (strsim::damerau_levenshtein(word, name), name)).min()?;
    (near.0 <= 1 + word.len() / 4).then_some(near.1)
}

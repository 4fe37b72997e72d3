//! Mutants of WGSL and Rust: every small slip that a text has room for, found in its tokens. The formatting of the sources
//! tells what a grammar would: an operator of two operands stands between blanks, a bracket of a type does not.

use std::ops::Range;

/// A slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub number: u32,
    /// From the root of the repository.
    pub file: String,
    pub line: usize,
    /// `bound` is a comparison in the head of a loop, `function` another function, such as `max` for `min`, `arguments`
    /// the first two of a call swapped, `statement` and `barrier` one left out.
    pub kind: &'static str,
    /// Where in the file the old text stands.
    place: Range<usize>,
    /// Where the body of its function stands, with the braces; in WGSL the whole file.
    pub body: Range<usize>,
    pub old: String,
    pub new: String,
    /// The lines of the change, without indentation, before and after it.
    pub good: String,
    pub bad: String,
}

impl Mutant {
    /// The [`Mutant::body`] with the slip.
    pub fn plant(&self, text: &str) -> String {
        let Range { start, end } = self.body;
        format!("{}{}{}", &text[start..self.place.start], self.new, &text[self.place.end..end])
    }

    /// True for one of so many, whatever else is in the sources: a function of the slip alone.
    pub fn is_in_sample(&self, one_in: u32) -> bool {
        // FNV-1a.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in format!("{} {} {}", self.file, self.good, self.bad).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        (hash >> 32).is_multiple_of(u64::from(one_in))
    }
}

/// Operators of two operands, and what they become.
const OPERATORS: [(&str, &str); 20] = [
    ("+", "-"),
    ("-", "+"),
    ("*", "/"),
    ("/", "*"),
    ("%", "/"),
    ("&", "|"),
    ("|", "&"),
    ("^", "|"),
    ("<<", ">>"),
    (">>", "<<"),
    ("&&", "||"),
    ("||", "&&"),
    ("+=", "-="),
    ("-=", "+="),
    ("*=", "/="),
    ("/=", "*="),
    ("|=", "&="),
    ("&=", "|="),
    ("^=", "|="),
    ("<<=", ">>="),
];

const COMPARISONS: [(&str, &str); 6] =
    [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "==")];

const FUNCTIONS: [(&str, &str); 22] = [
    ("min", "max"),
    ("max", "min"),
    ("any", "all"),
    ("all", "any"),
    ("floor", "ceil"),
    ("sin", "cos"),
    ("cos", "sin"),
    ("atomicAdd", "atomicSub"),
    ("atomicMax", "atomicMin"),
    ("countLeadingZeros", "countTrailingZeros"),
    ("countTrailingZeros", "countLeadingZeros"),
    ("subgroupExclusiveAdd", "subgroupInclusiveAdd"),
    ("subgroupAny", "subgroupAll"),
    ("subgroupAll", "subgroupAny"),
    ("lt", "le"),
    ("le", "lt"),
    ("leading_zeros", "trailing_zeros"),
    ("trailing_zeros", "leading_zeros"),
    ("wrapping_add", "wrapping_sub"),
    ("wrapping_sub", "wrapping_add"),
    ("saturating_add", "saturating_sub"),
    ("saturating_sub", "saturating_add"),
];

/// Functions whose first two arguments may change places.
const COMMUTATIVE: &str = "add add_long add_partials add_totals add_wide distance dot dot_of formula_product max min mul_high \
                           most_digits mul_high_word mul_wide multiply plus product times_each unit_dot unit_product";

/// Statements that are no slip when they are left out: without a declaration the text does not compile, and without the
/// end of a loop it does not end. Lines that begin with a bracket are the end of a statement.
const KEPT: [&str; 16] = [
    "let ",
    "var ",
    "var<",
    "const ",
    "override ",
    "alias ",
    "return ",
    "break;",
    "continue;",
    "@",
    "for ",
    "use ",
    "debug_assert",
    "assert",
    ")",
    "}",
];

/// A word or an operator.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The mutants of a file, numbered from `first` on.
pub fn mutants(file: &str, text: &str, first: u32) -> Vec<Mutant> {
    let tokens = tokens(text);
    let is_rust = file.ends_with(".rs");
    let whole = 0..text.len();
    let bodies = if is_rust { bodies(&tokens, tests_of(text)) } else { vec![whole] };
    let mut found = Found { file, text, first, bodies, mutants: Vec::new() };
    for (k, token) in tokens.iter().enumerate() {
        let before = k.checked_sub(1).map_or("", |k| tokens[k].text);
        let after = tokens.get(k + 1);
        let called = after.is_some_and(|after| after.text == "(" && after.start == token.end());
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            if before == "." {
                found.component(*token);
            } else {
                found.constant(*token);
            }
        } else if is_word(token.text) && called && before != "fn" {
            found.call(*token, &tokens[k + 1..]);
        } else if token.text == ">" && called {
            // The constructor of a type with brackets.
            found.arguments(&tokens[k + 1..]);
        } else if before == "." && is_word(token.text) {
            found.swizzle(*token);
        } else if !is_word(token.text) {
            found.operator(*token);
        }
    }
    found.statements();
    found.mutants
}

struct Found<'a> {
    file: &'a str,
    text: &'a str,
    first: u32,
    /// Where a slip may be.
    bodies: Vec<Range<usize>>,
    mutants: Vec<Mutant>,
}

impl Found<'_> {
    fn add(&mut self, kind: &'static str, place: Range<usize>, new: &str) {
        let text = self.text;
        let holds = |body: &&Range<usize>| body.start <= place.start && place.end <= body.end;
        let Some(body) = self.bodies.iter().find(holds).cloned() else { return };
        if self.line(place.start).starts_with("debug_assert") {
            return;
        }
        let start = text[..place.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[place.end..].find('\n').map_or(text.len(), |length| place.end + length);
        let bad = format!("{}{new}{}", &text[start..place.start], &text[place.end..end]);
        self.mutants.push(Mutant {
            number: self.first + self.mutants.len() as u32,
            file: self.file.to_owned(),
            line: text[..place.start].matches('\n').count() + 1,
            kind,
            old: joined(&text[place.clone()]),
            new: new.to_owned(),
            good: joined(&text[start..end]),
            bad: joined(&bad),
            place,
            body,
        });
    }

    /// The line that holds a place, without indentation.
    fn line(&self, place: usize) -> &str {
        let start = self.text[..place].rfind('\n').map_or(0, |end| end + 1);
        self.text[start..].lines().next().unwrap_or_default().trim_start()
    }

    fn constant(&mut self, token: Token<'_>) {
        if let Some(new) = other_constant(token.text) {
            self.add("constant", token.start..token.end(), &new);
        }
    }

    /// A function and its arguments; `rest` begins with the bracket.
    fn call(&mut self, name: Token<'_>, rest: &[Token<'_>]) {
        if let Some((_, new)) = FUNCTIONS.iter().find(|(known, _)| *known == name.text) {
            self.add("function", name.start..name.end(), new);
        }
        if !COMMUTATIVE.split(' ').any(|known| known == name.text) {
            self.arguments(rest);
        }
    }

    /// The first two of some arguments, swapped.
    fn arguments(&mut self, rest: &[Token<'_>]) {
        let mut depth = 0_usize;
        let mut ends = Vec::new();
        for token in rest {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => ends.push(token.start),
                _ => {}
            }
            if depth == 0 {
                ends.push(token.start);
                break;
            }
        }
        let [first_end, second_end, ..] = ends[..] else { return };
        let start = rest[0].end();
        let (first, second) = (&self.text[start..first_end], &self.text[first_end + 1..second_end]);
        let (first, second) = (joined(first), joined(second));
        if first != second && !second.is_empty() {
            self.add("arguments", start..second_end, &format!("{second}, {first}"));
        }
    }

    /// A component of a tuple.
    fn component(&mut self, token: Token<'_>) {
        let new = match token.text {
            "0" => "1",
            "1" => "0",
            _ => return,
        };
        self.add("component", token.start..token.end(), new);
    }

    fn swizzle(&mut self, token: Token<'_>) {
        let name = token.text;
        let of = |set: &str| name.len() <= 4 && name.chars().all(|c| set.contains(c));
        let new = match name {
            "x" => "y",
            "y" | "w" => "x",
            "z" => "y",
            "r" => "g",
            "g" | "a" => "r",
            "b" => "g",
            _ if of("xyzw") || of("rgba") => &format!("{}{}", &name[1..], &name[..1]),
            _ => return,
        };
        if new != name {
            self.add("swizzle", token.start..token.end(), new);
        }
    }

    fn operator(&mut self, token: Token<'_>) {
        let (start, end) = (token.start, token.end());
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let before = is_blank(self.text[..start].chars().next_back());
        let after = is_blank(self.text[end..].chars().next());
        let is_macro = token.text == "!" && self.text[..start].ends_with(|c: char| c.is_alphanumeric());
        if before && after {
            if let Some((_, new)) = OPERATORS.iter().find(|(known, _)| *known == token.text) {
                self.add("operator", start..end, new);
            }
            if let Some((_, new)) = COMPARISONS.iter().find(|(known, _)| *known == token.text) {
                let in_loop = ["for ", "while "].iter().any(|word| self.line(start).starts_with(word));
                self.add(if in_loop { "bound" } else { "comparison" }, start..end, new);
            }
        } else if !after && !is_macro && ["-", "!", "~"].contains(&token.text) {
            self.add("sign", start..end, "");
        }
    }

    /// Statements of one line that can be left out.
    fn statements(&mut self) {
        let mut start = 0;
        let mut begins = false;
        for line in self.text.split_inclusive('\n') {
            let statement = line.trim();
            let place = start + line.len() - line.trim_start().len();
            start += line.len();
            if statement.is_empty() || statement.starts_with("//") {
                continue;
            }
            let whole = begins && line.starts_with(' ') && statement.ends_with(';');
            if whole && !KEPT.iter().any(|kept| statement.starts_with(kept)) {
                let kind = if statement.contains("Barrier(") { "barrier" } else { "statement" };
                self.add(kind, place..place + statement.len(), "");
            }
            begins = statement.ends_with(['{', '}', ';']);
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// A text on one line.
fn joined(text: &str) -> String {
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The place of the tests in a file of Rust.
fn tests_of(text: &str) -> usize {
    text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len())
}

/// The bodies of the functions of Rust before `end`, without those that are constant: these take no switch.
fn bodies(tokens: &[Token<'_>], end: usize) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() && tokens[at].start < end {
        let is_constant = at > 0 && tokens[at - 1].text == "const";
        let begins = tokens[at].text == "fn" && is_word(tokens[at + 1].text) && !is_constant;
        let mut depth = 0_usize;
        let mut start = None;
        for token in &tokens[at..] {
            at += 1;
            match token.text {
                _ if !begins => break,
                "{" if depth == 0 => {
                    start = Some(token.start);
                    depth = 1;
                }
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 && token.text == ";" {
                break;
            }
            if depth == 0
                && let Some(start) = start
            {
                bodies.push(start..token.end());
                break;
            }
        }
    }
    bodies
}

/// Words, numbers and operators, without comments, attributes, strings and lifetimes.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length_of = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            length_of(|c| c != '\n')
        } else if first == '@' {
            let name = 1 + rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
            let value = rest[name..].starts_with('(').then(|| rest.find(')')).flatten();
            value.map_or(name, |end| end + 1)
        } else if rest.starts_with("#[") {
            rest.find(']').map_or(1, |end| end + 1)
        } else if first == '"' || first == '\'' {
            quoted_length(rest, first)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let length = if first.is_ascii_digit() {
                number_length(rest)
            } else if is_word(rest) {
                length_of(|c| c.is_alphanumeric() || c == '_')
            } else if "+-*/%&|^<>=!~".contains(first) {
                length_of(|c| "+-*/%&|^<>=!~".contains(c))
            } else {
                first.len_utf8()
            };
            tokens.push(Token { text: &rest[..length], start: at });
            length
        };
        at += length;
    }
    tokens
}

/// The length of a text between quotes, or of a lifetime.
fn quoted_length(text: &str, quote: char) -> usize {
    let word = 1 + text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
    if quote == '\'' && word > 1 && !text[word..].starts_with('\'') {
        return word;
    }
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The length of a number, with the sign of its exponent and its suffix.
fn number_length(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x");
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let exponent = if hexadecimal { before == 'p' } else { before == 'e' };
        let in_fraction = c == '.' && text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !(c.is_alphanumeric() || c == '_' || in_fraction || c == '-' && exponent) {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Another number of the same type: one more, or twice as much if it has a fraction.
fn other_constant(number: &str) -> Option<String> {
    let number = number.replace('_', "");
    if let Some(digits) = number.strip_prefix("0x") {
        if let Some((fraction, exponent)) = digits.split_once('p') {
            let exponent: i32 = exponent.trim_end_matches('f').parse().ok()?;
            return Some(format!("0x{fraction}p{}f", exponent + 1));
        }
        let (digits, suffix) = digits.split_at(digits.find(['u', 'i']).unwrap_or(digits.len()));
        let value = u64::from_str_radix(digits, 16).ok()?;
        return Some(format!("{:#x}{suffix}", if value == 0xffff_ffff { value - 1 } else { value + 1 }));
    }
    let (digits, suffix) = number.split_at(number.find(['u', 'i', 'f']).unwrap_or(number.len()));
    if let Ok(value) = digits.parse::<u64>() {
        return Some(format!("{}{suffix}", value + 1));
    }
    let value: f64 = digits.parse().ok()?;
    Some(format!("{:?}{suffix}", if value == 0.0 { 1.0 } else { 2.0 * value }))
}

#[cfg(test)]
mod tests {
    use super::mutants;

    /// The changes of a text, each `kind: old -> new`.
    fn changes(text: &str) -> Vec<String> {
        let all = mutants("shaders/a.wgsl", text, 7);
        all.iter().map(|one| format!("{}: {} -> {}", one.kind, one.old, one.new)).collect()
    }

    #[test]
    fn tokens_become_mutants() {
        for (text, expected) in [
            ("let a = vec3<u32>(b, 0x1p-24f).xz;", "constant: 0x1p-24f -> 0x1p-23f"),
            ("let a = vec3<u32>(b, 0x1p-24f).xz;", "arguments: b, 0x1p-24f -> 0x1p-24f, b"),
            ("let a = vec3<u32>(b, 0x1p-24f).xz;", "swizzle: xz -> zx"),
            ("let a = -b << 2u;", "sign: - -> "),
            ("let a = -b << 2u;", "operator: << -> >>"),
            ("let a = -b << 2u;", "constant: 2u -> 3u"),
            ("for (var n = 0u; n < QUADS; n++) {", "bound: < -> <="),
            ("if (a < 0.5) {", "comparison: < -> <="),
            ("if (a < 0.5) {", "constant: 0.5 -> 1.0"),
            ("let a = min(b, c);", "function: min -> max"),
            ("fn f() {\n    g(a[0]);\n}", "statement: g(a[0]); -> "),
            ("fn f() {\n    workgroupBarrier();\n}", "barrier: workgroupBarrier(); -> "),
        ] {
            let found = changes(text);
            assert!(found.iter().any(|change| change == expected), "{text}: {found:?}");
        }
        for text in [
            "// a + 1",
            "@group(0) @binding(1) var<storage, read> a: array<vec4<u32>>;",
            "fn f(a: ptr<function, Sums>, b: u32) -> vec3<u32> {",
            "let a = min(b, c.size);",
            "    x: vec4<f32>,",
        ] {
            let found = changes(text).into_iter().filter(|change| !change.starts_with("function")).count();
            assert_eq!(found, 0, "{text}: {:?}", changes(text));
        }
    }

    #[test]
    fn a_mutant_is_planted_in_its_line() {
        let text = "fn f() {\n    let a = select(\n        b, c);\n}\n";
        let all = mutants("shaders/a.wgsl", text, 7);
        assert_eq!((all.len(), all[0].number, all[0].line), (1, 7, 2));
        assert_eq!(all[0].good, "let a = select( b, c);");
        assert_eq!(all[0].bad, "let a = select(c, b);");
        assert_eq!(all[0].plant(text), "fn f() {\n    let a = select(c, b);\n}\n");
        assert!(all[0].is_in_sample(1));
    }
}

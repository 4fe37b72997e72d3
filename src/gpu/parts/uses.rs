//! Where a shader meets an array, and how.

use std::ops::Range;

use super::{Declaration, Fault};

/// One place where an array is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// All of it.
    pub text: Range<usize>,
    pub kind: Kind,
    /// What lies in its brackets.
    pub index: Range<usize>,
    /// What is written or added.
    pub value: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `a[i]`
    At,
    /// `a[i] = v;`
    Put,
    /// `atomicAdd(&a[i], v)`
    Add,
    /// `arrayLength(&a)`
    Length,
}

impl Kind {
    /// How the function that stands for it is called after the array.
    pub fn suffix(self) -> &'static str {
        match self {
            Kind::At => "at",
            Kind::Put => "put",
            Kind::Add => "add",
            Kind::Length => "length",
        }
    }
}

/// The text with every byte of a comment blank.
pub fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let comment = line.find("//").unwrap_or(line.trim_end_matches('\n').len());
        code.push_str(&line[..comment]);
        code.extend(line[comment..].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    code
}

/// Every use of an array, by where it begins.
pub fn uses(code: &str, known: &Declaration) -> Result<Vec<Use>, Fault> {
    let name = known.name.as_str();
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (from, _) in code.match_indices(name) {
        let to = from + name.len();
        let part_of_word = code[..from].ends_with(in_word) || code[to..].starts_with(in_word);
        if part_of_word || known.text.contains(&from) {
            continue;
        }
        let unknown = || (from, format!("`{name}` is met in a way that cannot be split"));
        found.push(use_at(code, from, to).ok_or_else(unknown)?);
    }
    found.sort_by_key(|found| found.text.start);
    Ok(found)
}

/// What is done with the array whose name lies at `from..to`.
fn use_at(code: &str, from: usize, to: usize) -> Option<Use> {
    let (before, after) = (&code[..from], &code[to..]);
    if let Some(start) = before.strip_suffix("arrayLength(&").map(str::len) {
        let end = to + after.find(')')? + 1;
        return Some(Use { text: start..end, kind: Kind::Length, index: to..to, value: to..to });
    }
    let close = to + closing(after, '[')?;
    let index = to + 1..close;
    if let Some(start) = before.strip_suffix("atomicAdd(&").map(str::len) {
        let open = start + "atomicAdd".len();
        let end = open + closing(&code[open..], '(')?;
        let comma = close + 1 + code[close + 1..end].find(',')?;
        return Some(Use {
            text: start..end + 1,
            kind: Kind::Add,
            index,
            value: trimmed(code, comma + 1..end),
        });
    }
    if before.ends_with('&') {
        return None;
    }
    let rest = code[close + 1..].trim_start();
    let assigned = rest.strip_prefix('=').filter(|rest| !rest.starts_with('='));
    if let Some(value) = assigned {
        let begin = code.len() - value.len();
        let end = begin + value.find(';')?;
        return Some(Use { text: from..end + 1, kind: Kind::Put, index, value: trimmed(code, begin..end) });
    }
    // `name[i].x = v`, `name[i] += v` and the like.
    let member =
        rest.trim_start_matches(|c: char| c == '.' || c == '_' || c.is_ascii_alphanumeric()).trim_start();
    let mut next = member.chars();
    let (first, second) = (next.next(), next.next());
    let changes = match (first, second) {
        (Some('='), second) => second != Some('='),
        (Some('+' | '-' | '*' | '/' | '%' | '&' | '|' | '^'), Some('=')) => true,
        (Some('+'), Some('+')) | (Some('-'), Some('-')) => true,
        _ => false,
    };
    (!changes).then(|| Use { text: from..close + 1, kind: Kind::At, index, value: to..to })
}

/// Where the bracket that the text begins with is closed.
fn closing(text: &str, open: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if at == 0 && c != open {
            return None;
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A range without the spaces at its ends.
fn trimmed(code: &str, range: Range<usize>) -> Range<usize> {
    let text = &code[range.clone()];
    let begin = range.start + text.len() - text.trim_start().len();
    begin..begin + text.trim().len()
}

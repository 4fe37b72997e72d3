//! The files of the repository, and a reading of Rust just deep enough to judge its habits.

use std::path::{Path, PathBuf};

/// A text file: its path from the root of the repository, with `/` on every system, and its text.
#[derive(Debug)]
pub struct File {
    pub path: String,
    pub text: String,
}

/// Every text file of the repository that is somebody's own work.
pub fn repository() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository can be read");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ours = !name.starts_with('.') || [".ci", ".cargo", ".gitignore"].contains(&&*name);
        if path.is_dir() {
            if ours && name != "target" {
                collect(root, &path, files);
            }
        } else if ours && let Ok(text) = std::fs::read_to_string(&path) {
            let inside = path.strip_prefix(root).expect("below the root");
            let path = inside.to_string_lossy().replace('\\', "/");
            files.push(File { path, text });
        }
    }
}

/// A Rust file as its syntax tree.
pub fn parse(file: &File) -> syn::File {
    syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

/// True if an item is for tests alone.
pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        condition == "test" || condition.starts_with("all (test") || condition.starts_with("all(test")
    })
}

/// Rust with the insides of comments, strings and characters turned into spaces.
/// Lines and columns stay where they are, and so do the quotes of a plain string.
pub fn code_only(rust: &str) -> String {
    let chars: Vec<char> = rust.chars().collect();
    let mut out = String::with_capacity(rust.len());
    let mut at = 0;
    while at < chars.len() {
        let end = token_end(&chars, at);
        let keep = end - at == 1;
        for (offset, &c) in chars[at..end].iter().enumerate() {
            let quote = chars[at] == '"' && (offset == 0 || offset == end - at - 1);
            out.push(if keep || quote || c == '\n' { c } else { ' ' });
        }
        at = end;
    }
    out
}

/// End of the comment, string or character that starts here; the next index for plain code.
fn token_end(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let starts = |text: &str| text.chars().enumerate().all(|(i, c)| rest.get(i) == Some(&c));
    let before = at.checked_sub(1).map_or(' ', |i| chars[i]);
    let in_word = before.is_alphanumeric() || before == '_';
    let length = if starts("//") {
        rest.iter().position(|&c| c == '\n').unwrap_or(rest.len())
    } else if starts("/*") {
        block_comment(rest)
    } else if starts("\"") {
        quoted(rest, '"')
    } else if starts("r\"") || starts("r#\"") || starts("r##\"") {
        // An `r` that ends a word (as in `for"`) starts no raw string; `br` does.
        if in_word && before != 'b' { 1 } else { raw_string(rest) }
    } else if starts("'\\") || (starts("'") && rest.get(2) == Some(&'\'')) {
        quoted(rest, '\'')
    } else {
        1
    };
    at + length.min(rest.len())
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    let mut at = hashes + 2;
    while at < rest.len() {
        let closes = rest[at] == '"' && rest[at + 1..].iter().take(hashes).all(|&c| c == '#');
        at += 1;
        if closes {
            return at + hashes;
        }
    }
    at
}

/// The code with every item behind `#[cfg(test)]` turned into spaces; takes what `code_only` gives.
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    while let Some(start) = out.find(MARK) {
        let end = start + MARK.len() + item_length(&out[start + MARK.len()..]);
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
    }
    out
}

/// Length of the item at the start of the code: up to its `;` or its closing brace.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn comments_strings_and_tests_are_cut() {
    let cases = [
        ("a // b\nc", "a c"),
        ("a /* b /* c */ */ d", "a d"),
        (r#"f("x\"y") g"#, r#"f(" ") g"#),
        ("r#\"a\"b\"# c", "c"),
        ("\"a\" + r\"\\\" + b", "\" \" + + b"),
        ("'\"' x 'a' fn f<'a>(", "x fn f<'a>("),
        ("b'\\'' x", "b x"),
    ];
    for (rust, expected) in cases {
        let code = code_only(rust);
        assert_eq!(code.chars().count(), rust.chars().count(), "{rust}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&code), words(expected), "{rust}");
    }
    let code = "a;\n#[cfg(test)]\nmod tests {\n fn f() { g() }\n}\nb;\n#[cfg(test)] use x;\nc";
    let left: String = without_tests(code).split_whitespace().collect();
    assert_eq!(left, "a;b;c");
}

//! Names and files that comments and documents refer to: they are there.

use crate::source::{self, File};

/// Names as "`name` in path", with the path from the root or beside the file, that are not found in the file.
fn lost(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (before, after) in splits(&file.text, "` in ") {
            let name = before.rsplit(['`', '\n']).next().unwrap_or_default();
            let path = after.trim_start_matches('`').split(['`', ' ', ')', ',', ';', ':', '\n']).next();
            let path = path.unwrap_or_default().trim_end_matches('.');
            let is_file = path.contains('/') && [".rs", ".wgsl"].iter().any(|end| path.ends_with(end));
            if !is_file {
                continue;
            }
            let last = name.rsplit("::").next().unwrap_or_default();
            let there = files.iter().any(|other| other.path == path && other.text.contains(last));
            if !there {
                found.push(format!("{}: `{name}` is not in {path}", file.path));
            }
        }
    }
    found
}

/// The text before and after each occurrence of a word.
fn splits<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(word).map(move |(at, _)| (&text[..at], &text[at + word.len()..]))
}

/// The files that replace others for the page, by their modules' attributes.
fn twins(files: &[File]) -> Vec<String> {
    let attribute = "#[cfg_attr(target_arch = \"wasm32\", path = \"";
    let mut found = Vec::new();
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (_, after) in splits(&file.text, attribute) {
            let path = after.split('"').next().unwrap_or_default();
            found.push(format!("{folder}/{path}"));
        }
    }
    found
}

#[test]
fn what_a_comment_names_in_a_file_is_there() {
    let found = lost(&source::repository());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_name_that_has_moved_is_seen() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let code = file("a/b.rs", "fn here() {}\n");
    let comment = |name: &str| file("c.wgsl", &format!("// A sum: twin of `{name}` in {}.\n", "a/b.rs"));
    assert!(lost(&[comment("here"), file("a/b.rs", &code.text)]).is_empty());
    assert_eq!(lost(&[comment("gone"), code]), ["c.wgsl: `gone` is not in a/b.rs"]);
}

#[test]
fn every_twin_for_the_page_is_listed() {
    let files = source::repository();
    let document = files.iter().find(|file| file.path == "ARCHITECTURE.md").expect("a document");
    let twins = twins(&files);
    assert!(twins.len() >= 5, "{twins:?}");
    for twin in twins {
        assert!(document.text.contains(&format!("- `{twin}`: ")), "ARCHITECTURE.md does not list {twin}");
    }
}

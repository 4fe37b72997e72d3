//! The size of the repository: lines of code per room, without comments, blank lines and tests. A room that grows
//! beyond its budget requires a decision, which is taken here.

use crate::source::{self, File};

/// The rooms, and the most lines of code of each.
const BUDGET: [(&str, usize); 23] = [
    ("crates/board/", 890),
    ("crates/config/", 1400),
    ("crates/conform/", 1910),
    ("crates/cpu/", 2890),
    ("crates/engine/", 1490),
    ("crates/engines/", 250),
    ("crates/files/", 3170),
    ("crates/formula/", 1830),
    ("crates/gpu/", 2700),
    ("crates/profile/", 1220),
    ("crates/python/", 1590),
    ("crates/ranks/", 970),
    ("crates/scene/", 2180),
    ("crates/study/", 1920),
    ("crates/window/", 6970),
    ("embedded/", 3250),
    ("flock/src/formula/", 1640),
    ("flock/", 5030),
    ("presets/", 40),
    ("shaders/", 3370),
    ("src/", 3950),
    ("web/", 30),
    ("xtask/", 2050),
];

/// The lines of code of a file, as they are counted here.
fn weight(file: &File) -> usize {
    let code = source::without_tests(&source::code_only(&file.text));
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

/// True if a file is code that somebody uses: no test, example or benchmark.
fn counts(path: &str) -> bool {
    let code = path.ends_with(".rs") || path.ends_with(".wgsl");
    let folders = ["tests/", "examples/", "benches/"];
    let aside = folders.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    code && !aside && !path.ends_with("/tests.rs")
}

/// Rooms beyond their budgets, and files in no room.
fn excess(files: &[File], budget: &[(&str, usize)]) -> Vec<String> {
    let mut weights = vec![0; budget.len()];
    let mut found = Vec::new();
    for file in files.iter().filter(|file| counts(&file.path)) {
        match budget.iter().position(|(room, _)| file.path.starts_with(room)) {
            Some(room) => weights[room] += weight(file),
            None => found.push(format!("{} is in no room of the budget", file.path)),
        }
    }
    for ((room, most), weight) in budget.iter().zip(weights) {
        println!("{weight:6} of {most:6} {room}");
        if weight > *most {
            found.push(format!("{room} has {weight} lines of code: allowed are {most}"));
        }
    }
    found
}

#[test]
fn rooms_keep_their_budgets() {
    let found = excess(&source::repository(), &BUDGET);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_room_beyond_its_budget_is_seen() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let text =
        "// A comment.\nfn f() {\n\n    g(); // another\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
    let files = [file("a/x.rs", text), file("a/tests/y.rs", "fn y() {}\n"), file("a/z.md", "words\n")];
    assert!(excess(&files, &[("a/", 3)]).is_empty());
    assert_eq!(excess(&files, &[("a/", 2)]), ["a/ has 3 lines of code: allowed are 2"]);
    assert_eq!(excess(&files, &[("b/", 3)]), ["a/x.rs is in no room of the budget"]);
}

//! The house by machine: arrows between crates and between their modules, sizes, and what no file may hold. The rest is
//! clippy's (`Cargo.toml`, `clippy.toml`). Each check is shown to catch a file that breaks it.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by it")]

#[path = "tidy/dense.rs"]
mod dense;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The crates, from the bottom up: each knows some of those before it, and none after it.
const ORDER: [&str; 18] = [
    "flock",
    "formula",
    "config",
    "engine",
    "files",
    "flight",
    "gpu",
    "scene",
    "cpu",
    "board",
    "engines",
    "study",
    "conform",
    "reference",
    "profile",
    "window",
    "ranks",
    "python",
];

/// Dependencies that only some packages have, with the folders of those packages.
const RESERVED: [(&str, &[&str]); 4] = [
    ("wgpu", &["crates/engines", "crates/gpu", "crates/scene", "crates/window", ""]),
    ("winit", &["crates/window", ""]),
    ("pyo3", &["crates/python"]),
    ("ranks", &[""]),
];

/// The rooms, and the most lines of code of each, without comments, blank lines and tests. A room that grows beyond its
/// budget requires a decision, which is taken here.
const BUDGET: [(&str, usize); 25] = [
    ("crates/board/", 885),
    ("crates/config/", 2000),
    ("crates/conform/", 2060),
    ("crates/cpu/", 2770),
    ("crates/engine/", 1655),
    ("crates/engines/", 240),
    ("crates/files/", 3160),
    ("crates/flight/", 955),
    ("crates/formula/", 2070),
    ("crates/gpu/", 2680),
    ("crates/profile/", 1215),
    ("crates/python/", 2160),
    ("crates/ranks/", 940),
    ("crates/scene/", 2590),
    ("crates/study/", 1900),
    ("crates/window/", 9135),
    ("embedded/", 3340),
    ("flock/src/formula/", 1545),
    ("flock/", 5255),
    ("presets/", 40),
    ("reference/", 730),
    ("shaders/", 3415),
    ("src/", 4620),
    ("web/", 30),
    ("xtask/", 4880),
];

/// A text file: its path from the root, with `/` on every system.
#[derive(Debug)]
struct File {
    path: String,
    text: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    fn is_code(&self) -> bool {
        self.path.ends_with(".rs") || self.path.ends_with(".wgsl")
    }

    /// True for code that somebody uses: no test, example or benchmark.
    fn is_product(&self) -> bool {
        let path = format!("/{}", self.path);
        let aside = ["/tests/", "/examples/", "/benches/"].iter().any(|folder| path.contains(folder));
        self.is_code() && !aside && !path.ends_with("/tests.rs")
    }

    /// The lines of code with their numbers: no comments, no blank lines, no items behind `#[cfg(test)]`.
    fn code(&self) -> Vec<(usize, &str)> {
        let mut code = Vec::new();
        let mut lines = (1..).zip(self.text.lines());
        while let Some((number, line)) = lines.next() {
            if line.trim().is_empty() || line.trim_start().starts_with("//") {
                continue;
            }
            if line.trim() != "#[cfg(test)]" {
                code.push((number, line));
                continue;
            }
            // The formatter puts the end of an item under its beginning.
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            let item = lines.by_ref().find(|(_, line)| !line.trim_start().starts_with("#["));
            if item.is_some_and(|(_, line)| line.ends_with('{')) {
                lines.by_ref().find(|(_, line)| *line == end);
            }
        }
        code
    }
}

/// Every text file of the repository that is somebody's own work.
fn repository() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == "target" || name.starts_with('.') && ![".ci", ".cargo", ".gitignore"].contains(&&*name)
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let inside = path.strip_prefix(root).expect("below the root");
                files.push(File { path: inside.to_string_lossy().replace('\\', "/"), text });
            }
        }
    }
    assert!(files.len() > 500 && files.iter().any(|file| file.path == ".ci/run"), "{} files", files.len());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Fails with all that a check finds in the repository.
fn holds(check: impl Fn(&[File]) -> Vec<String>) {
    let found = check(&repository());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The number of findings in one file.
fn found(check: impl Fn(&[File]) -> Vec<String>, path: &str, text: &str) -> usize {
    check(&[File::new(path, text)]).len()
}

/// Dependencies on crates above, and on what is reserved for others. A crate's own tests may look anywhere.
fn arrows_up(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let folder = file.path.trim_end_matches("Cargo.toml").trim_end_matches('/');
        let name = folder.trim_start_matches("crates/");
        let place = ORDER.iter().position(|known| *known == name);
        let above = place.map_or(&[][..], |place| &ORDER[place + 1..]);
        let mut section = "";
        for line in file.text.lines() {
            if line.starts_with('[') {
                section = line;
            }
            if !section.contains("dependencies") || section.contains("dev-") || section.contains("workspace.")
            {
                continue;
            }
            let word = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let reserved = RESERVED.iter().any(|(name, places)| *name == word && !places.contains(&folder));
            if above.contains(&word) || reserved {
                found.push(format!("{}: {line}", file.path));
            }
        }
    }
    found
}

#[test]
fn no_arrow_leads_up() {
    holds(arrows_up);
    assert_eq!(found(arrows_up, "crates/study/Cargo.toml", "[dependencies]\nfiles.workspace = true\n"), 0);
    assert_eq!(
        found(arrows_up, "crates/files/Cargo.toml", "[dependencies]\ncpu = { workspace = true }\n"),
        1
    );
    assert_eq!(found(arrows_up, "crates/files/Cargo.toml", "[dev-dependencies]\ncpu.workspace = true\n"), 0);
    assert_eq!(found(arrows_up, "flock/Cargo.toml", "[dependencies]\nwgpu = \"30\"\n"), 1);
    assert_eq!(found(arrows_up, "crates/study/Cargo.toml", "[dependencies]\nranks.workspace = true\n"), 1);
}

/// A module of a crate: its file, and the names it re-exports with their paths.
#[derive(Default)]
struct Module {
    code: String,
    exports: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate that have files, by their paths; the root's is empty.
type Modules = BTreeMap<Vec<String>, Module>;

/// Reads the paths of a `use`, or one path, from the start of a text; returns the rest of the text.
fn read_paths<'a>(mut text: &'a str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    loop {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        if let Some(mut group) = text.strip_prefix('{') {
            while !group.is_empty() && !group.starts_with('}') {
                let before = group.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
                group = read_paths(before, path.clone(), found);
                // An alias does not matter, nor does what is no path.
                let skipped = group.find([',', '}']).unwrap_or(group.len());
                group = &group[skipped..];
            }
            return group.strip_prefix('}').unwrap_or(group);
        }
        if !word.is_empty() {
            path.push(word.to_owned());
        }
        match rest.strip_prefix("::") {
            Some(rest) if !word.is_empty() => text = rest,
            _ => {
                found.push(path);
                return rest;
            }
        }
    }
}

/// The modules of the crate with this root.
fn modules(files: &[File], root: &str) -> Modules {
    let folder = root.trim_end_matches("lib.rs");
    let mut modules = Modules::new();
    for file in files.iter().filter(|file| file.path.starts_with(folder) && file.is_product()) {
        let mut path: Vec<String> =
            file.path[folder.len()..].trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        path.pop_if(|last| last == "mod" || file.path == root);
        let code: String = file.code().iter().flat_map(|(_, line)| [line, "\n"]).collect();
        let mut module = Module { code, ..Module::default() };
        for statement in module.code.split(';') {
            let public = ["pub use ", "pub(crate) use ", "pub(super) use "];
            let Some((_, names)) = public.iter().find_map(|word| statement.split_once(word)) else {
                continue;
            };
            let mut paths = Vec::new();
            read_paths(names, Vec::new(), &mut paths);
            for path in paths {
                module.exports.insert(path.last().cloned().unwrap_or_default(), path);
            }
        }
        modules.insert(path, module);
    }
    modules
}

/// The module that defines what a path in a module names.
fn defining(modules: &Modules, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
    let mut at = from.to_vec();
    for (k, word) in path.iter().enumerate() {
        let below = [&at[..], std::slice::from_ref(word)].concat();
        match word.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            _ if modules.contains_key(&below) => at = below,
            _ => {
                let Some(exported) = modules.get(&at)?.exports.get(word).filter(|_| depth < 8) else {
                    return Some(at);
                };
                let whole = [exported, &path[k + 1..]].concat();
                let target = defining(modules, &at, &whole, depth + 1)?;
                return Some(target);
            }
        }
    }
    Some(at)
}

/// Circles of imports between the modules of a crate. A child is a part of its parent: names taken from the parent are
/// no imports, nor is a parent's re-export.
fn circles(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for root in files.iter().filter(|file| file.path.ends_with("src/lib.rs")) {
        let modules = modules(files, &root.path);
        let mut imports: BTreeMap<&[String], BTreeSet<Vec<String>>> = BTreeMap::new();
        for (path, module) in &modules {
            let mut paths = Vec::new();
            for word in ["crate::", "super::"] {
                for (at, _) in module.code.match_indices(word) {
                    if !module.code[..at].ends_with("::") {
                        read_paths(&module.code[at..], Vec::new(), &mut paths);
                    }
                }
            }
            let targets = paths.iter().filter_map(|used| defining(&modules, path, used, 0));
            imports.entry(path).or_default().extend(targets.filter(|target| !path.starts_with(target)));
        }
        for path in modules.keys() {
            let mut reached = BTreeSet::new();
            let mut open = vec![&path[..]];
            while let Some(one) = open.pop() {
                for next in imports.get(one).into_iter().flatten() {
                    if reached.insert(next) {
                        open.push(next);
                    }
                }
            }
            if reached.contains(path) {
                found.push(format!("{}: {} is in a circle", root.path, path.join("::")));
            }
        }
    }
    found
}

#[test]
fn modules_form_no_circle() {
    holds(circles);
    let with = |text: &str| {
        let root = File::new("a/src/lib.rs", "mod a;\nmod b;\npub use b::{B, C};\n");
        let child = File::new("a/src/a/x.rs", "use crate::B;\nuse super::A;\n");
        let parent = File::new("a/src/a/mod.rs", "mod x;\npub use x::X;\n");
        circles(&[root, child, parent, File::new("a/src/b.rs", text)]).len()
    };
    for circle in
        ["use crate::{b::D, a::{self, X}};\n", "fn f() { crate::a::x::g() }\n", "use super::a::X as Y;\n"]
    {
        assert_eq!(with(circle), 2, "{circle}");
    }
    for none in [
        "use std::a::A;\n// crate::a::X\n",
        "#[cfg(test)]\nmod tests {\n    use crate::a::X;\n}\n",
        "use crate::a::A;\n",
    ] {
        assert_eq!(with(none), 0, "{none}");
    }
}

/// Rooms beyond their budgets, files in no room, and files of more than 600 lines.
fn excess(files: &[File]) -> Vec<String> {
    let mut weights = BTreeMap::new();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_product()) {
        match BUDGET.iter().find(|(room, _)| file.path.starts_with(room)) {
            Some(room) => *weights.entry(room).or_insert(0) += file.code().len(),
            None => found.push(format!("{}: it is in no room of the budget", file.path)),
        }
    }
    for ((room, most), weight) in weights {
        println!("{weight:6} of {most:6} {room}");
        if weight > *most {
            found.push(format!("{room}: {weight} lines of code, more than {most}"));
        }
    }
    for file in files.iter().filter(|file| file.is_code() && file.text.lines().count() > 600) {
        found.push(format!("{}: more than 600 lines", file.path));
    }
    found
}

#[test]
fn rooms_keep_their_budgets() {
    holds(excess);
    let text =
        "// A comment.\nfn f() {\n\n    g(); // another\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
    assert_eq!(File::new("a.rs", text).code().len(), 3);
    assert_eq!(found(excess, "web/a.rs", &text.repeat(10)), 0);
    assert_eq!(found(excess, "web/a.rs", &text.repeat(11)), 1);
    assert_eq!(found(excess, "web/tests/a.rs", &text.repeat(60)), 0);
    assert_eq!(found(excess, "web/tests/a.rs", &text.repeat(70)), 1);
    assert_eq!(found(excess, "nowhere/x.rs", text), 1);
}

/// Words that no file of a kind may hold. They are put together here so that this file does not hold them.
fn words(files: &[File]) -> Vec<String> {
    let machines =
        [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("C:\\", "Users")];
    let undone = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];
    let reads = ["map_async", "get_mapped_range", "MAP_READ"];
    let begins = ["As ", "Of ", "What ", "Whether "];
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.path.ends_with("Cargo.lock")) {
        // Off screen the picture is read back, and the share of it that a part of a flock covers.
        let off_screen = file.path == "crates/scene/src/offscreen.rs";
        let draws = file.path.starts_with("crates/scene/") || file.path.starts_with("crates/window/");
        for (number, line) in (1..).zip(file.text.lines()) {
            let comment = line.trim_start().strip_prefix("//").unwrap_or_default();
            let subject = comment.trim_start_matches(['/', '!']).trim_start();
            let reason = if machines.iter().any(|word| line.contains(word)) {
                "a path of somebody's machine"
            } else if undone.iter().any(|word| line.contains(word)) {
                "something is left to do"
            } else if draws && !off_screen && reads.iter().any(|word| line.contains(word)) {
                "drawing reads a buffer back"
            } else if file.is_code()
                && !file.path.starts_with("src/cli/")
                && begins.iter().any(|word| subject.starts_with(word))
            {
                "a comment begins with its subject"
            } else {
                continue;
            };
            found.push(format!("{}:{number}: {reason}", file.path));
        }
    }
    found
}

#[test]
fn no_file_holds_a_forbidden_word() {
    holds(words);
    assert_eq!(found(words, "docs/a.md", concat!("See /ho", "me/kim/murmuration.\n")), 1);
    assert_eq!(found(words, "shaders/a.wgsl", concat!("// TO", "DO: predators\n")), 1);
    assert_eq!(found(words, "crates/window/src/a.rs", "buffer.slice(..).map_async(mode, done);\n"), 1);
    assert_eq!(found(words, "crates/gpu/src/a.rs", "buffer.slice(..).map_async(mode, done);\n"), 0);
    assert_eq!(found(words, "src/a.rs", "    //! Whether it flies.\n"), 1);
    assert_eq!(found(words, "src/a.rs", "/// The flock.\nfn a() {} // What it is called\n"), 0);
}

/// Names as "`name` in path" that are not found in that file; and the files that replace others for the page, which
/// ARCHITECTURE.md lists.
fn lost_references(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    let text_of = |path: &str| files.iter().find(|file| file.path == path).map_or("", |file| &file.text);
    for file in files {
        for (at, mark) in file.text.match_indices("` in ") {
            let name = file.text[..at].rsplit(['`', '\n']).next().unwrap_or_default();
            let path = file.text[at + mark.len()..]
                .trim_start_matches('`')
                .split(['`', ' ', ')', ',', ';', ':', '\n']);
            let path = path.map(|path| path.trim_end_matches('.')).next().unwrap_or_default();
            let is_file = path.contains('/') && (path.ends_with(".rs") || path.ends_with(".wgsl"));
            let last = name.rsplit("::").next().unwrap_or_default();
            if is_file && !text_of(path).contains(last) {
                found.push(format!("{}: `{name}` is not in {path}", file.path));
            }
        }
        let attribute = concat!("#[cfg_attr(target_arch = \"was", "m32\", path = \"");
        for (at, mark) in file.text.match_indices(attribute) {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let twin = file.text[at + mark.len()..].split('"').next().unwrap_or_default();
            if !text_of("ARCHITECTURE.md").contains(&format!("- `{folder}/{twin}`: ")) {
                found.push(format!("ARCHITECTURE.md does not list {folder}/{twin}"));
            }
        }
    }
    found
}

#[test]
fn what_a_text_refers_to_is_there() {
    holds(lost_references);
    let comment = |name: &str| format!("fn here() {{}}\n// Twin of `{name}` in {}.\n", "a/b.rs");
    assert_eq!(found(lost_references, "a/b.rs", &comment("here")), 0);
    assert_eq!(
        found(lost_references, "a/b.rs", &comment("gone").replace("// Twin of `gone`", "`go\u{6e}e`")),
        0
    );
    assert_eq!(found(lost_references, "a/c.rs", &comment("here")), 1);
    let twin = concat!("#[cfg_attr(target_arch = \"was", "m32\", path = \"page.rs\")]\nmod native;\n");
    assert_eq!(found(lost_references, "a/src/lib.rs", twin), 1);
}

#[test]
fn packages_share_one_lint_table_and_the_flock_is_alone() {
    for file in repository() {
        let text: String = file.text.split_whitespace().collect();
        // A peer's program belongs to no workspace.
        let is_apart = file.path.starts_with("embedded/") || file.path.starts_with("benches/");
        if file.path.ends_with("Cargo.toml") && !is_apart {
            assert!(text.contains("[lints]workspace=true"), "{}: no shared lints", file.path);
        }
    }
    let flock = include_str!("../flock/src/lib.rs");
    assert!(flock.lines().any(|line| line.starts_with("#![") && line.contains("no_std")));
}

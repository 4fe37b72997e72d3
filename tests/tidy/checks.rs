//! The habits, one check each, and for each check text that it must catch and text it must not.

use crate::functions;
use crate::source::{File, code_only, without_tests};

/// A habit of this repository that a machine can hold.
#[derive(Debug)]
pub struct Check {
    /// The rule that every file must follow, as a sentence.
    pub habit: &'static str,
    /// The files that the rule covers, by path.
    pub about: fn(&str) -> bool,
    /// The lines that break it, numbered from 1, and what is wrong there.
    pub find: fn(&File) -> Vec<(usize, String)>,
    /// A file that keeps the habit, and one that breaks it.
    pub good: fn() -> (&'static str, String),
    pub bad: fn() -> (&'static str, String),
}

/// The text of a file without comments and strings: the input of the checks.
fn code(file: &File) -> String {
    code_only(&file.text)
}

/// The lines that hold one of the words, as a part of any longer word, too.
fn lines_with(text: &str, words: &[&str]) -> Vec<(usize, String)> {
    let lines = (1..).zip(text.lines());
    let found = lines.filter_map(|(number, line)| {
        let word = words.iter().find(|word| line.contains(**word))?;
        Some((number, format!("`{word}`")))
    });
    found.collect()
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

fn is_shipped_rust(path: &str) -> bool {
    ["src/", "crates/", "flock/src/"].iter().any(|folder| path.starts_with(folder)) && is_product_rust(path)
}

/// True for code other than tests, examples and benchmarks.
fn is_product_rust(path: &str) -> bool {
    // `mod tests;` behind `#[cfg(test)]` has a file, or a folder, of its own.
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    is_rust(path) && !is_test && (path.starts_with("src/") || path.contains("/src/"))
}

/// Patterns are put together here so that this file does not hold what it looks for.
pub const NO_PATHS: Check = Check {
    habit: "no path of somebody's machine is written down",
    about: |path| path != "Cargo.lock",
    find: |file| {
        let folders = [
            concat!("/ro", "ot/"),
            concat!("/ho", "me/"),
            concat!("/wo", "rk/"),
            concat!("/Us", "ers/"),
            concat!("C:\\", "Users"),
        ];
        lines_with(&file.text, &folders)
    },
    good: || ("src/a.rs", "let file = \"target/film.mp4\"; // or /usr/share/vulkan\n".into()),
    bad: || ("docs/a.md", concat!("See /ho", "me/kim/murmuration.\n").into()),
};

pub const NO_ENVIRONMENT: Check = Check {
    habit: "only `main` sets a variable of the environment: elsewhere another thread may read it meanwhile",
    about: |path| is_shipped_rust(path) && path != "src/main.rs",
    find: |file| lines_with(&without_tests(&code(file)), &["env::set_var(", "env::remove_var("]),
    good: || ("src/a.rs", "fn f() { std::env::var_os(NAME); } // env::set_var(\n".into()),
    bad: || ("src/a.rs", "fn f() { unsafe { std::env::set_var(NAME, \"1\") } }\n".into()),
};

pub const NO_PANICS: Check = Check {
    habit: "code that ships has no unwrap, no expect with a message, no panic",
    about: is_shipped_rust,
    find: |file| {
        let words = [".unwrap()", ".expect(\"", "panic!(", "unwrap_err()", ".expect_err("];
        lines_with(&without_tests(&code(file)), &words)
    },
    good: || {
        (
            "src/a.rs",
            "fn f() { g().unwrap_or(0) } // .unwrap()\n\
             #[cfg(test)]\nmod tests { fn t() { g().unwrap(); } }\n"
                .into(),
        )
    },
    bad: || ("flock/src/a.rs", "#[cfg(test)]\nmod tests {}\nfn f() { g().expect(\"why\"); }\n".into()),
};

pub const SHORT_FILES: Check = Check {
    habit: "a source file has at most 600 lines",
    about: |path| is_rust(path) || path.ends_with(".wgsl"),
    find: |file| match file.text.lines().count() {
        0..=600 => vec![],
        lines => vec![(601, format!("{lines} lines"))],
    },
    good: || ("shaders/a.wgsl", "fn f() {}\n".into()),
    bad: || ("src/a.rs", "\n".repeat(601)),
};

pub const SHORT_FUNCTIONS: Check = Check {
    habit: "a function has at most 80 lines",
    about: is_product_rust,
    find: |file| {
        functions::of(file)
            .filter(|function| function.lines > 80)
            .map(|function| (function.line, format!("`{}` has {}", function.name, function.lines)))
            .collect()
    },
    good: || ("src/a.rs", format!("// 80.\nfn f() {{\n{}}}\n", "\n".repeat(78))),
    bad: || ("embedded/src/a.rs", format!("// 81.\nimpl A {{\nfn f() {{{}}}\n}}\n", "\n".repeat(80))),
};

pub const FEW_ARGUMENTS: Check = Check {
    habit: "a function has at most 7 arguments",
    about: is_product_rust,
    find: |file| {
        functions::of(file)
            .filter(|function| function.arguments > 7)
            .map(|function| (function.line, format!("`{}` has {}", function.name, function.arguments)))
            .collect()
    },
    good: || {
        (
            "src/a.rs",
            "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {}\n\
             #[cfg(test)]\n\
             mod tests { fn f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) {} }\n"
                .into(),
        )
    },
    bad: || {
        ("src/a.rs", "trait A {\nfn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {}\n}\n".into())
    },
};

pub const FLOCK_ALONE: Check = Check {
    habit: "flock/ knows no GPU, no window, no file",
    about: |path| path == "flock/Cargo.toml" || path.starts_with("flock/src/"),
    find: |file| {
        let text = if is_rust(&file.path) { code(file) } else { file.text.clone() };
        let words = ["wgpu", "naga", "winit", "egui", "std::fs", "std::io", "std::net", "std::process"];
        lines_with(&text, &words)
    },
    good: || ("flock/src/a.rs", "//! The GPU's twin is written for wgpu.\nuse core::ops::Add;\n".into()),
    bad: || ("flock/Cargo.toml", "[dependencies]\nwgpu = \"30\"\n".into()),
};

pub const FLOCK_WITHOUT_STD: Check = Check {
    habit: "flock/ is no_std",
    about: |path| path == "flock/src/lib.rs",
    find: |file| {
        let says = code(file).lines().any(|line| {
            line.starts_with("#![no_std]") || line.starts_with("#![cfg_attr(not(test), no_std)]")
        });
        if says { vec![] } else { vec![(1, "no `#![no_std]`".to_owned())] }
    },
    good: || ("flock/src/lib.rs", "//! The flock.\n#![no_std]\n".into()),
    bad: || ("flock/src/lib.rs", "//! #![no_std] is what we like.\n".into()),
};

pub const GPU_WITHOUT_WINDOW: Check = Check {
    habit: "crates/gpu/ knows no window",
    about: |path| path.starts_with("crates/gpu/"),
    find: |file| lines_with(&code(file), &["winit", "egui", "scene::", "window::"]),
    good: || ("crates/gpu/src/a.rs", "// The window (winit) is drawn elsewhere.\nuse wgpu::Device;\n".into()),
    bad: || ("crates/gpu/src/a.rs", "use winit::window::Window;\n".into()),
};

pub const PYTHON_ON_TOP: Check = Check {
    habit: "no package knows crates/python/, and no other knows Python",
    about: |path| path.ends_with("Cargo.toml") && path != "crates/python/Cargo.toml",
    find: |file| lines_with(&file.text, &["murmuration-python", "pyo3", "numpy"]),
    good: || ("crates/study/Cargo.toml", "[dependencies]\nfiles.workspace = true\n".into()),
    bad: || ("crates/study/Cargo.toml", "[dependencies]\npyo3 = \"0.30\"\n".into()),
};

/// The crates, from the bottom up: each knows some of those before it, and none after it.
const ORDER: [&str; 16] = [
    "flock", "formula", "config", "engine", "files", "gpu", "scene", "cpu", "board", "engines", "study",
    "conform", "profile", "window", "ranks", "python",
];

/// The packages after this one in [`ORDER`].
fn packages_above(path: &str) -> &'static [&'static str] {
    let folder = path.trim_start_matches("crates/").trim_end_matches("/Cargo.toml");
    let place = ORDER.iter().position(|name| *name == folder);
    place.map_or(&[], |place| &ORDER[place + 1..])
}

pub const NO_ARROW_UP: Check = Check {
    habit: "a crate knows none above it",
    about: |path| path.ends_with("Cargo.toml") && !packages_above(path).is_empty(),
    find: |file| {
        let mut up = Vec::new();
        let mut in_tests = false;
        for (at, line) in file.text.lines().enumerate() {
            if line.starts_with('[') {
                // A crate's own tests may look anywhere.
                in_tests = line.contains("dev-dependencies");
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !in_tests && packages_above(&file.path).contains(&name) {
                up.push((at + 1, line.to_owned()));
            }
        }
        up
    },
    good: || ("crates/study/Cargo.toml", "[dependencies]\nfiles.workspace = true\n".into()),
    bad: || ("crates/files/Cargo.toml", "[dependencies]\ncpu = { workspace = true }\n".into()),
};

pub const RANKS_ON_TOP: Check = Check {
    habit: "no package but the program knows crates/ranks/",
    about: |path| path.ends_with("Cargo.toml") && !["Cargo.toml", "crates/ranks/Cargo.toml"].contains(&path),
    find: |file| lines_with(&file.text, &["murmuration-ranks", "ranks.workspace"]),
    good: || ("crates/study/Cargo.toml", "[dependencies]\nfiles.workspace = true\n".into()),
    bad: || ("crates/study/Cargo.toml", "[dependencies]\nranks.workspace = true\n".into()),
};

pub const VIEW_READS_NO_STATE: Check = Check {
    habit: "crates/scene/ and crates/window/ draw from the GPU's buffers and read none of them back",
    // Off screen, the picture is read back, and what a part of a flock covers of it.
    about: |path| {
        let reads = ["crates/scene/src/offscreen.rs", "crates/scene/src/parts.rs"];
        (path.starts_with("crates/scene/") || path.starts_with("crates/window/")) && !reads.contains(&path)
    },
    find: |file| lines_with(&code(file), &["map_async", "get_mapped_range", "MAP_READ", "readback"]),
    good: || ("crates/window/src/a.rs", "pass.set_vertex_buffer(0, positions.slice(..));\n".into()),
    bad: || ("crates/window/src/a.rs", "buffer.slice(..).map_async(wgpu::MapMode::Read, done);\n".into()),
};

pub const REASONED_EXCEPTIONS: Check = Check {
    habit: "a lint is switched off only with its reason beside it",
    about: is_rust,
    find: |file| {
        let code = code(file);
        let source: Vec<&str> = file.text.lines().collect();
        let attributes = [concat!("#[al", "low("), concat!("#![al", "low("), concat!("#[ex", "pect(")];
        let reasoned = |number: &usize| {
            // The attribute can be broken over lines; its reason is its last part.
            let whole = source[number - 1..].iter().take_while(|line| !line.trim().starts_with("fn "));
            let above = number.checked_sub(2).is_some_and(|i| source[i].trim().starts_with("//"));
            let text: String = whole.take(8).copied().collect::<Vec<_>>().join("\n");
            let attribute = text.split(")]").next().unwrap_or_default();
            above || attribute.contains("reason = \"") || source[number - 1].contains(")] //")
        };
        let mut found = lines_with(&code, &attributes);
        found.retain(|(number, _)| !reasoned(number));
        found
    },
    good: || {
        (
            "src/a.rs",
            concat!(
                "// The formula has them all.\n#[al",
                "low(clippy::too_many_arguments)]\nfn f() {}\n",
                "#[al",
                "low(\n    dead_code,\n    reason = \"read by the GPU\"\n)]\nstruct A;\n",
            )
            .into(),
        )
    },
    bad: || ("src/a.rs", concat!("fn a() {}\n#[al", "low(dead_code)]\nfn f() {}\n").into()),
};

pub const NOTHING_LEFT_TO_DO: Check = Check {
    habit: "nothing is left to do, and no test is left out",
    about: |path| {
        is_rust(path) || path.ends_with(".wgsl") || path.ends_with(".toml") || path.ends_with(".md")
    },
    find: |file| {
        let words = [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("XX", "X:"),
            concat!("to", "do!("),
            concat!("unimple", "mented!("),
            concat!("#[ig", "nore"),
        ];
        lines_with(&file.text, &words)
    },
    good: || ("shaders/a.wgsl", "// What a boid has to do: move.\n".into()),
    bad: || ("shaders/a.wgsl", concat!("// TO", "DO: predators\n").into()),
};

/// The texts of options are comments, too, but those are sentences to their users.
pub const SUBJECT_FIRST: Check = Check {
    habit: "a comment begins with its subject",
    about: |path| (is_rust(path) || path.ends_with(".wgsl")) && !path.starts_with("src/cli/"),
    find: |file| {
        let first = |line: &str| match line
            .trim_start()
            .strip_prefix("//")?
            .trim_start_matches(['/', '!'])
            .split(' ')
            .nth(1)
        {
            Some(word @ ("As" | "Of" | "What" | "Whether")) => Some(format!("`{word}`")),
            _ => None,
        };
        (1..).zip(file.text.lines()).filter_map(|(number, line)| Some((number, first(line)?))).collect()
    },
    good: || ("src/a.rs", "/// The flock.\nfn a() {} // What it is called\n".into()),
    bad: || ("src/a.rs", "    //! Whether it flies.\n".into()),
};

pub const ONE_LINT_TABLE: Check = Check {
    habit: "every package uses the workspace's lint table",
    about: |path| path.ends_with("Cargo.toml") && !path.starts_with("embedded/"),
    find: |file| {
        let text: String = file.text.split_whitespace().collect();
        let uses = text.contains("[lints]workspace=true");
        if uses { vec![] } else { vec![(1, "no `[lints] workspace = true`".to_owned())] }
    },
    good: || ("a/Cargo.toml", "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n".into()),
    bad: || ("a/Cargo.toml", "[package]\nname = \"a\"\n".into()),
};

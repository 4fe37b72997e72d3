//! Habits of the source that can be held by a machine, the invariants of ARCHITECTURE.md among them.
//!
//! Each check first proves itself: it must pass a file that keeps the habit and catch one that
//! breaks it. Only then is the repository judged.

mod budget;
mod checks;
mod functions;
mod imports;
mod references;
mod source;

use std::collections::BTreeMap;

use checks::Check;
use source::File;

/// Proves the check, then holds the repository to it.
fn hold(check: &Check) {
    for ((path, text), is_bad) in [((check.good)(), false), ((check.bad)(), true)] {
        let file = File { path: path.to_owned(), text };
        assert!((check.about)(&file.path), "{}: not about {}", check.habit, file.path);
        let caught = (check.find)(&file);
        assert_eq!(!caught.is_empty(), is_bad, "{}: {caught:?} in {file:?}", check.habit);
    }
    let files = source::repository();
    let judged: Vec<&File> = files.iter().filter(|file| (check.about)(&file.path)).collect();
    let findings: Vec<String> = judged
        .iter()
        .flat_map(|file| (check.find)(file).into_iter().map(move |found| (file, found)))
        .map(|(file, (line, what))| format!("{}:{line}: {what}", file.path))
        .collect();
    assert!(findings.is_empty(), "{}, but:\n{}", check.habit, findings.join("\n"));
}

#[test]
fn the_whole_repository_is_seen() {
    let files = source::repository();
    for path in ["Cargo.toml", "flock/src/lib.rs", "src/lib.rs", "tests/tidy/main.rs", ".ci/run"] {
        assert!(files.iter().any(|file| file.path == path), "{path} was not read");
    }
    assert!(!files.iter().any(|file| file.path.starts_with("target/")), "build outputs were read");
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    hold(&checks::NO_PATHS);
}

#[test]
fn shipped_code_does_not_panic() {
    hold(&checks::NO_PANICS);
}

#[test]
fn the_environment_is_set_before_any_thread_runs() {
    hold(&checks::NO_ENVIRONMENT);
}

#[test]
fn source_files_are_short() {
    hold(&checks::SHORT_FILES);
}

#[test]
fn functions_are_short() {
    hold(&checks::SHORT_FUNCTIONS);
}

#[test]
fn functions_take_few_arguments() {
    hold(&checks::FEW_ARGUMENTS);
}

/// The circles in a crate of these files, the first of them its root.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<File> = files
        .iter()
        .map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() })
        .collect();
    imports::circles(&imports::imports(&files, &files[0].path))
}

#[test]
fn a_circle_is_found_by_any_kind_of_path() {
    let root = ("src/lib.rs", "mod a;\npub mod b;\npub use b::B;\n");
    let b = |text| ("src/b.rs", text);
    let plain =
        [root, ("src/a.rs", "use crate::b::B;\npub struct A(B);\n"), b("use super::a::A;\npub struct B;")];
    let expected = "a circle of 2 files:\n  src/a.rs -> src/b.rs: B\n  src/b.rs -> src/a.rs: A";
    assert_eq!(circles(&plain), [expected]);
    // The root re-exports B, and `a` is named in an expression, in a macro, by a glob, in a body.
    let a = ("src/a.rs", "pub struct A(crate::B);\nimpl A { pub fn new() {} }\n");
    for text in [
        "pub struct B;\nfn f() { crate::a::A::new() }",
        "use crate::a;\npub struct B;\nfn f() { println!(\"{}\", a::A::new()) }",
        "use crate::a::*;\npub struct B(A);",
        "pub struct B;\nfn f() { use crate::{a::{self as c}}; c::A::new() }",
    ] {
        assert_eq!(circles(&[root, a, b(text)]), [expected], "{text}");
    }
}

#[test]
fn what_is_no_import_forms_no_circle() {
    let a = ("src/a/mod.rs", "mod c;\npub use c::C;\npub struct A(Box<c::D>);\n");
    let c = ("src/a/c.rs", "use super::A;\npub struct C(A);\n");
    // A parent declares, re-exports and uses its children, which use it; tests may look anywhere; other crates have
    // modules of the same names.
    let b = "use std::a::C as D;\nstruct B(::a::C);\n#[cfg(test)]\nmod tests { use crate::a::A; }\n";
    let root = ("src/lib.rs", "mod a;\nmod b;\n");
    let user = ("src/a/c.rs", "use super::A;\nuse crate::b::E;\npub struct C(A);\n");
    assert!(circles(&[root, a, c, ("src/b.rs", b)]).is_empty());
    assert!(circles(&[root, a, user, ("src/b.rs", b)]).is_empty());
}

#[test]
fn modules_form_no_circle() {
    let files = source::repository();
    let imports = imports::ROOTS.map(|root| imports::imports(&files, root));
    let seen: usize = imports.iter().map(BTreeMap::len).sum();
    assert!(seen > 500, "only {seen} imports were read");
    let circles: Vec<String> = imports.iter().flat_map(imports::circles).collect();
    assert!(circles.is_empty(), "{} circles:\n{}", circles.len(), circles.join("\n"));
}

#[test]
fn the_flock_knows_no_gpu_no_window_no_file() {
    hold(&checks::FLOCK_ALONE);
    hold(&checks::FLOCK_WITHOUT_STD);
}

#[test]
fn the_gpu_engine_knows_no_window() {
    hold(&checks::GPU_WITHOUT_WINDOW);
}

#[test]
fn python_is_known_by_nobody() {
    hold(&checks::PYTHON_ON_TOP);
}

#[test]
fn no_arrow_leads_up() {
    hold(&checks::NO_ARROW_UP);
}

#[test]
fn ranks_are_known_by_the_program_alone() {
    hold(&checks::RANKS_ON_TOP);
}

#[test]
fn the_view_reads_no_state_back() {
    hold(&checks::VIEW_READS_NO_STATE);
}

#[test]
fn lints_are_switched_off_only_with_a_reason() {
    hold(&checks::REASONED_EXCEPTIONS);
}

#[test]
fn nothing_is_left_to_do() {
    hold(&checks::NOTHING_LEFT_TO_DO);
}

#[test]
fn comments_begin_with_their_subject() {
    hold(&checks::SUBJECT_FIRST);
}

#[test]
fn packages_share_one_lint_table() {
    hold(&checks::ONE_LINT_TABLE);
}

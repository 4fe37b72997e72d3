//! Habits of the source that can be held by a machine, the invariants of ARCHITECTURE.md among them.
//!
//! Each check first proves itself: it must pass a file that keeps the habit and catch one that
//! breaks it. Only then is the repository judged.

mod checks;
mod source;

use checks::Check;
use source::File;

/// Proves the check, then holds the repository to it.
fn hold(check: &Check) {
    let sample = |(path, text): (&str, &str)| File { path: path.to_owned(), text: text.to_owned() };
    for (example, is_bad) in [(check.good, false), (check.bad, true)] {
        let file = sample(example);
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
fn source_files_are_short() {
    hold(&checks::SHORT_FILES);
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
fn packages_share_one_lint_table() {
    hold(&checks::ONE_LINT_TABLE);
}

//! The scope of the tests. `MURMURATION_TEST` is `most` under `cargo xtask test` and `all` under `cargo xtask test
//! --all`: each requires what it promises. Without it the tests run with what is installed, and report what is not.

use std::io::Write;

/// The smaller of the two calls in which something is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// `cargo xtask test`
    Most,
    /// `cargo xtask test --all`
    All,
}

/// The call that these tests run in, if it is one of the two.
///
/// # Panics
/// When the variable has another value.
pub fn here() -> Option<Scope> {
    match std::env::var("MURMURATION_TEST").as_deref() {
        Ok("most") => Some(Scope::Most),
        Ok("all") => Some(Scope::All),
        Err(std::env::VarError::NotPresent) => None,
        other => panic!("MURMURATION_TEST is {other:?}: \"most\", \"all\" or nothing"),
    }
}

/// Prints that something is not tested, as it is missing.
///
/// # Panics
/// When it is missing in a call that tests it.
pub fn missing(scope: Scope, what: &str) {
    assert!(here() < Some(scope), "{what}");
    note(what);
}

/// True if the call leaves something to `cargo xtask test --all`; prints so.
#[allow(dead_code, reason = "not every suite has such a test")]
pub fn left_to_all(what: &str) -> bool {
    let left = here() == Some(Scope::Most);
    if left {
        note(&format!("{what}: `cargo xtask test --all` does"));
    }
    left
}

/// Selects by scope: `cargo xtask test --all` takes the second, any other call the first.
#[allow(dead_code, reason = "not every suite has long draws")]
pub fn choose<T>(most: T, all: T) -> T {
    if here() == Some(Scope::All) { all } else { most }
}

/// Prints that something is not tested.
pub fn note(what: &str) {
    // Directly, because the test harness captures the output of `eprintln!`.
    std::io::stderr().write_all(format!("NOT TESTED: {what}\n").as_bytes()).unwrap_or_default();
}

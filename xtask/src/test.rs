//! The tests: those of the simulator, with `--all` everything that CI runs, and longer runs of some: the fuzzers, and random
//! rules on all engines.

use crate::compiler::{ARM, ARM_LINKER, linker};
use crate::display::Virtual;
use crate::needs::{Purpose, System};
use crate::setup::Consent;
use crate::shell::Result;
use crate::{documents, drivers, firmware, options, prove, setup, shell, web, wheel};

/// Cargo's variable for what runs a test, with Debian's path to the libraries of the other processor.
const RUNNER: (&str, &str) =
    ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu");

/// Parses `--all` (test everything that CI runs) and `--yes` (install without asking).
fn read(words: &[&str]) -> Result<[bool; 2]> {
    let given = |option: &str| words.contains(&option);
    match words.iter().find(|word| !["--all", "--yes", "-y"].contains(word)) {
        Some(other) => options::refused("test", "--all or --yes", other),
        None => Ok([given("--all"), given("--yes") || given("-y")]),
    }
}

/// Sets up, checks the source, and runs the tests on every software adapter.
///
/// With `MURMURATION_TEST` (`tests/support/scope.rs`) a test fails where what it needs is missing. A developer who
/// declines to install that has it unset: such tests then say that they are not run.
pub fn test(words: &[&str]) -> Result {
    let [everything, yes] = read(words)?;
    let purpose = if everything { Purpose::TestAll } else { Purpose::Test };
    let complete = setup::setup(purpose, Consent::asked(yes))?;
    shell::run(&mut shell::cargo(&["fmt", "--all", "--check"]))?;
    // The module for Python is tested from its wheel, with `--all`.
    let most = ["--locked", "--workspace", "--exclude", wheel::PACKAGE];
    let clippy = [&["clippy"][..], &most, &["--all-targets", "--", "-D", "warnings"]].concat();
    shell::run(&mut shell::cargo(&clippy))?;
    if complete || firmware::can_build() {
        firmware::check()?;
    } else {
        eprintln!("test: the firmware was NOT tested: the Rust target of the RP2040 is not installed");
    }
    let page = everything && build_page()?;
    let mut tests = shell::cargo(&[&["test"][..], &most, &["--no-fail-fast"]].concat());
    if complete {
        tests.env("MURMURATION_TEST", if everything { "all" } else { "most" });
    }
    if System::here() == System::Complete {
        eprintln!("test: the GPU tests use the adapters of this system");
        tests.env_remove("MURMURATION_TEST");
        return shell::run(&mut tests);
    }
    let display = Virtual::start();
    match &display {
        Ok(display) => {
            eprintln!("test: the window is tested on display {}", display.name);
            tests.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
        }
        Err(why) if complete => return Err(why.clone()),
        Err(_) => eprintln!("test: the window was NOT tested: Xvfb is not installed"),
    }
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // If it is unset, the search for a Wayland display prints an error.
        tests.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    shell::run(tests.envs(drivers::test_environment(everything)))?;
    if everything {
        return all(page, display.ok().as_ref());
    }
    eprintln!(
        "test: use `cargo xtask test --all` to also test SwiftShader, other machines, the page, the wheel, clusters and findings"
    );
    Ok(())
}

/// Builds the page if it can be tested, and returns whether it did; otherwise prints why not.
fn build_page() -> Result<bool> {
    if let Some(why) = web::why_untested() {
        eprintln!("test: the page was NOT tested: {why}");
        return Ok(false);
    }
    web::build().map(|_| true)
}

/// The tests that `--all` adds after the suites.
fn all(page: bool, display: Option<&Virtual>) -> Result {
    // Not a default target of the workspace, so it is named.
    let named = ["--package", "murmuration-boids", "--test", "browser"];
    let module = ["--package", wheel::PACKAGE, "--lib", "--features", wheel::AS_TESTED];
    let clippy = [&["clippy", "--locked"][..], &named, &module, &["--", "-D", "warnings"]].concat();
    shell::run(&mut shell::cargo(&clippy))?;
    // The tests of releases, with the licences of all dependencies.
    let tools = ["test", "--locked", "--package", "xtask", "--features", "package", "--bin", "package"];
    shell::run(&mut shell::cargo(&tools))?;
    processes()?;
    failing_disks()?;
    documents::check_findings()?;
    test_on_arm()?;
    match wheel::why_untested() {
        Some(why) => eprintln!("test: the wheel for Python was NOT tested: {why}"),
        None => wheel::test()?,
    }
    if page {
        let mut tests = shell::cargo(&["test", "--locked", "--test", "browser"]);
        // Firefox has WebGL2 only with a display, though it shows no window.
        shell::run(tests.envs(display.map(|display| ("DISPLAY", &display.name))))?;
    }
    Ok(())
}

/// Fails one system call in ten of the calls that write files.
fn failing_disks() -> Result {
    if let Some(why) = prove::why_no_failing_disk() {
        eprintln!("test: failing disks were NOT tested: {why}");
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    prove::writes(&["--one-in", "10"])?;
    Ok(())
}

/// Tests ranks that are processes, where there is an MPI with its headers.
fn processes() -> Result {
    if let Some(missing) = ["mpirun", "mpicc"].into_iter().find(|program| !shell::on_path(program)) {
        eprintln!("test: ranks as processes were NOT tested: {missing} is not installed");
        return Ok(());
    }
    let packages = ["--locked", "--package", "murmuration-ranks", "--package", "murmuration-boids"];
    let ranks = [&packages[..], &["--features", "mpi", "--test", "processes", "--test", "cli"]].concat();
    shell::run(&mut shell::cargo(&[&["clippy"], &ranks[..], &["--", "-D", "warnings"]].concat()))?;
    shell::run(&mut shell::cargo(&[&["test"], &ranks[..], &["processes::"]].concat()))
}

/// Tests that the CPU engine, built for Arm, has the recorded hashes, or prints why it is not tested. QEMU runs it.
///
/// # Errors
/// When the build or a test fails.
fn test_on_arm() -> Result {
    if let Some(why) = why_not_on_arm() {
        eprintln!("test: the CPU engine for {ARM} was NOT tested: {why}");
        return Ok(());
    }
    let mut tests = shell::cargo_for_another(&["test", "--locked", "--package", "murmuration-cpu"]);
    tests.args(["--test", "recorded", "--config", "xtask/fast-build.toml", "--target", ARM]);
    shell::run(tests.envs(linker(ARM)).envs([RUNNER]))
}

fn why_not_on_arm() -> Option<String> {
    for program in [ARM_LINKER.1, "qemu-aarch64"] {
        if !shell::on_path(program) {
            return Some(format!("{program} is not installed"));
        }
    }
    shell::add_rust(ARM, "test");
    if shell::has_rust(ARM) { None } else { Some("the Rust target is not installed".to_owned()) }
}

/// Seconds that each fuzzer runs.
const SECONDS: u32 = 600;

/// Random rules that are compared.
const RULES: u32 = 300;

/// A fuzzer: its name and its test.
type Target = (&'static str, &'static str);

/// The fuzzers.
const TARGETS: [Target; 3] =
    [("toml", "fuzz::parameters"), ("csv", "fuzz::states"), ("console", "fuzz::damaged_lines")];

/// The fuzzers, all unless some are named, and the seconds that each runs.
fn plan(words: &[&str]) -> Result<(Vec<Target>, u32)> {
    let (mut targets, mut seconds) = (Vec::new(), SECONDS);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match TARGETS.iter().find(|(name, _)| name == word) {
            Some(target) => targets.push(*target),
            None if *word == "--seconds" => seconds = options::count("--seconds", words.next())?,
            None => return options::refused("fuzz", "toml, csv, console or --seconds N", word),
        }
    }
    Ok((if targets.is_empty() { TARGETS.to_vec() } else { targets }, seconds))
}

/// Runs the fuzzers that the words after the command name, one after the other.
///
/// # Errors
/// When one finds something: its message names the file.
pub fn fuzz(words: &[&str]) -> Result {
    let (targets, seconds) = plan(words)?;
    for (target, test) in targets {
        let mut cargo = match target {
            "console" => firmware::host("test", &["--locked", "--lib", test]),
            _ => shell::cargo(&["test", "--locked", "--test", "cli", test]),
        };
        shell::run(cargo.env("MURMURATION_FUZZ_SECONDS", seconds.to_string()))?;
    }
    Ok(())
}

/// Compares random rules by brute force, on the CPU, on every software adapter and on the emulated board.
///
/// # Errors
/// When a word is not a number, or the bits of a rule differ somewhere.
pub fn rules(words: &[&str]) -> Result {
    let count = match words {
        [] => RULES,
        [count] => options::count("rules", Some(count))?,
        [_, other, ..] => return options::refused("rules", "one number", other),
    };
    setup::setup(Purpose::Test, Consent::asked(false))?;
    firmware::build(&firmware::Options::read("rules", &[])?)?;
    let mut tests = shell::cargo(&["test", "--locked", "--test", "gpu", "random_rule"]);
    if System::here() != System::Complete {
        tests.envs(drivers::test_environment(true));
    }
    shell::run(tests.env("MURMURATION_RULES", count.to_string()))
}

//! The tests: those of the simulator, and with `--all` everything that CI runs.

use crate::error::{Error, Result};
use crate::{display::Virtual, needs::Purpose, setup::Consent, system::System};
use crate::{drivers, elsewhere, findings, firmware, setup, shell, web, wheel};

/// The options of `test`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Other machines, the page, the wheel, clusters, findings, and readers of shaders, too.
    all: bool,
    /// Install without asking.
    yes: bool,
}

impl Options {
    /// Parses the words after the command.
    ///
    /// # Errors
    /// Names the invalid word, and the allowed ones.
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut options = Options::default();
        for word in words {
            match *word {
                "--all" => options.all = true,
                "--yes" | "-y" => options.yes = true,
                other => return Err(Error::Usage(format!("test takes `--all` and `--yes`, not `{other}`"))),
            }
        }
        Ok(options)
    }
}

/// Sets up, checks the source, and runs the tests on every software adapter.
///
/// With `MURMURATION_TEST` (`tests/support/scope.rs`) a test fails where what it needs is missing. A developer who declines
/// to install that has it unset: such tests then say that they are not run.
pub fn test(options: Options) -> Result {
    let purpose = if options.all { Purpose::TestAll } else { Purpose::Test };
    let complete = setup::setup(purpose, Consent::asked(options.yes))?;
    shell::run(&mut shell::cargo(&["fmt", "--all", "--check"]))?;
    // The module for Python is tested from its wheel, with `--all`.
    let most = ["--locked", "--workspace", "--exclude", wheel::PACKAGE];
    let clippy = [&["clippy"][..], &most, &["--all-targets", "--", "-D", "warnings"]].concat();
    shell::run(&mut shell::cargo(&clippy))?;
    if complete || firmware::can_build() {
        firmware::check()?;
    } else {
        eprintln!("test: the firmware was NOT tested: there is no Rust for the RP2040");
    }
    let page = options.all && build_page()?;
    let mut tests = shell::cargo(&[&["test"][..], &most, &["--no-fail-fast"]].concat());
    if complete {
        tests.env("MURMURATION_TEST", if options.all { "all" } else { "most" });
    }
    if System::here() == System::Complete {
        eprintln!("test: on this system the GPU tests run on its own adapters");
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
        Err(_) => eprintln!("test: the window was NOT tested: there is no Xvfb"),
    }
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Where it is unset, the search for a Wayland display prints an error.
        tests.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    shell::run(tests.envs(drivers::test_environment(options.all)))?;
    if options.all {
        return all(page, display.ok().as_ref());
    }
    eprintln!(
        "test: SwiftShader, other machines, the page, the wheel, clusters and findings are left to `cargo xtask test --all`"
    );
    Ok(())
}

/// Builds the page where it can be tested, and says whether it did; says why not.
fn build_page() -> Result<bool> {
    web::prepare();
    if let Some(why) = web::why_untested() {
        eprintln!("test: the page was NOT tested: {why}");
        return Ok(false);
    }
    web::build().map(|_| true)
}

/// What `--all` tests after the suites.
fn all(page: bool, display: Option<&Virtual>) -> Result {
    // They are no default targets of the workspace, so they are named.
    let named = ["--package", "murmuration-boids", "--test", "browser", "--test", "elsewhere"];
    let module = ["--package", wheel::PACKAGE, "--lib", "--features", wheel::AS_TESTED];
    let clippy = [&["clippy", "--locked"][..], &named, &module, &["--", "-D", "warnings"]].concat();
    shell::run(&mut shell::cargo(&clippy))?;
    // The tests of releases, with the licences of all dependencies.
    let tools = ["test", "--locked", "--package", "xtask", "--features", "package", "--bin", "package"];
    shell::run(&mut shell::cargo(&tools))?;
    processes()?;
    findings::check()?;
    elsewhere::test()?;
    match wheel::why_untested() {
        Some(why) => eprintln!("test: the wheel for Python was NOT tested: {why}"),
        None => wheel::test()?,
    }
    if page {
        let mut tests = shell::cargo(&["test", "--locked", "--test", "browser"]);
        // Firefox has WebGL2 where there is a display, though it shows no window.
        shell::run(tests.envs(display.map(|display| ("DISPLAY", &display.name))))?;
    }
    Ok(())
}

/// Tests ranks that are processes, where there is an MPI with its headers.
fn processes() -> Result {
    if let Some(missing) = ["mpirun", "mpicc"].into_iter().find(|program| !shell::on_path(program)) {
        eprintln!("test: ranks that are processes were NOT tested: there is no {missing}");
        return Ok(());
    }
    let packages = ["--locked", "--package", "murmuration-ranks", "--package", "murmuration-boids"];
    let ranks = [&packages[..], &["--features", "mpi", "--test", "processes", "--test", "cli"]].concat();
    shell::run(&mut shell::cargo(&[&["clippy"], &ranks[..], &["--", "-D", "warnings"]].concat()))?;
    shell::run(&mut shell::cargo(&[&["test"], &ranks[..], &["processes::"]].concat()))
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn options_are_read_and_others_refused() {
        let read = |words: &[&str]| Options::read(words).ok();
        assert_eq!(read(&[]), Some(Options::default()));
        assert_eq!(read(&["--all", "-y"]), Some(Options { all: true, yes: true }));
        assert_eq!(read(&["--most"]), None);
    }
}

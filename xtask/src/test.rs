//! Everything that CI runs.

use crate::display::Virtual;
use crate::error::Result;
use crate::needs::Purpose;
use crate::system::System;
use crate::{drivers, elsewhere, findings, firmware, setup, shell, web};

/// Sets up, checks the source, and runs every test on every software adapter.
///
/// With `MURMURATION_TEST_ADAPTERS=required` a test fails when llvmpipe (Vulkan and GL) or SwiftShader is missing.
pub fn test() -> Result {
    setup::setup(Purpose::Test, false)?;
    shell::run(&mut shell::cargo(&["fmt", "--all", "--check"]))?;
    let clippy = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(&mut shell::cargo(&clippy))?;
    // They are no default targets, so they are named.
    let named = ["clippy", "--locked", "--test", "browser", "--test", "elsewhere", "--", "-D", "warnings"];
    shell::run(&mut shell::cargo(&named))?;
    // Of releases, with the licences of all dependencies, and of findings.
    let tools = ["test", "--locked", "--package", "xtask", "--features", "package,reproduce"];
    shell::run(shell::cargo(&tools).args(["--bin", "package", "--bin", "reproduce"]))?;
    firmware::check()?;
    web::prepare();
    let untested = web::why_untested();
    if untested.is_none() {
        web::build()?;
    }
    let mut tests = shell::cargo(&["test", "--locked", "--workspace", "--no-fail-fast"]);
    if System::here() == System::Complete {
        eprintln!("test: on this system the GPU tests run on its own adapters");
        return shell::run(&mut tests);
    }
    let display = Virtual::start()?;
    eprintln!("test: the window is tested on display {}", display.name);
    tests.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Where it is unset, the search for a Wayland display prints an error.
        tests.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    shell::run(tests.envs(drivers::test_environment()))?;
    findings::check()?;
    elsewhere::test()?;
    if let Some(why) = untested {
        eprintln!("test: the page was NOT tested: {why}");
        return Ok(());
    }
    shell::run(&mut shell::cargo(&["test", "--locked", "--test", "browser"]))
}

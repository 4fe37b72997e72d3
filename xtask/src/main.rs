//! # `cargo xtask`: the project's tasks in plain Rust
//!
//! The two main commands are `cargo xtask run`, which shows the flock, and `cargo xtask test`, which tests the
//! simulator. Both begin with `setup`, which installs or names what is missing; on a terminal it asks first.

mod compiler;
mod display;
mod documents;
mod drivers;
mod firmware;
mod needs;
mod options;
#[cfg(unix)]
mod prove;
mod release;
mod run;
mod setup;
mod shell;
mod test;
mod uf2;
mod web;
mod wheel;

use needs::Purpose;
use setup::Consent;
use shell::{Error, Result};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask run [--yes] [ARGS…]       set up, then open the window; without a display, film the flock
cargo xtask test [--all] [--yes]      set up, then test the simulator; with --all everything that CI tests, including other
                                      machines, the page, clusters and findings; --yes installs without asking
cargo xtask fuzz [toml] [csv] [console] [--seconds N]
                                      test with damaged files and lines, ten minutes each; failures are saved in target/fuzz/
cargo xtask rules [N]                 compare N random rules (300) on the CPU, every adapter and the emulated board
cargo xtask prove faults [--only N,M-K] [--suites A,B]
                                      plant the faults of tests/faults.txt, and name the test that sees each
cargo xtask prove long [presets] [study] [window] [--steps N] [--runs N] [--minutes N] [--presets A,B] [--program FILE]
                                      step each preset a million times, run a million short runs, and keep a window open for
                                      an hour: memory is flat, hashes are as recorded
cargo xtask prove order [--only N,M-K] [--suites A,B]
                                      permute and delay the workgroups of the GPU in ten orders, or in those of these numbers
cargo xtask prove ranks [--seeds N | --seed N]
                                      delay, kill and restart ranks by N seeds (10,000), or repeat one seed
cargo xtask prove rule [--one-in K] [--only N,M-K] [--suites A,B]
                                      plant one mutant of the rule in K (16), and name the test that sees each
cargo xtask prove shaders [--one-in K] [--only N,M-K] [--suites A,B]
                                      plant one mutant of the shaders in K (10), and name the test that sees each
cargo xtask prove writes [--one-in K] [CASE]…
                                      fail each system call and allocation of calls that write files, in every way
cargo xtask setup [run|test|test-all] [--dry-run]
                                      install what is required to run (the default) or to test, or say how to
cargo xtask firmware [PRESET|FILE.toml|FILE.flight] [--mhz 125|250]
                                      build the firmware for a Raspberry Pi Pico: target/firmware/*.elf, *.uf2; with a flight,
                                      its screen shows it
cargo xtask flash [PRESET] [--mhz 125|250]
                                      build it and write it to the board
cargo xtask web [--serve [PORT]]      build the page for browsers: target/web/; with --serve, serve it on this machine
cargo xtask wheel [--test | --target TRIPLE…]
                                      build the wheel for Python: target/wheels/; with --test, test it in a virtual environment
cargo xtask release [--target TRIPLE]…
                                      build archives of the program, and wheels: target/release-archives/
cargo xtask bench [--quick] [--most N] [--device NAME] [--program FILE]
                                      time flocks of all sizes on every device: target/bench/*.json, results.md
cargo xtask bench --report [OPTIONS]  measure every graphics card and write one file to send: target/bench/report.json
cargo xtask bench --read FILE         put the rows of a report into docs/benchmarks.md
cargo xtask findings [NAME]…          repeat the published results in examples/findings/: docs/findings.md, docs/pictures/
cargo xtask pictures                  draw the pictures of the README again
";

fn main() -> ExitCode {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    let done = if firmware::compiles() { firmware::compile_as_rustc(&typed) } else { dispatch(&typed) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Failed(why)) => {
            eprintln!("error: {why}");
            ExitCode::from(1)
        }
        Err(Error::Usage(why)) => {
            eprintln!("error: {why}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(typed: &[String]) -> Result {
    let words: Vec<&str> = typed.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", ..] => run::run(&typed[1..]),
        ["test", options @ ..] => test::test(options),
        ["setup", options @ ..] => {
            let (purpose, consent) = setup_options(options)?;
            setup::setup(purpose, consent).map(|_| ())
        }
        ["fuzz", options @ ..] => test::fuzz(options),
        ["rules", options @ ..] => test::rules(options),
        #[cfg(unix)]
        ["prove", "faults", options @ ..] => prove::faults(options),
        #[cfg(unix)]
        ["prove", "long", options @ ..] => prove::long(options),
        #[cfg(unix)]
        ["prove", "order", options @ ..] => prove::order(options),
        #[cfg(unix)]
        ["prove", "ranks", options @ ..] => prove::ranks(options),
        #[cfg(unix)]
        ["prove", "rule", options @ ..] => prove::rule(options),
        #[cfg(unix)]
        ["prove", "shaders", options @ ..] => prove::shaders(options),
        #[cfg(target_os = "linux")]
        ["prove", "writes", options @ ..] => prove::writes(options),
        ["firmware", options @ ..] => {
            let image = firmware::build(&firmware::Options::read("firmware", options)?)?;
            println!("{}\n{}", image.elf.display(), image.uf2.display());
            Ok(())
        }
        ["flash", options @ ..] => firmware::flash(&firmware::Options::read("flash", options)?),
        ["bench", options @ ..] => documents::bench(options),
        ["web", options @ ..] => web::web(options),
        ["wheel", "--test"] => wheel::test(),
        ["wheel", targets @ ..] => wheel::wheel(targets),
        ["release", options @ ..] => release::release(options),
        ["pictures"] => documents::pictures(),
        ["findings", names @ ..] => documents::findings(names),
        [] | ["help" | "--help" | "-h", ..] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(Error::Usage(format!("unknown command `{}`", words.join(" ")))),
    }
}

fn setup_options(options: &[&str]) -> Result<(Purpose, Consent)> {
    let (mut purpose, mut consent) = (Purpose::Run, Consent::Given);
    for option in options {
        match *option {
            "run" => purpose = Purpose::Run,
            "test" => purpose = Purpose::Test,
            "test-all" => purpose = Purpose::TestAll,
            "--dry-run" => consent = Consent::DryRun,
            other => return options::refused("setup", "run, test, test-all or --dry-run", other),
        }
    }
    Ok((purpose, consent))
}

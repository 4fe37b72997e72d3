//! Runs other programs, prints their command lines first, and has the error of a task.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The error of a task: one line for the terminal.
#[derive(Clone, Debug)]
pub enum Error {
    /// The call itself is wrong.
    Usage(String),
    /// The work failed.
    Failed(String),
}

pub type Result<T = ()> = std::result::Result<T, Error>;

/// Names a file in what went wrong with it.
pub fn at(file: &Path) -> impl Fn(std::io::Error) -> Error {
    move |why| Error::Failed(format!("{}: {why}", file.display()))
}

/// Seconds above which the time of a command is printed.
const LONG: u64 = 10;

/// Prints the command and runs it, and its time where that was long. Fails with its name when it fails.
pub fn run(command: &mut Command) -> Result {
    let line = describe(command);
    eprintln!("+ {line}");
    let begun = Instant::now();
    match command.status() {
        Ok(status) if status.success() => {
            let took = begun.elapsed().as_secs();
            if took >= LONG {
                eprintln!("  took {took} s");
            }
            Ok(())
        }
        Ok(status) => Err(Error::Failed(format!("`{line}` failed: {status}"))),
        Err(why) => Err(Error::Failed(format!("cannot start `{line}`: {why}"))),
    }
}

/// The output of a command, trimmed; `None` where it cannot be started or fails.
pub fn read(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// The cargo that runs this program, working in the root of the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(root());
    cargo
}

/// The same for another processor: flags for this machine do not apply to it.
pub fn cargo_for_another(arguments: &[&str]) -> Command {
    let mut cargo = cargo(arguments);
    for_another(&mut cargo);
    cargo
}

/// Removes flags for this machine from a command's environment.
pub fn for_another(command: &mut Command) {
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_RUSTFLAGS");
}

/// Python: the system's own, which has the packages that the set-up installs, else the one on the search path.
pub fn python() -> Command {
    let system = Path::new("/usr/bin/python3");
    Command::new(if system.exists() { system } else { Path::new("python3") })
}

/// The output of the compiler.
pub fn rustc(arguments: &[&str]) -> Option<String> {
    read(Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).args(arguments))
}

/// A program of this package that is built under a feature of its name.
pub fn tool(name: &str) -> Command {
    let mut cargo = cargo(&["run", "--locked", "--quiet", "--package", "xtask"]);
    cargo.args(["--bin", name, "--features", name, "--"]);
    cargo
}

/// True if there is Rust's standard library for a target.
pub fn has_rust(target: &str) -> bool {
    rustc(&["--print", "target-libdir", "--target", target]).is_some_and(|folder| Path::new(&folder).is_dir())
}

/// Installs Rust's standard library for a target if it is missing and rustup can; otherwise prints why, as `who`.
pub fn add_rust(target: &str, who: &str) {
    if !has_rust(target)
        && on_path("rustup")
        && let Err(Error::Failed(why)) = run(Command::new("rustup").args(["target", "add", target]))
    {
        eprintln!("{who}: {why}");
    }
}

/// The root of the repository: the folder above this package.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The flags of the compiler as cargo's configuration: it adds them to those that the repository sets.
pub fn flags(target: &str, flags: &[String]) -> String {
    let quoted: Vec<String> = flags.iter().map(|flag| format!("'{flag}'")).collect();
    format!("target.{target}.rustflags=[{}]", quoted.join(","))
}

/// True if a program is on the search path.
pub fn on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

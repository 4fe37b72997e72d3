//! The wheel for Python, built by maturin and tested by pytest, each in its own environment in the target folder.

use crate::shell::{Error, Result, at};
use crate::{compiler, options, shell};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate of the module.
pub const PACKAGE: &str = "murmuration-python";

/// The feature with which its dependencies are those of the tests.
pub const AS_TESTED: &str = "as-tested";

/// The oldest Python that supports the wheel: its minor version.
const OLDEST: u32 = 11;

/// The Python package that builds wheels.
const MATURIN: &str = "maturin==1.16.*";

/// The most bytes of a wheel.
const MAX: u64 = 12_000_000;

/// Builds the wheels of the targets, by default of this machine, into `target/wheels/`, and prints their paths.
///
/// # Errors
/// When one cannot be built, or is too large.
pub fn wheel(words: &[&str]) -> Result {
    let (targets, host) = (options::targets("wheel", words)?, compiler::host()?);
    let to = shell::target().join("wheels");
    // Wheels of other versions would lie beside it.
    let _ = std::fs::remove_dir_all(&to);
    for target in &targets {
        println!("{}", of_release(target, &host, &to)?.display());
    }
    Ok(())
}

/// Builds the wheel of a target into a folder, for other people's machines: small, with all licences, without folders of
/// this one, and on Linux for an old glibc.
///
/// # Errors
/// When it cannot be built, or is too large.
pub fn of_release(target: &str, host: &str, to: &Path) -> Result<PathBuf> {
    let licences = source().join("LICENCES.txt");
    shell::run(shell::tool("package").arg(&licences).arg(target))?;
    let flags = shell::flags(target, &compiler::remap(target)?);
    let small = shell::root().join("xtask").join("small-build.toml").display().to_string();
    let options = ["--release", "--compression-level", "9", "--config", &small, "--config", &flags];
    let mut maturin = maturin(&tools()?, &options);
    if target != host || compiler::zig_links(target) {
        maturin.args(["--target", target]);
    }
    if compiler::zig_links(target) {
        maturin.args(["--zig", "--compatibility", &compiler::zig_tag()]);
    }
    let built = build(maturin.envs(compiler::environment(target, host)?), "release");
    // The wheels of tests have none: it takes a tool of its own.
    let _ = std::fs::remove_file(&licences);
    let built = built?;
    check_tag(&built)?;
    let size = std::fs::metadata(&built).map_err(at(&built))?.len();
    if size > MAX {
        return Err(Error::Failed(format!("{} has {size} bytes, more than {MAX}", built.display())));
    }
    let wheel = to.join(built.file_name().unwrap_or_default());
    std::fs::create_dir_all(to).map_err(at(to))?;
    std::fs::copy(&built, &wheel).map_err(at(&built))?;
    Ok(wheel)
}

/// Builds a wheel as the other tests are built, installs it where nothing else is, and runs its tests there, which
/// compare it with the program of the tests, which is built.
///
/// # Errors
/// When a build or a test fails.
pub fn test() -> Result {
    // Zig, which a wheel for this machine does not need, is 420 MB.
    let python = environment(&folder("maturin"), &[MATURIN])?;
    let mut maturin = maturin(&python, &["--profile", "dev", "--features", AS_TESTED]);
    let wheel = build(maturin.arg("--config").arg(as_tested()?), "wheels")?;
    check_tag(&wheel)?;
    let fresh = folder("fresh");
    // Left by an earlier call.
    let _ = std::fs::remove_dir_all(&fresh);
    // The last two are what an example is for.
    let packages = [&wheel.display().to_string(), "pytest", "gymnasium", "pettingzoo"];
    let program = format!("debug/murmuration{}", std::env::consts::EXE_SUFFIX);
    let mut tests = Command::new(environment(&fresh, &packages)?);
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(source());
    tests.env("MURMURATION_PROGRAM", shell::target().join(program));
    // An error of memory ends the tests there.
    tests.env("PYTHONMALLOC", "debug").env("PYTHONDONTWRITEBYTECODE", "1");
    shell::run(&mut tests)
}

/// Checks that the systems of a wheel's tag have all that it needs.
fn check_tag(wheel: &Path) -> Result {
    shell::run(shell::tool("package").arg("check").arg(wheel))
}

/// The reason why the wheel cannot be tested here, if any.
pub fn why_untested() -> Option<String> {
    let code = "import ensurepip, sys; print(sys.version_info.minor)";
    let minor = shell::read(shell::python().args(["-c", code])).and_then(|text| text.parse::<u32>().ok());
    match minor {
        None => Some("no Python with venv found".to_owned()),
        Some(minor) if minor < OLDEST => Some(format!("it requires Python 3.{OLDEST}, not 3.{minor}")),
        Some(_) => None,
    }
}

/// The folder of the crate.
fn source() -> PathBuf {
    shell::root().join("crates").join("python")
}

/// Configuration of cargo by which the repository's crates are compiled as for their tests, so that the tested wheel
/// takes what the suites have compiled.
fn as_tested() -> Result<PathBuf> {
    let (manifest, file) = (shell::root().join("Cargo.toml"), folder("as-tested.toml"));
    let text = std::fs::read_to_string(&manifest).map_err(at(&manifest))?;
    let table = text.split_once("[profile.test.package]").and_then(|(_, after)| after.split("\n\n").next());
    let missing =
        || Error::Failed(format!("{}: the table profile.test.package is missing", manifest.display()));
    let crates = table.ok_or_else(missing)?;
    std::fs::write(&file, format!("[profile.dev.package]{crates}\n")).map_err(at(&file))?;
    Ok(file)
}

/// A folder for what only the wheel needs.
fn folder(name: &str) -> PathBuf {
    shell::target().join("python").join(name)
}

/// The Python of the environment with the packages that build for other people's machines.
///
/// # Errors
/// When they cannot be installed.
pub fn tools() -> Result<PathBuf> {
    environment(&folder("maturin"), &[&[MATURIN], &compiler::ZIG_PACKAGES[..]].concat())
}

/// The command that builds a wheel. It needs no target Python: the stable interface is the same on every machine.
fn maturin(python: &Path, options: &[&str]) -> Command {
    let mut maturin = Command::new(python);
    maturin.env("CARGO_ZIGBUILD_PYTHON_PATH", python);
    maturin.args(["-m", "maturin", "build", "--locked"]).args(options).current_dir(source());
    maturin.env("PYO3_NO_PYTHON", "1");
    maturin
}

/// Builds the one wheel in a folder of this name.
fn build(maturin: &mut Command, name: &str) -> Result<PathBuf> {
    let to = &folder(name);
    // Wheels of other versions would lie beside it.
    let _ = std::fs::remove_dir_all(to);
    shell::run(maturin.arg("--out").arg(to))?;
    let mut files = std::fs::read_dir(to).map_err(at(to))?.filter_map(|file| Some(file.ok()?.path()));
    let wheel = files.find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheel.ok_or_else(|| Error::Failed(format!("maturin built no wheel in {}", to.display())))
}

/// The Python of an environment with these packages, made where it is missing.
fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = match cfg!(windows) {
        true => folder.join("Scripts").join("python.exe"),
        false => folder.join("bin").join("python"),
    };
    if !python.exists() {
        shell::run(shell::python().args(["-m", "venv"]).arg(folder))?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
    shell::run(pip.args(packages))?;
    Ok(python)
}

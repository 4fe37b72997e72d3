//! Archives for other people's machines, in `target/release-archives/`: the same files give the same bytes, and no
//! folder of this machine stands in the programs.

use crate::compiler::{self, environment, host, remap};
use crate::shell::{Error, Result, at};
use crate::{firmware, options, shell, wheel};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the archives and the wheels of the targets, or of this machine where none is named, and prints their folder.
///
/// # Errors
/// When something cannot be built, or a dependency has no licence that is allowed.
pub fn release(words: &[&str]) -> Result {
    let (targets, host) = (options::targets("release", words)?, host()?);
    let (time, maintainer) = (time()?, maintainer()?);
    let remapped = remap(firmware::TARGET)?;
    let mut images = Vec::new();
    for preset in firmware::names("presets") {
        images.push(firmware::build(&firmware::Options::of_release(&preset, remapped.clone()))?.uf2);
    }
    let archives = shell::target().join("release-archives");
    // Archives of another commit would be in the checksums.
    let _ = std::fs::remove_dir_all(&archives);
    // The program that runs here, where it is among them: it prints the texts of all.
    let mut native = None;
    for target in &targets {
        let program = compile(target, &host)?;
        if *target == host {
            native = Some(program.clone());
        }
        let folder = archives.join(format!("murmuration-{}-{target}", env!("CARGO_PKG_VERSION")));
        gather(&folder, program, &images)?;
        describe(&folder, native.as_deref())?;
        wheel::of_release(target, &host, &archives)?;
        shell::run(shell::tool("package").arg(&folder).args([target, &time, &maintainer]))?;
        std::fs::remove_dir_all(&folder).map_err(at(&folder))?;
    }
    println!("{}", archives.display());
    Ok(())
}

fn compile(target: &str, host: &str) -> Result<PathBuf> {
    let mut cargo = compiler::zig_cargo(target, &wheel::tools()?);
    cargo.args([
        "--locked",
        "--release",
        "--package",
        "murmuration-boids",
        "--target",
        &compiler::zig_target(target),
    ]);
    cargo.args(["--config", "profile.release.strip=\"symbols\""]);
    cargo.arg("--config").arg(shell::flags(target, &remap(target)?));
    shell::run(cargo.envs(environment(target, host)?))?;
    let end = if target.contains("windows") { ".exe" } else { "" };
    Ok(shell::target().join(target).join("release").join(format!("murmuration{end}")))
}

/// Copies all files that are there before: those that the program prints and the licences follow.
fn gather(folder: &Path, program: PathBuf, images: &[PathBuf]) -> Result {
    let root = shell::root();
    let beside = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"].map(|name| root.join(name));
    let desktop = ["murmuration.desktop", "murmuration.svg"].map(|name| root.join("packaging").join(name));
    let presets =
        firmware::names("presets").iter().map(|name| root.join(format!("presets/{name}.toml"))).collect();
    for (below, files) in [
        ("", [&beside[..], &desktop, &[program]].concat()),
        ("firmware", images.to_vec()),
        ("presets", presets),
    ] {
        let to = folder.join(below);
        std::fs::create_dir_all(&to).map_err(at(&to))?;
        for file in files {
            std::fs::copy(&file, to.join(file.file_name().unwrap_or_default())).map_err(at(&file))?;
        }
    }
    Ok(())
}

/// The manual page and the completions, by the program or by its twin of the tests.
fn describe(folder: &Path, program: Option<&Path>) -> Result {
    let call = || match program {
        Some(program) => Command::new(program),
        None => shell::cargo(&["run", "--locked", "--quiet", "--package", "murmuration-boids", "--"]),
    };
    print(call().arg("man"), &folder.join("man").join("murmuration.1"))?;
    for (shell, name) in [
        ("bash", "murmuration.bash"),
        ("zsh", "_murmuration"),
        ("fish", "murmuration.fish"),
        ("powershell", "_murmuration.ps1"),
    ] {
        print(call().args(["completions", shell]), &folder.join("completions").join(name))?;
    }
    Ok(())
}

/// Runs a command and writes what it prints to a file.
fn print(command: &mut Command, file: &Path) -> Result {
    let above = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(above).map_err(at(above))?;
    let output = std::fs::File::create(file).map_err(at(file))?;
    shell::run(command.stdout(output))
}

/// The maintainer of the package for Debian, as Debian's own tools find one: `DEBFULLNAME` and `DEBEMAIL`, else the author
/// of the last commit.
fn maintainer() -> Result<String> {
    let named = |key: &str| std::env::var(key).ok().filter(|value| !value.is_empty());
    let maintainer = match (named("DEBFULLNAME"), named("DEBEMAIL")) {
        (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
        _ => last_commit("%an <%ae>"),
    };
    maintainer.ok_or_else(|| {
        Error::Failed("no commit found: set DEBFULLNAME and DEBEMAIL to name a maintainer".to_owned())
    })
}

/// The text of git for the last commit in this format.
fn last_commit(format: &str) -> Option<String> {
    shell::read(
        Command::new("git").args(["log", "-1", &format!("--format={format}")]).current_dir(shell::root()),
    )
}

/// The time of every file: `SOURCE_DATE_EPOCH`, else that of the last commit.
fn time() -> Result<String> {
    let named = std::env::var("SOURCE_DATE_EPOCH").ok();
    let time = named.or_else(|| last_commit("%ct")).filter(|time| time.parse::<u64>().is_ok());
    time.ok_or_else(|| {
        Error::Failed("no commit found: set SOURCE_DATE_EPOCH to the seconds since 1970".to_owned())
    })
}

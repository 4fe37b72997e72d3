//! Archives for other people's machines, in `target/release-archives/`: the same files give the same bytes, and no folder of
//! this machine stands in the programs.

use crate::error::{Error, Result};
use crate::{elsewhere, firmware, shell};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The options of `release`.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The targets; that of this machine where none is named.
    targets: Vec<String>,
}

impl Options {
    /// Parses the words after the command.
    ///
    /// # Errors
    /// Names the invalid word, and the allowed ones.
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut targets = Vec::new();
        for pair in words.chunks(2) {
            match pair {
                ["--target", target] if !target.starts_with('-') => targets.push((*target).to_owned()),
                [other, ..] => {
                    return Err(Error::Usage(format!("release takes --target TRIPLE, not `{other}`")));
                }
                [] => {}
            }
        }
        Ok(Options { targets })
    }
}

/// Builds the archives and prints their folder.
///
/// # Errors
/// When something cannot be built, or a dependency has no licence that is allowed.
pub fn release(options: &Options) -> Result {
    let host = host()?;
    let targets = if options.targets.is_empty() { vec![host.clone()] } else { options.targets.clone() };
    let time = time()?;
    let images = firmware::presets()
        .iter()
        .map(|preset| {
            Ok(firmware::build(&firmware::Options::of_release(preset, remap(firmware::TARGET)?))?.uf2)
        })
        .collect::<Result<Vec<_>>>()?;
    let archives = shell::target().join("release-archives");
    // Archives of another commit would be in the checksums.
    let _ = std::fs::remove_dir_all(&archives);
    // The program that runs here, where it is among them: it prints the texts of all.
    let mut native = None;
    for target in &targets {
        let program = compile(target, &host)?;
        let name = format!("murmuration-{}-{target}", env!("CARGO_PKG_VERSION"));
        if *target == host {
            native = Some(program.clone());
        }
        let folder = archives.join(name);
        gather(&folder, target, &program, &images)?;
        describe(&folder, native.as_deref())?;
        shell::run(package().arg("archive").arg(&folder).arg(&time))?;
        if let Some(architecture) = debian_architecture(target) {
            shell::run(package().arg("deb").arg(&folder).args([architecture, &time]))?;
        }
        std::fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    }
    shell::run(package().arg("sums").arg(&archives))?;
    println!("{}", archives.display());
    Ok(())
}

/// Debian's name of a target's processor, where its packages fit the target.
fn debian_architecture(target: &str) -> Option<&'static str> {
    match target {
        "x86_64-unknown-linux-gnu" => Some("amd64"),
        "aarch64-unknown-linux-gnu" => Some("arm64"),
        _ => None,
    }
}

fn compile(target: &str, host: &str) -> Result<PathBuf> {
    let mut cargo =
        shell::cargo_for_another(&["build", "--locked", "--release", "--package", "murmuration-boids"]);
    cargo.args(["--target", target, "--config", "profile.release.strip=\"symbols\""]);
    cargo.arg("--config").arg(shell::flags(target, &remap(target)?));
    if target != host {
        cargo.envs(elsewhere::linker(target));
    }
    if !target.contains("msvc") {
        let maps: Vec<String> =
            folders()?.into_iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).collect();
        cargo.env("CFLAGS", maps.join(" ")).env("CXXFLAGS", maps.join(" "));
    }
    shell::run(&mut cargo)?;
    let end = if target.contains("windows") { ".exe" } else { "" };
    Ok(shell::target().join(target).join("release").join(format!("murmuration{end}")))
}

/// The flags that keep this machine's folders out of a program.
fn remap(target: &str) -> Result<Vec<String>> {
    let maps = folders()?.into_iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
    // Windows without Microsoft's redistributable libraries.
    let whole = target.ends_with("windows-msvc").then(|| "-Ctarget-feature=+crt-static".to_owned());
    Ok(maps.chain(whole).collect())
}

/// Folders of this machine, and what stands for them. Of two that fit, the compilers take the last.
fn folders() -> Result<Vec<(String, &'static str)>> {
    let read = |words: &[&str]| shell::read(Command::new(rustc()).args(words));
    let sysroot =
        read(&["--print", "sysroot"]).ok_or_else(|| Error::Failed("rustc has no sysroot".into()))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let text = |folder: &Path| folder.display().to_string();
    Ok(vec![
        (text(&home), "cargo"),
        (sysroot, "rust"),
        (text(&shell::root()), "murmuration"),
        (text(&shell::target()), "murmuration/target"),
    ])
}

/// Everything but what the program itself prints.
fn gather(folder: &Path, target: &str, program: &Path, images: &[PathBuf]) -> Result {
    let root = shell::root();
    let presets = std::fs::read_dir(root.join("presets")).into_iter().flatten().flatten();
    let presets = presets.map(|entry| entry.path()).map(|file| ("presets", file));
    let images = images.iter().map(|file| ("firmware", file.clone()));
    let beside = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"].map(|name| ("", root.join(name)));
    let desktop =
        ["murmuration.desktop", "murmuration.svg"].map(|name| ("", root.join("packaging").join(name)));
    let all = presets.chain(images).chain(beside).chain(desktop).chain([("", program.to_owned())]);
    for (below, file) in all {
        let to = folder.join(below);
        std::fs::create_dir_all(&to).map_err(failed(&to))?;
        let to = to.join(file.file_name().unwrap_or_default());
        std::fs::copy(&file, &to).map_err(failed(&file))?;
    }
    print(package().args(["licences", target]), &folder.join("LICENCES.txt"))
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
    std::fs::create_dir_all(above).map_err(failed(above))?;
    let output = std::fs::File::create(file).map_err(failed(file))?;
    shell::run(command.stdout(output))
}

/// The tool that writes archives.
fn package() -> Command {
    let mut cargo = shell::cargo(&["run", "--locked", "--quiet", "--package", "xtask", "--bin", "package"]);
    cargo.args(["--features", "package", "--"]);
    cargo
}

/// The time of every file: `SOURCE_DATE_EPOCH`, else that of the last commit.
fn time() -> Result<String> {
    let named = std::env::var("SOURCE_DATE_EPOCH").ok();
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(shell::root());
    let time = named.or_else(|| shell::read(&mut git)).filter(|time| time.parse::<u64>().is_ok());
    time.ok_or_else(|| {
        Error::Failed("there is no time of a commit: set SOURCE_DATE_EPOCH to seconds since 1970".to_owned())
    })
}

/// The target of this machine.
fn host() -> Result<String> {
    let version = shell::read(Command::new(rustc()).arg("-vV")).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Error::Failed("`rustc -vV` names no host".to_owned()))
}

fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

fn failed(file: &Path) -> impl Fn(std::io::Error) -> Error {
    move |why| Error::Failed(format!("{}: {why}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn targets_are_named_one_by_one() {
        let targets = |words: &[&str]| Options::read(words).ok().map(|options| options.targets);
        assert_eq!(targets(&[]), Some(vec![]));
        assert_eq!(targets(&["--target", "a", "--target", "b"]), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert!(Options::read(&["--target"]).is_err() && Options::read(&["a"]).is_err());
    }
}

//! Builds and checks the firmware of `embedded/`, and writes it to a board: by its drive, picotool or a debug probe.
//!
//! The images of the board are the same bytes in every folder. Cargo names a crate by a hash, and the linker orders
//! functions by their names. The hash of `flock` holds its absolute path, because it lies outside of the board's workspace.
//! So this program takes the compiler's place for a release, and names crates of this repository by their names alone.

use crate::shell::{Error, Result, at};
use crate::{options, shell, uf2, wheel};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of the RP2040.
pub const TARGET: &str = "thumbv6m-none-eabi";

/// The options of `firmware` and `flash`.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The preset that runs after a reset.
    preset: String,
    /// In its place: a file of parameters, a flight, or the name of a flock with terms of its own.
    flock: Option<String>,
    /// Frequency of the processor.
    mhz: String,
    /// More flags of the compiler, for a release.
    flags: Vec<String>,
}

/// The files of a build.
#[derive(Debug)]
pub struct Image {
    /// For debug probes and emulators.
    pub elf: PathBuf,
    /// For the drive of the boot loader.
    pub uf2: PathBuf,
}

impl Options {
    /// An image at the common frequency, with more flags of the compiler.
    pub fn of_release(preset: &str, flags: Vec<String>) -> Self {
        Options { preset: preset.to_owned(), flock: None, mhz: "125".to_owned(), flags }
    }

    /// Parses the words after the command.
    pub fn read(command: &str, words: &[&str]) -> Result<Self> {
        let mut options = Options::of_release("cornell", Vec::new());
        let presets = names("presets");
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--mhz" {
                let known = |mhz: &str| ["125", "250"].contains(&mhz).then(|| mhz.to_owned());
                options.mhz = options::value("--mhz", "125 or 250", words.next(), known)?;
            } else if presets.iter().any(|name| name == word) {
                options.preset = (*word).to_owned();
            } else if [".toml", ".flight"].iter().any(|end| word.ends_with(end)) {
                let path = std::path::absolute(word).map_err(at(Path::new(word)))?;
                options.flock = Some(path.display().to_string());
            } else if names("presets/formulas").iter().any(|name| name == word) {
                options.flock = Some((*word).to_owned());
            } else {
                let takes = format!("a preset ({}), FILE.toml, FILE.flight or --mhz", presets.join(", "));
                return options::refused(command, &takes, word);
            }
        }
        Ok(options)
    }
}

/// The names of the flocks in a folder.
pub fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(shell::root().join(folder)).into_iter().flatten().flatten();
    let name = |entry: DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned());
    let mut names: Vec<String> = entries.filter_map(name).filter(|name| name != "Cargo").collect();
    names.sort();
    names
}

/// Builds the firmware into `target/firmware/`. A flock that is no preset is one whose lines of the console are in the
/// image: an image without them, on the emulated board, says which.
///
/// # Errors
/// When no compiler for the RP2040 is installed, the build fails, or the flock does not fit the board.
pub fn build(options: &Options) -> Result<Image> {
    let image = compile(options, &options.preset, None)?;
    let Some(flock) = &options.flock else { return Ok(image) };
    let name = Path::new(flock).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let script = image.elf.with_file_name(format!("{name}.txt"));
    // Built as the tests are, which then build no crate again.
    let with = ["--locked", "--workspace", "--exclude", wheel::PACKAGE, "--example", "firmware_script"];
    shell::run(shell::cargo(&["build"]).args(with))?;
    let program = format!("debug/examples/firmware_script{}", std::env::consts::EXE_SUFFIX);
    let mut lines = Command::new(shell::target().join(program));
    shell::run(lines.args([&image.uf2, Path::new(flock), &script]))?;
    compile(options, &name, Some(&script))
}

/// Builds an image with the lines of a script, or with none.
fn compile(options: &Options, name: &str, script: Option<&Path>) -> Result<Image> {
    let Some(compiler) = compiler() else {
        return Err(Error::Failed(format!(
            "the Rust target of the RP2040 is not installed: run `rustup target add {TARGET}` or `cargo xtask setup test`"
        )));
    };
    let root = shell::root();
    let folder = root.join("target/firmware");
    let mut cargo = shell::cargo_for_another(&["build", "--locked", "--release", "--bin", "murmuration"]);
    cargo
        .args(["--target", TARGET, "--target-dir"])
        .arg(folder.join("build"))
        .current_dir(root.join("embedded"));
    cargo.env("FIRMWARE_PRESET", &options.preset).env("FIRMWARE_MHZ", &options.mhz);
    cargo.env("FIRMWARE_SCRIPT", script.unwrap_or(Path::new("")));
    if !options.flags.is_empty() {
        cargo.arg("--config").arg(shell::flags(TARGET, &options.flags));
        compile_by_this(&mut cargo)?;
    }
    if let Compiler::Debian { linker } = compiler {
        cargo.arg("-Zbuild-std=core").env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
        cargo.env("CARGO_TARGET_THUMBV6M_NONE_EABI_LINKER", linker);
    }
    shell::run(&mut cargo)?;

    let built = folder.join("build").join(TARGET).join("release/murmuration");
    let [elf, uf2] = ["elf", "uf2"].map(|end| folder.join(format!("{name}-{}.{end}", options.mhz)));
    let image = Image { elf, uf2 };
    let bytes = std::fs::read(&built).map_err(at(&built))?;
    let blocks = uf2::from_elf(&bytes).map_err(|why| Error::Failed(format!("{}: {why}", built.display())))?;
    write(&image.elf, &bytes)?;
    write(&image.uf2, &blocks)?;
    Ok(image)
}

/// Checks the source, runs the tests of the hardware-independent part, and builds the image for the other tests.
///
/// # Errors
/// When one of them fails.
pub fn check() -> Result {
    shell::run(&mut host("fmt", &["--check"]))?;
    shell::run(&mut host("clippy", &["--locked", "--lib", "--tests", "--", "-D", "warnings"]))?;
    if matches!(compiler(), Some(Compiler::Own)) {
        // The part for the hardware compiles for the target only.
        let bin = ["--locked", "--bin", "murmuration", "--target", TARGET, "--", "-D", "warnings"];
        shell::run(&mut host("clippy", &bin))?;
    }
    shell::run(&mut host("test", &["--locked", "--lib"]))?;
    build(&Options::read("test", &[])?)?;
    // The lines of a flight come from an emulated board.
    if cfg!(any(target_arch = "x86_64", target_os = "macos")) {
        build(&Options::read("test", &[FLIGHT])?)?;
    }
    Ok(())
}

/// Cargo in `embedded/`, on this machine.
pub fn host(command: &str, arguments: &[&str]) -> Command {
    let mut cargo = shell::cargo(&[command, "--manifest-path", "embedded/Cargo.toml"]);
    // Its own folder: the profiles are not those of the workspace.
    cargo.env("CARGO_TARGET_DIR", shell::root().join("target/firmware/host"));
    cargo.args(arguments);
    cargo
}

/// A compiler for the RP2040.
enum Compiler {
    /// The current toolchain, with the core library for the target.
    Own,
    /// Debian's, which builds the core library from source.
    Debian { linker: PathBuf },
}

/// The flight whose image the tests show.
const FLIGHT: &str = "tests/firmware/falcon.flight";

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// True if some compiler for the RP2040 is installed.
pub fn can_build() -> bool {
    compiler().is_some()
}

fn compiler() -> Option<Compiler> {
    if shell::has_rust(TARGET) {
        return Some(Compiler::Own);
    }
    let source = shell::read(Command::new(DEBIAN_RUSTC).args(["--print", "sysroot"]))
        .map(|sysroot| Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock"))?;
    let linker = linker(&shell::rustc(&["--print", "sysroot"])?)?;
    source.is_file().then_some(Compiler::Debian { linker })
}

/// The linker of the toolchain, or that of binutils.
fn linker(sysroot: &str) -> Option<PathBuf> {
    let hosts = std::fs::read_dir(Path::new(sysroot).join("lib/rustlib")).ok()?.flatten();
    let own = hosts.map(|host| host.path().join("bin/rust-lld")).find(|file| file.is_file());
    own.or_else(|| shell::on_path("arm-none-eabi-ld").then(|| "arm-none-eabi-ld".into()))
}

/// Writes a file atomically.
fn write(file: &Path, bytes: &[u8]) -> Result {
    let part = file.with_extension("part");
    std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, file)).map_err(at(file))
}

/// Set where this program is to compile.
const MARK: &str = "MURMURATION_COMPILES";

/// The board's crates that lie in this repository.
const CRATES: [&str; 3] = ["flock", "firmware", "murmuration"];

/// Makes a cargo compile by this program.
///
/// # Errors
/// When this program cannot be found.
fn compile_by_this(cargo: &mut Command) -> Result {
    let this =
        std::env::current_exe().map_err(|why| Error::Failed(format!("cannot find this program: {why}")))?;
    cargo.env("RUSTC_WRAPPER", this).env(MARK, "1");
    Ok(())
}

/// True if cargo calls this program as a compiler.
pub fn compiles() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Compiles: the first word is the compiler, the others its arguments.
///
/// # Errors
/// When the compiler does not start or fails.
pub fn compile_as_rustc(words: &[String]) -> Result {
    let Some((compiler, arguments)) = words.split_first() else {
        return Err(Error::Usage(format!("{MARK} must only be set by cargo")));
    };
    let status = Command::new(compiler).args(named(arguments)).env_remove(MARK).status();
    let status = status.map_err(at(Path::new(compiler)))?;
    if status.success() { Ok(()) } else { Err(Error::Failed(format!("the compiler failed: {status}"))) }
}

/// The arguments, with the crate's name instead of its hash if the crate is one of [`CRATES`].
fn named(arguments: &[String]) -> Vec<String> {
    let name = arguments.iter().skip_while(|word| *word != "--crate-name").nth(1);
    let name = name.filter(|name| CRATES.contains(&name.as_str()));
    let rename = |word: &String| match name {
        Some(name) if word.starts_with("metadata=") => format!("metadata={name}"),
        _ => word.clone(),
    };
    arguments.iter().map(rename).collect()
}

/// A file on the drive of the boot loader.
const BOOT_LOADER_FILE: &str = "INFO_UF2.TXT";

/// The label of that drive.
const LABEL: &str = "RPI-RP2";

/// Builds the firmware and writes it to the connected board.
///
/// # Errors
/// Without a board: how to connect one.
pub fn flash(options: &Options) -> Result {
    let image = build(options)?;
    if let Some(drive) = drive() {
        eprintln!("flash: copying {} to {}", image.uf2.display(), drive.display());
        std::fs::copy(&image.uf2, drive.join("murmuration.uf2")).map_err(at(&drive))?;
        eprintln!("flash: done; the board restarts by itself");
        return Ok(());
    }
    if shell::on_path("picotool") && shell::read(Command::new("picotool").arg("info")).is_some() {
        return shell::run(Command::new("picotool").args(["load", "-x"]).arg(&image.uf2));
    }
    if shell::on_path("probe-rs") && probe() {
        let chip = ["--chip", "RP2040"];
        shell::run(Command::new("probe-rs").arg("download").args(chip).arg(&image.elf))?;
        return shell::run(Command::new("probe-rs").arg("reset").args(chip));
    }
    let unmounted = Path::new("/dev/disk/by-label").join(LABEL).exists();
    let advice = if unmounted {
        format!("the drive {LABEL} is not mounted: mount it and try again")
    } else {
        format!(
            "hold BOOTSEL while you plug in the board, until the drive {LABEL} appears, or connect a debug probe"
        )
    };
    Err(Error::Failed(format!("no board found for {}: {advice}", image.uf2.display())))
}

/// True if a debug probe is connected.
fn probe() -> bool {
    shell::read(Command::new("probe-rs").arg("list")).is_some_and(|list| list.contains("[0]"))
}

/// The board's drive, where it is mounted.
fn drive() -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let linux = mounts.lines().filter_map(mount_point);
    let macos = std::iter::once(Path::new("/Volumes").join(LABEL));
    let windows = cfg!(windows).then_some('D'..='Z').into_iter().flatten();
    let windows = windows.map(|letter| PathBuf::from(format!("{letter}:\\")));
    linux.chain(macos).chain(windows).find(|folder| {
        let mark = std::fs::read_to_string(folder.join(BOOT_LOADER_FILE));
        mark.is_ok_and(|text| text.contains(LABEL))
    })
}

/// The mount point of a line of `/proc/mounts`, for file systems that the drive can have.
fn mount_point(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(' ');
    let (folder, kind) = (fields.nth(1)?, fields.next()?);
    (kind == "vfat").then(|| PathBuf::from(folder.replace("\\040", " ")))
}

#[cfg(test)]
mod tests {
    use super::Options;
    use super::mount_point;
    use super::named;
    use crate::shell::Error;
    use std::path::Path;

    #[test]
    fn presets_and_frequencies_are_read_and_others_refused() {
        let options = Options::read("firmware", &["yabi", "--mhz", "250"]).ok();
        assert_eq!(
            options,
            Some(Options {
                preset: "yabi".to_owned(),
                flock: None,
                mhz: "250".to_owned(),
                flags: Vec::new()
            })
        );
        assert_eq!(Options::read("flash", &[]).ok().map(|o| o.preset).as_deref(), Some("cornell"));
        let flock = |word: &str| Options::read("firmware", &[word]).ok().and_then(|options| options.flock);
        assert_eq!(flock("vortex").as_deref(), Some("vortex"));
        for file in ["here/mine.toml", "here/mine.flight"] {
            assert!(flock(file).is_some_and(|file| Path::new(&file).is_absolute()));
        }
        for (words, part) in [(&["sparrows"][..], "cornell"), (&["--mhz", "133"], "250")] {
            match Options::read("flash", words) {
                Err(Error::Usage(why)) => assert!(why.contains(part), "{why}"),
                other => panic!("{words:?} gave {other:?}"),
            }
        }
    }

    #[test]
    fn only_crates_of_this_repository_are_renamed() {
        let words = |name: &str, metadata: &str| {
            ["--crate-name", name, "-C", metadata, "-C", "extra-filename=-1f"].map(str::to_owned).to_vec()
        };
        assert_eq!(named(&words("flock", "metadata=1f")), words("flock", "metadata=flock"));
        assert_eq!(named(&words("toml", "metadata=1f")), words("toml", "metadata=1f"));
    }

    #[test]
    fn only_drives_of_the_boards_kind_are_looked_into() {
        let found = mount_point("/dev/sda1 /media/ann\\040lee/RPI-RP2 vfat rw 0 0");
        assert_eq!(found.as_deref(), Some(Path::new("/media/ann lee/RPI-RP2")));
        for line in ["proc /proc proc rw 0 0", "", "host:/data /mnt nfs rw 0 0"] {
            assert_eq!(mount_point(line), None, "{line}");
        }
    }
}

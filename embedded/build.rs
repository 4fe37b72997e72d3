#![allow(clippy::expect_used, clippy::panic, reason = "a build stops by them")]
//! Provides the linker script, and compiles presets and settings into the image.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The default frequency of the processor in MHz.
const STOCK_MHZ: &str = "125";

/// The default preset.
const DEFAULT_PRESET: &str = "cornell";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("memory.x", out.join("memory.x")).expect("memory.x is readable");
    println!("cargo:rustc-link-search={}", out.display());
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        // The script of cortex-m-rt, which includes memory.x. `--nmagic` avoids padding to pages.
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
        println!("cargo:rustc-link-arg-bins=--nmagic");
    }
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");

    let mhz = setting("FIRMWARE_MHZ", STOCK_MHZ);
    assert!(["125", "250"].contains(&mhz.as_str()), "FIRMWARE_MHZ is {mhz}; 125 or 250 is allowed");
    println!("cargo:rustc-env=FIRMWARE_MHZ={mhz}");

    let presets = presets(Path::new("../presets"));
    let start = setting("FIRMWARE_PRESET", DEFAULT_PRESET);
    let names: Vec<&str> = presets.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&start.as_str()), "FIRMWARE_PRESET is {start}; one of {names:?} is allowed");
    println!("cargo:rustc-env=FIRMWARE_PRESET={start}");
    fs::write(out.join("presets.rs"), source(&presets)).expect("OUT_DIR is writable");

    let script = setting("FIRMWARE_SCRIPT", "");
    if script.is_empty() {
        fs::write(out.join("script.txt"), "").expect("OUT_DIR is writable");
    } else {
        println!("cargo:rerun-if-changed={script}");
        fs::copy(&script, out.join("script.txt")).unwrap_or_else(|why| panic!("{script}: {why}"));
    }
}

fn setting(name: &str, default: &str) -> String {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// The table of a flock's initial view, which is not part of the rule.
const VIEW: &str = "view";

/// Every preset: its name, and pairs of `table.key` and the value in TOML.
fn presets(folder: &Path) -> Vec<(String, Vec<(String, String)>)> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("the folder of presets is readable");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml") && stem(file) != "Cargo");
    files.sort();
    files.iter().map(|file| (stem(file), lines(file))).collect()
}

fn stem(file: &Path) -> String {
    file.file_stem().expect("a name").to_string_lossy().into_owned()
}

fn lines(file: &Path) -> Vec<(String, String)> {
    println!("cargo:rerun-if-changed={}", file.display());
    let text = fs::read_to_string(file).expect("a preset is readable");
    let tables: toml::Table = text.parse().unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let mut lines = Vec::new();
    for (table, keys) in tables.iter().filter(|(table, _)| *table != VIEW) {
        let keys = keys.as_table().unwrap_or_else(|| panic!("{}: {table} is no table", file.display()));
        lines.extend(keys.iter().map(|(key, value)| (format!("{table}.{key}"), value.to_string())));
    }
    lines
}

fn source(presets: &[(String, Vec<(String, String)>)]) -> String {
    let one = |(name, lines): &(String, Vec<(String, String)>)| {
        let pairs: String = lines.iter().map(|(key, value)| format!("({key:?}, {value:?}), ")).collect();
        format!("Preset {{ name: {name:?}, values: &[{pairs}] }},\n")
    };
    format!("&[\n{}]\n", presets.iter().map(one).collect::<String>())
}

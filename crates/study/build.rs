//! Hashes the sources, so that a study names the build that made it.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The sources that the results of a study depend on: not the window. In a package the other crates are elsewhere.
const SOURCES: [&str; 12] = [
    "src",
    "../board/src",
    "../config/src",
    "../cpu/src",
    "../engine/src",
    "../engines/src",
    "../formula/src",
    "../gpu/src",
    "../../Cargo.lock",
    "../../flock/src",
    "../../presets",
    "../../shaders",
];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for source in SOURCES.map(Path::new).into_iter().filter(|source| source.exists()) {
        println!("cargo::rerun-if-changed={}", source.display());
        collect(source, &mut files)?;
    }
    files.sort();
    // FNV-1a. Carriage returns are skipped: a checkout on Windows may add them.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in fs::read(file)?.into_iter().filter(|byte| *byte != b'\r') {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=MURMURATION_BUILD={hash:016x}");
    Ok(())
}

/// Adds a file, or all files in a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))
}

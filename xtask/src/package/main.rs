//! The last part of `cargo xtask release`, for a target's folder without licences:
//! `package FOLDER TRIPLE SECONDS MAINTAINER` adds them, and writes beside the folder `FOLDER.tar.gz`, or `FOLDER.zip` where its program is for Windows,
//! a package for Debian where it has the target, and the checksums of all files there.
//!
//! `package FILE TRIPLE` writes the licences of the wheel for Python. `package check FILE` checks that a wheel for Linux, or
//! a program, needs no newer glibc than its tag says, or than a release's.
//!
//! The time of every file in them, in seconds, is given; names are sorted; owners are root: the same files give the
//! same bytes.

mod archive;
mod deb;
mod glibc;
mod licences;

use std::path::Path;

/// A result whose error is one line.
type Result<T = ()> = std::result::Result<T, String>;

fn main() -> Result {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [word, file] if word == "check" => glibc::check(Path::new(file)),
        [folder, triple, time, maintainer] => package(Path::new(folder), triple, time, maintainer),
        [file, triple] => licences::of_wheel(triple).and_then(|text| write(Path::new(file), text)),
        _ => {
            let calls =
                "`package FOLDER TRIPLE SECONDS MAINTAINER`, `package FILE TRIPLE`, or `package check FILE`";
            Err(format!("usage: {calls}"))
        }
    }
}

fn package(folder: &Path, triple: &str, time: &str, maintainer: &str) -> Result {
    let time = time.parse().map_err(|why| format!("{time}: {why}"))?;
    write(&folder.join("LICENCES.txt"), licences::text(triple)?)?;
    if triple.ends_with("-linux-gnu") {
        glibc::check(&folder.join("murmuration"))?;
    }
    let files = archive::read(folder)?;
    archive::write(folder, &files, time)?;
    match triple {
        "x86_64-unknown-linux-gnu" => deb::write(folder, files, "amd64", time, maintainer)?,
        "aarch64-unknown-linux-gnu" => deb::write(folder, files, "arm64", time, maintainer)?,
        // Debian's packages do not fit.
        _ => {}
    }
    archive::write_sums(folder.parent().unwrap_or(Path::new(".")))
}

fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result {
    std::fs::write(file, bytes).map_err(at(file))
}

/// Names a file in what went wrong with it.
fn at(file: &Path) -> impl Fn(std::io::Error) -> String {
    move |why| format!("{}: {why}", file.display())
}

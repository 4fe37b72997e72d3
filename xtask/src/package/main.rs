//! What `cargo xtask release` runs once a target's program is compiled:
//!
//! - `package licences TRIPLE` prints the licences of all that the archive contains;
//! - `package archive FOLDER SECONDS` writes the folder as `FOLDER.tar.gz`, or `FOLDER.zip` where its program is for Windows;
//! - `package deb FOLDER ARCHITECTURE SECONDS` writes its package for Debian;
//! - `package sums FOLDER` writes the checksums of the files in a folder.
//!
//! The time of every file in them, in seconds, is given; names are sorted; owners are root: the same files give the same
//! bytes.

mod archive;
mod deb;
mod licences;
mod tree;

use std::path::Path;
use std::process::ExitCode;

/// What went wrong, in one line.
type Result<T = ()> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["licences", triple] => licences::text(triple).map(|text| print!("{text}")),
        ["archive", folder, time] => archive::write(Path::new(folder), seconds(time)),
        ["deb", folder, architecture, time] => deb::write(Path::new(folder), architecture, seconds(time)),
        ["sums", folder] => archive::write_sums(Path::new(folder)),
        _ => Err("a call is `licences`, `archive`, `deb` or `sums`, each with its arguments".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Seconds since 1970.
fn seconds(word: &str) -> u64 {
    word.parse().unwrap_or_default()
}

/// Names a file in what went wrong with it.
fn at(file: &Path) -> impl Fn(std::io::Error) -> String {
    move |why| format!("{}: {why}", file.display())
}

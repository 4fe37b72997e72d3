//! Lists the shaders for `lib.rs`: every file in this folder and its subfolders.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=.");
    let mut files = Vec::new();
    list(Path::new(""), &mut files)?;
    files.sort();
    let folder = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let row = |name: &String| format!("({name:?}, include_str!({:?})),\n", format!("{folder}/{name}"));
    let rows: String = files.iter().map(row).collect();
    let target = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&target).join("files.rs"), format!("&[\n{rows}]"))
}

/// The paths of all shaders in a folder, separated by `/`.
fn list(folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(Path::new(".").join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

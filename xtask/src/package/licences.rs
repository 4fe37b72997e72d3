//! The licences of all packages in an archive, of the program and the firmware, and in the wheel.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Result, at};

/// The allowed licences. Each permits redistribution of a program with the licence text.
const ALLOWED: &str = "0BSD, Apache-2.0, Apache-2.0 WITH LLVM-exception, BSD-2-Clause, BSD-3-Clause, BSL-1.0, CC0-1.0, ISC, MIT, \
    MIT-0, MIT-Apache-2.0, OFL-1.1, Ubuntu-font-1.0, Unicode-3.0, Unlicense, Zlib, bzip2-1.0.6";

fn is_allowed(licence: &str) -> bool {
    ALLOWED.split(", ").any(|allowed| allowed == licence)
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// All texts of an archive.
///
/// # Errors
/// When a package has no allowed licence: its name and its licence.
pub fn text(triple: &str) -> Result<String> {
    text_of(&[("Cargo.toml", triple), ("embedded/Cargo.toml", "thumbv6m-none-eabi")])
}

/// All texts of the wheel for Python.
///
/// # Errors
/// See [`text`].
pub fn of_wheel(triple: &str) -> Result<String> {
    text_of(&[("crates/python/Cargo.toml", triple)])
}

/// All texts, each once, under the names of its packages: of manifests, each with the target that it is compiled for.
fn text_of(manifests: &[(&str, &str)]) -> Result<String> {
    let mut names = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (manifest, target) in manifests {
        for package in packages(&root().join(manifest), target)? {
            let word = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
            let (name, licence) = (format!("{} {}", word("name"), word("version")), word("license"));
            check(&name, &licence)?;
            let manifest = PathBuf::from(word("manifest_path"));
            let mut found = Vec::new();
            if package["source"].is_null() {
                find(root(), 0, &mut found)?;
            } else {
                names.insert(format!("{name}: {licence}"));
                find(manifest.parent().unwrap_or(Path::new(".")), 3, &mut found)?;
            }
            if found.is_empty() {
                found = standard(&name, &licence)?;
            }
            for text in found {
                texts.entry(text).or_default().insert(name.clone());
            }
        }
    }
    let mut all = String::from(
        "Murmuration and Rust's standard library, which it contains, are licensed under MIT or Apache-2.0, at your \
         option. It also contains:\n\n",
    );
    names.iter().for_each(|line| all += &format!("{line}\n"));
    for (text, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        all += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), text.trim_end());
    }
    Ok(all)
}

fn check(name: &str, licence: &str) -> Result {
    let expression = expression(name, licence)?;
    if expression.evaluate(|asked| is_allowed(&asked.to_string())) {
        return Ok(());
    }
    Err(format!("{name}: the licence must be one of {ALLOWED}, not `{licence}`"))
}

fn expression(name: &str, licence: &str) -> Result<spdx::Expression> {
    spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
        .map_err(|why| format!("{name}: `{licence}` is not an SPDX licence: {}", why.reason))
}

/// The texts that SPDX gives to the licences of a package that brings none.
fn standard(name: &str, licence: &str) -> Result<Vec<String>> {
    let expression = expression(name, licence)?;
    let ids = expression.requirements().filter_map(|asked| asked.req.license.id());
    let texts: Vec<String> = ids.filter(|id| is_allowed(id.name)).map(|id| id.text().to_owned()).collect();
    if texts.is_empty() { Err(format!("{name}: the text of `{licence}` is missing")) } else { Ok(texts) }
}

/// The files of licences in a folder, and in those below it: what is compiled in may have its own.
fn find(folder: &Path, depth: u32, found: &mut Vec<String>) -> Result {
    const STARTS: [&str; 8] =
        ["license", "licence", "copying", "copyright", "notice", "unlicense", "ofl", "ufl"];
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if file.is_dir() && depth > 0 {
            find(&file, depth - 1, found)?;
        }
        let code = [".rs", ".toml", ".html", ".py", ".json"].iter().any(|end| name.ends_with(end));
        if file.is_file() && !code && STARTS.iter().any(|start| name.starts_with(start)) {
            let bytes = std::fs::read(&file).map_err(at(&file))?;
            found.push(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
    }
    Ok(())
}

/// The packages that a manifest's package is compiled from on a target, without those that only build or test it.
fn packages(manifest: &Path, target: &str) -> Result<Vec<Value>> {
    let tree = ["tree", "--edges", "normal", "--target", target, "--prefix", "none", "--format", "{p}"];
    // Name, version and, of some, the folder; `(*)` where it was listed before.
    let tree = cargo(manifest, &tree)?;
    let named: HashSet<String> =
        tree.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    let metadata = cargo(manifest, &["metadata", "--format-version", "1", "--filter-platform", target])?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|why| format!("cargo metadata: {why}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten().filter(|package| {
        let [name, version] = ["name", "version"].map(|key| package[key].as_str().unwrap_or_default());
        named.contains(&format!("{name} v{version}"))
    });
    let packages: Vec<Value> = packages.cloned().collect();
    if packages.len() < named.len() {
        let known = format!("{} of {} packages are known", packages.len(), named.len());
        return Err(format!("{}: {known}", manifest.display()));
    }
    Ok(packages)
}

/// The output of a cargo command for a manifest.
fn cargo(manifest: &Path, words: &[&str]) -> Result<String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(words).args(["--locked", "--manifest-path"]).arg(manifest).stderr(Stdio::inherit());
    let output = cargo.output().map_err(|why| format!("cargo: {why}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", words[0], output.status));
    }
    String::from_utf8(output.stdout).map_err(|why| format!("cargo {}: {why}", words[0]))
}

#[cfg(test)]
mod tests {
    use super::{check, of_wheel, standard, text};

    #[test]
    fn every_dependency_has_a_licence_that_is_allowed() {
        let text = text("x86_64-unknown-linux-gnu").expect("texts of all");
        // The program's, the firmware's, a font's, and what C++ is compiled in.
        for part in ["\nwgpu ", "\nrp2040-hal ", "SIL OPEN FONT LICENSE", "Cisco Systems", "Apache License"] {
            assert!(text.contains(part), "{part}");
        }
    }

    #[test]
    fn the_wheel_has_the_licences_of_what_only_it_contains() {
        let text = of_wheel("x86_64-pc-windows-gnu").expect("texts of all");
        for part in ["\nwgpu ", "\npyo3 ", "\nnumpy ", "Cisco Systems"] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("\nrp2040-hal "));
    }

    #[test]
    fn a_licence_is_allowed_or_its_package_is_named() {
        for licence in
            ["MIT", "MIT/Apache-2.0", "Apache-2.0 OR LGPL-2.1-or-later OR MIT", "(MIT OR Zlib) AND ISC"]
        {
            assert_eq!(check("a 1.0.0", licence), Ok(()));
            assert!(standard("a 1.0.0", licence).is_ok_and(|texts| texts[0].len() > 200), "{licence}");
        }
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "My own"] {
            assert!(check("a 1.0.0", licence).is_err_and(|why| why.starts_with("a 1.0.0: ")), "{licence}");
        }
    }
}

//! What `cargo xtask findings` runs once the program is built: `reproduce PROGRAM FOLDER [--quick] [--keep] [NAME…]`.
//!
//! Each folder in `examples/findings/` has a `finding.toml`: studies, which `PROGRAM sweep` runs into `FOLDER`, and rows, each
//! of which compares a measure of a study with what was published. The pictures of the studies are drawn into
//! `docs/pictures/` and, without names, `docs/findings.md` is written. With `--quick` studies are run with few seeds and half
//! the steps, and the rows that are marked `quick` have to hold; nothing is written but the studies. With `--keep` the studies that are
//! in `FOLDER` are not run again.

mod finding;
mod order;
mod page;
mod study;
mod summary;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use finding::Finding;
use verdict::{Judged, Verdict};

/// What went wrong, in one line.
type Result<T = ()> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [quick, keep] = ["--quick", "--keep"].map(|flag| words.iter().any(|word| word == flag));
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    let done = match words[..] {
        [program, folder, ref names @ ..] => {
            let absolute = |path: &str| std::path::absolute(path).map_err(at(Path::new(path)));
            absolute(program).and_then(|program| run(&program, &absolute(folder)?, [quick, keep], names))
        }
        _ => Err("a call is `reproduce PROGRAM FOLDER [--quick] [--keep] [NAME…]`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &Path, folder: &Path, [quick, keep]: [bool; 2], names: &[&str]) -> Result {
    let findings = all(names)?;
    let (mut rows, mut heads) = (Vec::new(), Vec::new());
    for (name, finding) in &findings {
        let studies = study::Studies::run(program, folder, name, finding, [quick, keep])?;
        for row in finding.rows.iter().filter(|row| row.quick || !quick) {
            let compared = verdict::compare(row, &studies);
            rows.push(compared.map_err(|why| format!("{name}: {}: {why}", row.observable))?);
        }
        if !quick {
            heads.push((name, finding, study::hash(program, name, finding)?));
        }
    }
    let judged = verdict::judge(rows, !quick);
    let line = |row: &Judged<'_>| format!("{}: {}, {}", row.row.observable, row.found, row.verdict.text());
    judged.iter().for_each(|row| eprintln!("{}", line(row)));
    if quick {
        let kept = |row: &&Judged<'_>| !matches!(row.verdict, Verdict::Holds | Verdict::ByChoice);
        let failed: Vec<String> = judged.iter().filter(kept).map(line).collect();
        let why = || format!("these have to hold with few seeds, too: {}", failed.join("; "));
        return failed.is_empty().then_some(()).ok_or_else(why);
    }
    if !names.is_empty() {
        return Ok(());
    }
    let section = |(name, finding, hash): &(&String, &Finding, String)| {
        let own = |row: &&Judged<'_>| finding.rows.iter().any(|own| std::ptr::eq(own, row.row));
        page::section(name, finding, &judged.iter().filter(own).collect::<Vec<_>>(), hash)
    };
    let sections: Vec<String> = heads.iter().map(section).collect();
    let file = root().join("docs").join("findings.md");
    std::fs::write(&file, page::page(&sections)).map_err(at(&file))
}

/// All findings, or those of these names, in the order of the page.
fn all(names: &[&str]) -> Result<Vec<(String, Finding)>> {
    let folder = findings();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(at(&folder))? {
        let entry = entry.map_err(at(&folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if names.is_empty() || names.contains(&name.as_str()) {
            found.push((name, Finding::read(&entry.path().join("finding.toml"))?));
        }
    }
    if let Some(unknown) = names.iter().find(|name| !found.iter().any(|(known, _)| known == *name)) {
        return Err(format!("{}: there is no finding `{unknown}`", folder.display()));
    }
    found.sort_by_key(|(_, finding)| finding.place);
    Ok(found)
}

fn findings() -> PathBuf {
    root().join("examples").join("findings")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Names a file in what went wrong with it.
fn at(file: &Path) -> impl Fn(std::io::Error) -> String {
    move |why| format!("{}: {why}", file.display())
}

//! Where results go: stdout in place of a file, and files that exist.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::{Folder, ended};

#[test]
fn a_dash_in_place_of_a_file_is_stdout() {
    let folder = Folder::new();
    let call = "run --preset cornell -n 20 --engine cpu --steps 4";
    folder.done(&format!("{call} --every 2 --out out.csv --trajectory trajectory.csv --metrics metrics.csv"));
    for option in ["out", "trajectory", "metrics"] {
        let every = if option == "out" { "" } else { "--every 2" };
        let ended = folder.done(&format!("{call} {every} --{option} -"));
        assert_eq!(ended.stdout, folder.read(&format!("{option}.csv")), "{option}");
        assert_eq!(ended.stderr, "", "{option}");
    }
    assert_eq!(folder.files(), ["metrics.csv", "out.csv", "trajectory.csv"]);
}

#[test]
fn a_reader_of_a_dash_that_leaves_early_is_no_failure() {
    let folder = Folder::new();
    let mut child = folder
        .command("run --preset cornell --engine cpu --quiet --steps 300 --trajectory - --out a.csv")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("step,id,"), "{line}");
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(folder.files(), ["a.csv"]);
}

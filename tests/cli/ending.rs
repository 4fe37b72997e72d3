//! Readers that leave early, and Ctrl-C.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::{Desk, ended};

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let desk = Desk::new();
    let mut child = desk
        .command("run --preset cornell --engine cpu --quiet --hash --steps 3000 --out a.csv")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("0,"));
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(desk.path("a.csv").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_done() {
    let desk = Desk::new();
    let mut child = desk
        .command("run --preset cornell --engine cpu --hash --steps 4000000000 --out a.csv --metrics m.csv --every 50")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // By the first line Ctrl-C is listened to.
    lines.next().expect("a line").expect("text");
    let id = child.id().to_string();
    let kill = std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    assert!(kill.success());
    let last = lines.map(|line| line.expect("text")).last().expect("more lines");
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("stopped by Ctrl-C at step"), "{ended:?}");

    let (step, hash) = last.split_once(',').expect("two columns");
    assert!(desk.read("m.csv").lines().last().expect("rows").starts_with(&format!("{step},")));
    // The state that was kept is the last one that was hashed.
    let call = format!("run --preset cornell --engine cpu --hash --steps 0 --init a.csv --first-step {step}");
    assert_eq!(desk.done(&call).stdout, format!("{step},{hash}\n"));
}

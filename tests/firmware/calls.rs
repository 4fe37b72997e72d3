//! The command line with the board as the engine.

use std::process::{Command, Output};

use super::image;

fn run(line: &str, variables: &[(&str, &str)], folder: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
    command.arg("run").args(line.split(' ')).envs(variables.iter().copied()).current_dir(folder);
    command.output().expect("the program starts")
}

/// The lines with hashes.
fn hashes(line: &str) -> Vec<String> {
    let output = run(&format!("{line} --preset yabi --boids 60 --steps 5 --hash --quiet"), &[], ".");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_run_on_the_board_prints_the_hashes_of_the_cpu() {
    if image().is_none() {
        return;
    }
    let found = hashes("--engine rp2040");
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(found, hashes("--engine cpu --numeric fixed"));
    assert_ne!(found, hashes("--engine cpu --numeric fixed --seed 2"));
}

#[test]
fn firmware_that_is_named_and_missing_or_damaged_is_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = folder.path().join("damaged.uf2");
    std::fs::write(&damaged, "no firmware").expect("written");
    let (folder, damaged) = (folder.path().to_string_lossy(), damaged.to_string_lossy());
    for (named, code, part) in
        [("nowhere.uf2", 2, "MURMURATION_FIRMWARE: nowhere.uf2"), (&*damaged, 2, "not a UF2 file")]
    {
        let variable = [("MURMURATION_FIRMWARE", named)];
        let output = run("--engine rp2040 --steps 1", &variable, &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(part) && !said.contains("adapters"), "{said}");
    }
}

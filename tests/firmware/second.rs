//! The same bits on a second, independent emulator: `rp2040js`, which has one core and a serial line with input.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use config::presets::PRESETS;
use engine::State;
use flock::parameters::find;

use super::bits::on_cpu;
use super::{image, parameters};
use crate::scope::{self, Scope};

const LIBRARY: &str = "target/firmware/second/node_modules/rp2040js/dist/esm/index.js";
const FIRMWARE: &str = "target/firmware/cornell-125.uf2";
const BOIDS: u32 = 40;
const STEPS: u32 = 4;

/// The answers of the firmware to lines on its serial line.
fn answers(lines: &str) -> Option<String> {
    image()?;
    if scope::left_to_all("the second emulator of the board") {
        return None;
    }
    if !Path::new(LIBRARY).exists() {
        scope::missing(Scope::All, &format!("{LIBRARY}: `cargo xtask setup test-all` installs it"));
        return None;
    }
    let mut node = Command::new("node")
        .args(["tests/firmware/second.mjs", LIBRARY, FIRMWARE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node.js runs");
    node.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
    let output = node.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn a_second_emulator_has_the_same_hashes_for_every_preset_on_one_core() {
    let both = || PRESETS.iter().flat_map(|preset| [(preset.name, 2), (preset.name, 3)]);
    let mut lines = "pause\n".to_owned();
    let mut expected = Vec::new();
    for (preset, dimensions) in both() {
        let p = parameters(preset, dimensions, BOIDS);
        // Fewer boids first: in 3-D a preset's own number may not fit.
        lines += &format!("preset {preset}\nboids {BOIDS}\nset flock.dimensions {dimensions}\n");
        // Set explicitly: scaling the world in other steps rounds its size differently.
        for name in ["world.min", "world.max", "world.margin", "home.half_extent", "home.wander"] {
            lines += &format!("set {name} {}\n", find(name).expect("named in the table").get(&p));
        }
        lines += &format!("seed {}\nhashes {STEPS}\n", p.flock.seed);
        expected.extend(on_cpu(&p, &State::start(&p), STEPS));
    }
    let Some(answers) = answers(&lines) else { return };
    assert!(answers.starts_with("murmuration") && answers.contains("one core"), "{answers}");
    let hashes: Vec<&str> = answers.lines().map(str::trim).filter(|line| line.contains(',')).collect();
    assert_eq!(hashes, expected, "{answers}");
}

#[test]
fn another_weight_is_another_flock_there_too() {
    let p = parameters("cornell", 2, BOIDS);
    let right = on_cpu(&p, &State::start(&p), STEPS);
    let lines = format!("pause\npreset cornell\nboids {BOIDS}\nset alignment.weight 0.06\nhashes {STEPS}\n");
    let Some(answers) = answers(&lines) else { return };
    assert!(answers.contains(&right[0]), "the start is the same");
    assert!(!answers.contains(&right[STEPS as usize]), "{answers}");
}

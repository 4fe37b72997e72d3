//! The recorded hashes of all presets, which every engine in integers has: here by the registers of this processor, in
//! floating point, too. With `cargo xtask test --all` these tests also run on Arm, by an emulator.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../../../tests/support/hashes.rs"]
mod hashes;

use config::presets;
use cpu::{Real, Registers};
use engine::State;
use flock::{Fixed, Parameters};

const INTEGERS: &str = include_str!("../../../tests/cli/calls/hashes.txt");
const FLOATS: &str = include_str!("../../../tests/cli/calls/hashes_of_floats.txt");

/// A step and a hash a line, as the program prints them.
fn printed<T: Real>(p: &Parameters, steps: u32) -> String {
    let mut engine = cpu::open_as::<T>(p, &State::start(p), Some(2)).expect("it fits");
    let hashes = hashes::hashes(&mut *engine, p, steps);
    hashes.iter().enumerate().map(|(step, hash)| format!("{step},{hash:016x}\n")).collect()
}

/// The number of calls in a recording, each of which has the hashes recorded there.
fn repeated(recording: &str) -> usize {
    let mut calls = 0;
    for call in recording.split("\n$ ").skip(1) {
        let (options, lines) = call.split_once('\n').expect("a call and its lines");
        let value =
            |option: &str| options.split(' ').skip_while(|word| *word != option).nth(1).expect(option);
        let preset = presets::find(value("--preset")).expect("a preset");
        let mut p = preset.parameters().expect("it fits");
        p.set_boids(value("-n").parse().expect("a number"));
        let steps = value("--steps").parse().expect("a number");
        let found = match value("--numeric") {
            "fixed" => printed::<Fixed>(&p, steps),
            "f32" => printed::<f32>(&p, steps),
            "f64" => printed::<f64>(&p, steps),
            other => panic!("{other}"),
        };
        assert_eq!(found.trim_end(), lines.trim_end(), "{options}");
        calls += 1;
    }
    calls
}

#[test]
fn every_preset_has_its_hashes_in_integers() {
    assert_eq!(repeated(INTEGERS), presets::all().count());
}

#[test]
fn every_preset_has_its_hashes_in_floating_point() {
    assert_eq!(repeated(FLOATS), 2 * presets::PRESETS.len());
    if cfg!(target_arch = "aarch64") {
        assert_eq!(Registers::widest().name(), "NEON");
    }
}

#[test]
#[should_panic(expected = "--preset cornell")]
fn another_hash_is_seen() {
    repeated(&INTEGERS.replace("--preset cornell\n0,b6", "--preset cornell\n0,a6"));
}

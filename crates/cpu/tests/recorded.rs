//! The recorded hashes of all presets, which every engine in integers has: here by the registers of this processor, in
//! floating point, too. With `cargo xtask test --all` these tests also run on Arm, by an emulator.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../../../tests/support/hashes.rs"]
mod hashes;
#[path = "../../../tests/support/recorded.rs"]
mod recorded;

use config::presets;
use cpu::{Real, Registers};
use engine::State;
use flock::{Fixed, Parameters};

const INTEGERS: &str = include_str!("../../../tests/cli/calls/hashes.txt");
const FLOATS: &str = include_str!("../../../tests/cli/calls/hashes_of_floats.txt");

/// The hashes by the registers of this processor.
fn of_registers<T: Real>(p: &Parameters, steps: u32) -> Vec<u64> {
    let mut engine = cpu::open_as::<T>(p, &State::start(p), Some(2)).expect("it fits");
    hashes::hashes(&mut *engine, p, steps)
}

/// The number of calls in a recording, each of which has the hashes recorded there.
fn repeated(recording: &str) -> usize {
    recorded::repeated(recording, |numeric, p, steps| match numeric {
        "fixed" => of_registers::<Fixed>(p, steps),
        "f32" => of_registers::<f32>(p, steps),
        "f64" => of_registers::<f64>(p, steps),
        other => panic!("{other}"),
    })
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

//! Calls of the program with the hashes recorded for them.

use config::presets;
use flock::Parameters;

/// The number of calls in a recording, for each of which `hashes` gives those recorded there: by the name of the number
/// type, the parameters and the number of steps.
///
/// # Panics
/// When a hash differs.
pub fn repeated(recording: &str, hashes: impl Fn(&str, &Parameters, u32) -> Vec<u64>) -> usize {
    let mut calls = 0;
    for call in recording.split("\n$ ").skip(1) {
        let (options, lines) = call.split_once('\n').expect("a call and its lines");
        let value =
            |option: &str| options.split(' ').skip_while(|word| *word != option).nth(1).expect(option);
        let preset = presets::find(value("--preset")).expect("a preset");
        let mut p = preset.parameters().expect("it fits");
        p.set_boids(value("-n").parse().expect("a number"));
        let steps = value("--steps").parse().expect("a number");
        let mut found = String::new();
        for (step, hash) in hashes(value("--numeric"), &p, steps).into_iter().enumerate() {
            found += &format!("{step},{hash:016x}\n");
        }
        assert_eq!(found.trim_end(), lines.trim_end(), "{options}");
        calls += 1;
    }
    calls
}

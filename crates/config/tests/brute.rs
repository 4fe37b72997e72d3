//! Recorded hashes by brute force, which needs neither an engine nor its build: of all presets, and of random flocks and
//! terms.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../../../tests/support/random_flock.rs"]
mod random_flock;
#[path = "../../../tests/support/random_terms.rs"]
mod random_terms;
#[path = "../../../tests/support/recorded.rs"]
mod recorded;

use config::presets;
use flock::{Boid, Fixed, Number, Parameters, Predator, Rule, brute, fixed, formula, hash, start};

/// Hashes in integers that every engine has.
const OF_PRESETS: &str = include_str!("../../../tests/cli/calls/hashes.txt");

/// The hash of the flock as it starts and after each of some steps.
fn hashes<T: Number>(p: &Parameters, steps: u64) -> Vec<u64> {
    let rule = Rule::<T>::new(p);
    let mut boids: Vec<Boid<T>> = (0..p.flock.boids).map(|id| rule.quantise(&start::boid(p, id))).collect();
    let predator = |index| rule.quantise_predator(&start::predator(p, index));
    let mut predators: Vec<Predator<T>> = (0..p.predators.count).map(predator).collect();
    let mut all = vec![hash::flock(boids.iter().copied())];
    let mut next = boids.clone();
    for step in 0..steps {
        brute::step(&rule, step, &boids, &mut predators, &mut next).expect("its terms fit");
        std::mem::swap(&mut boids, &mut next);
        all.push(hash::flock(boids.iter().copied()));
    }
    all
}

#[test]
fn every_preset_has_its_hashes() {
    let calls = recorded::repeated(OF_PRESETS, |_, p, steps| hashes::<Fixed>(p, steps.into()));
    assert_eq!(calls, presets::all().count());
}

/// The hashes after each of four steps, added up; the number of flocks that integers refuse counts, too.
fn sum_of<T: Number>(flocks: impl Iterator<Item = Parameters>) -> u64 {
    let mut sum = 0_u64;
    for p in flocks {
        let fits =
            formula::Prepared::new(&Rule::<T>::new(&p)).is_ok() && (!T::DIGITS || fixed::check(&p).is_ok());
        let hashes = if fits { hashes::<T>(&p, 4) } else { vec![1] };
        sum = hashes.into_iter().fold(sum, u64::wrapping_add);
    }
    sum
}

fn flock(number: u32) -> Parameters {
    random_flock::parameters(number, 60)
}

fn flock_with_terms(number: u32) -> Parameters {
    let mut p = Parameters::default();
    p.flock.boids = 40;
    random_terms::vary(&mut p, number);
    p.terms = random_terms::terms(number).1;
    p
}

/// Every parameter is varied, in integers and in f64: a bit that changes is a change of the rule. With
/// `SNAPSHOTS=overwrite` the hashes are recorded anew.
#[test]
fn random_flocks_have_their_hashes() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/brute/random.txt");
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|word| word == "overwrite");
    let recorded = std::fs::read_to_string(file).expect("the recording");
    let mut recorded = recorded.lines();
    let mut text = String::new();
    let mut record = |name: &str, first: u32, flock: fn(u32) -> Parameters| {
        let flocks = || (first..first + 8).map(flock);
        let (words, floats) = (sum_of::<Fixed>(flocks()), sum_of::<f64>(flocks()));
        let line = format!("{name} {first}: {words:016x} {floats:016x}");
        assert!(overwrite || recorded.next() == Some(&line), "now {line}");
        text += &(line + "\n");
    };
    (0..160).step_by(8).for_each(|first| record("flocks from", first, flock));
    (0..64).step_by(8).for_each(|first| record("terms from", first, flock_with_terms));
    if overwrite {
        std::fs::write(file, text).expect("written");
    }
}

//! Recorded flights from outside: repeated, compared, drawn, and refused.

use engine::Numeric;
use engines::Device;
use flight::{First, Flight, InFlight, Start};
use flock::Parameters;

use super::{Folder, json};

/// A small flock whose rule changes, and which a predator hunts, written to a file.
fn record(folder: &Folder, name: &str, numeric: Numeric) -> Flight {
    let mut parameters = config::presets::find("cornell").expect("built in").parameters().expect("allowed");
    parameters.set_boids(70);
    let predators = &mut parameters.predators;
    (predators.count, predators.weight, predators.radius) = (1, 1.0, 80.0);
    let device = Device::cpu(numeric);
    let (view, engine, first) = (config::View::default(), device.describe(), First::Seed);
    let mut flight = Flight::new(Start { preset: Some("cornell"), parameters, view, numeric, engine, first });
    let state = flight.start.state().expect("there is room");
    let mut engine = device.engine(&parameters, &state).expect("it fits").boxed();
    let mut now = InFlight::new(parameters);
    for step in 0..150 {
        if step == 40 {
            let separation = Parameters::default().separation;
            let new = InFlight::new(Parameters { separation, ..now.engine });
            engine.set_parameters(&new.engine).expect("allowed");
            flight.changes.set_parameters(step, &now, &new);
            now = new;
        }
        let position = [step as f32 * 2.0, 100.0 - step as f32, 0.0];
        engine.steer_predator(0, position).expect("a predator");
        flight.changes.steer(step, 0, position);
        engine.advance(1).expect("a step");
        if (step + 1) % 50 == 0 {
            flight.add_hash(step + 1, engine.hash().expect("finite"));
        }
    }
    flight.end = 150;
    folder.write(name, &flight.text());
    flight
}

#[test]
fn a_flight_is_repeated_with_the_recorded_hashes() {
    let folder = Folder::new();
    let flight = record(&folder, "a.flight", Numeric::Fixed);
    let cpu = folder.done("run --flight a.flight --engine cpu --hash --out last.csv");
    for at in &flight.hashes {
        assert!(cpu.stdout.contains(&format!("{},{:016x}\n", at.step, at.hash)), "{}", cpu.stdout);
    }
    assert_eq!(cpu.stdout.lines().count(), 151);
    assert_eq!(cpu.stderr, "note: a.flight: all 3 recorded hashes are equal\n");
    let gpu = folder.done("run --flight a.flight --engine gpu --hash");
    assert_eq!(gpu.stdout, cpu.stdout);
    // A part of it, and more steps than it has.
    let part = folder.done("run --flight a.flight --engine cpu --hash --steps 60");
    assert!(
        cpu.stdout.starts_with(&part.stdout)
            && part.stderr.contains("1 of 3 recorded hashes compared, all equal"),
        "{}",
        part.stderr
    );
    let more = folder.done("run --flight a.flight --engine cpu --hash --steps 160");
    assert_eq!(more.stdout.lines().count(), 161);
    assert!(more.stderr.starts_with("note: a.flight: ends at step 150; the flock"), "{}", more.stderr);
    // A recording of one hash that differs.
    let mut wrong = flight.clone();
    wrong.hashes[1].hash ^= 1;
    folder.write("wrong.flight", &wrong.text());
    let failed = folder.call("run --flight wrong.flight --engine cpu --metrics m.csv --every 50");
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert!(failed.stderr.contains("wrong.flight: the hash at step 100 is"), "{}", failed.stderr);
    assert_eq!(folder.read("m.csv").lines().count(), 5);
}

#[test]
fn in_floating_point_and_in_another_type_the_course_may_part() {
    let folder = Folder::new();
    let mut flight = record(&folder, "f.flight", Numeric::F32);
    let equal = folder.done("run --flight f.flight --engine cpu");
    assert_eq!(equal.stderr, "note: f.flight: all 3 recorded hashes are equal\n");
    let other = folder.done("run --flight f.flight --engine cpu --numeric fixed");
    assert!(
        other.stderr.contains("f.flight was recorded in f32: in fixed it takes another course"),
        "{}",
        other.stderr
    );
    flight.hashes[0].hash ^= 1;
    folder.write("f.flight", &flight.text());
    let parted = folder.done("run --flight f.flight --engine cpu");
    assert!(parted.stderr.contains("the hash at step 50 is"), "{}", parted.stderr);
    assert!(parted.stderr.contains("and f32 depends on the device"), "{}", parted.stderr);
}

#[test]
fn conform_repeats_a_flight_on_every_engine() {
    let folder = Folder::new();
    let mut flight = record(&folder, "a.flight", Numeric::Fixed);
    let agreed = folder.done("conform --flight a.flight --quiet --json all.json --require cpu");
    let row = |line: &str| line.contains("fixed") && line.ends_with("agrees");
    assert!(agreed.stdout.lines().filter(|line| row(line)).count() >= 1, "{}", agreed.stdout);
    assert!(!agreed.stdout.contains("differs"), "{}", agreed.stdout);
    let all = folder.json("all.json");
    assert_eq!(all["flight"][0]["equal_hashes"], 3);
    flight.hashes[2].hash ^= 1;
    folder.write("wrong.flight", &flight.text());
    let wrong = folder.call("conform --flight wrong.flight --quiet");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stdout.contains("differs at step 150"), "{}", wrong.stdout);
    assert!(wrong.stderr.contains("wrong.flight: cpu fixed: the hash at step 150 is"), "{}", wrong.stderr);
}

#[test]
fn a_flight_is_drawn() {
    let folder = Folder::new();
    record(&folder, "a.flight", Numeric::Fixed);
    let drawn = folder.done("render a.png --flight a.flight --engine cpu --size 320x180 --json");
    let drawn = json(&drawn.stdout);
    assert_eq!((&drawn["last_step"], &drawn["complete"]), (&150.into(), &true.into()));
    // It has the camera of whoever flew, unless an option sets one.
    let mut flight = record(&folder, "b.flight", Numeric::Fixed);
    flight.poses = vec![flight::Pose::of(0, [0.0, 0.0, 90.0, 320.0, 240.0, 0.0, 0.8])];
    folder.write("b.flight", &flight.text());
    let picture = |call: &str| {
        folder.done(&format!("render p.png --engine cpu --style cones --size 320x180 --yes --quiet {call}"));
        std::fs::read(folder.path("p.png")).expect("a picture")
    };
    let [usual, flown] = ["--flight a.flight", "--flight b.flight"].map(picture);
    assert!(usual != flown, "the camera has no effect");
    let [zoomed, left_out] = ["--flight a.flight --zoom 2", "--flight b.flight --zoom 2"].map(picture);
    assert!(zoomed == left_out && zoomed != usual, "the camera is not left out");
    let film = folder.done("render a.gif --flight a.flight --engine cpu --size 64x36 --every 50 --json");
    assert!(film.stdout.contains("\"frames\": 4"), "{}", film.stdout);
}

#[test]
fn what_cannot_be_repeated_is_refused_in_a_line() {
    let folder = Folder::new();
    let flight = record(&folder, "a.flight", Numeric::F64);
    let text = flight.text();
    folder.write("cut.flight", &text[..40]);
    folder.write("none.flight", "preset = 'cornell'\n");
    folder.write("damaged.flight", &text.replacen("\"predator\":0", "\"predator\":\"x\"", 1));
    for (call, why) in [
        ("run --flight missing.flight", "missing.flight"),
        ("run --flight cut.flight", "cut.flight:1: not a flight"),
        ("run --flight none.flight", "none.flight:1: not a flight: the first line must be JSON"),
        ("view --flight none.flight", "none.flight:1: not a flight: the first line must be JSON"),
        ("view none.flight", "none.flight:1: not a flight: the first line must be JSON"),
        ("conform --flight none.flight", "none.flight:1: not a flight"),
        ("render a.png --flight damaged.flight", "damaged.flight:2: not a line of a flight"),
        ("run --flight a.flight --preset yabi", "'--preset"),
        ("run --flight a.flight --schedule s.toml", "--schedule"),
        ("run --flight a.flight --ranks 2", "--ranks cannot be used with --flight"),
        ("run --flight a.flight --engine gpu", "a.flight is in f64, which requires --engine cpu"),
        ("run --flight a.flight --out a.flight", "--flight and --out cannot both be a.flight"),
        ("conform --flight a.flight --tier bits", "--tier"),
    ] {
        let ended = folder.call(call);
        assert!(ended.code.is_some_and(|code| code != 0), "{call}");
        assert!(ended.stderr.contains(why), "{call}: {}", ended.stderr);
        assert!(ended.stderr.lines().count() <= 2, "{call}: {}", ended.stderr);
    }
}

//! A flight that was flown, written, read, and repeated.

use flock::random::draw;
use flock::{Fixed, Parameters};

use crate::{Change, Divergence, First, Flight, InFlight, Start, parse, snapped};
use config::{View, presets};
use cpu::CpuEngine;
use engine::{Numeric, Result};

const STEPS: u64 = 90;

fn open(start: &Start) -> Box<dyn CpuEngine> {
    let state = start.state().expect("there is room");
    match start.numeric {
        Numeric::F32 => cpu::open_as::<f32>(&start.parameters, &state, Some(1)),
        Numeric::F64 => cpu::open_as::<f64>(&start.parameters, &state, Some(1)),
        Numeric::Fixed => cpu::open_as::<Fixed>(&start.parameters, &state, Some(1)),
    }
    .expect("an engine")
}

/// Flies a flock of a preset, with sliders, formulas and a falcon moved at random.
fn flown(preset: &str, numeric: Numeric, seed: u32) -> Flight {
    let document = presets::find(preset).and_then(presets::Preset::document).expect("built in");
    let mut parameters = document.parameters;
    parameters.set_boids(60);
    // Every boid perceives a predator wherever it is.
    (parameters.predators.radius, parameters.predators.weight) = (60.0, 1.0);
    let view = View { zoom: Some(1.5), ..document.view };
    let first = First::Seed;
    let start = Start { preset: document.preset, parameters, view, numeric, engine: "a test".into(), first };
    let mut engine = open(&start);
    let mut flight = Flight::new(start);
    let mut in_flight = InFlight::new(parameters);
    for step in 0..STEPS {
        let [dice, x, y, z] = draw(seed, step as u32, 0, 7);
        let held = in_flight.engine;
        let mut new = held;
        match dice % 9 {
            0 => new.separation.radius = 0.25 + f64::from(x % 1000) / 300.0,
            1 => new.alignment.weight = f64::from(x) / 1e10,
            2 => new.predators.count = (x % 3).min(2),
            3 => new.attractor.position = snapped([x, y, z].map(|c| c as f32 / 1e8), &held).map(f64::from),
            4 => {
                new.terms =
                    presets::find("vortex").and_then(presets::Preset::parameters).expect("built in").terms;
            }
            5 => new.terms = Parameters::default().terms,
            _ => {}
        }
        if new.check().is_ok() && engine.set_parameters(&new).is_ok() {
            let now = InFlight { set: if dice % 2 == 0 { new } else { in_flight.set }, engine: new };
            flight.changes.set_parameters(step, &in_flight, &now);
            in_flight = now;
        }
        let held = in_flight.engine;
        if dice % 3 > 0 && held.predators.count > 0 {
            let position = snapped([x, y, z].map(|c| c as f32 / 1e8), &held);
            engine.steer_predator(0, position).expect("a predator");
            flight.changes.steer(step, 0, position);
        }
        engine.advance(1).expect("a step");
        if (step + 1) % 30 == 0 {
            flight.add_hash(step + 1, engine.hash().expect("finite"));
        }
    }
    flight.end = STEPS;
    for step in (0..STEPS).step_by(15) {
        let turn = step as f32 / 100.0;
        let pose = [turn, 0.2, 80.0 + turn, 1.0, 2.0, turn, 0.8];
        flight.poses.push(crate::Pose::of(step, pose).rounded());
    }
    flight
}

/// Repeats a flight; the first hash that differs.
fn repeat(flight: &Flight) -> Result<Option<Divergence>> {
    let mut engine = open(&flight.start);
    Ok(flight.repeat(&mut *engine, flight.end, || false)?.divergence)
}

#[test]
fn a_flight_is_repeated_from_its_text_with_the_same_hashes() {
    let mut changed = 0;
    for (seed, (preset, numeric)) in (0..).zip([
        ("cornell", Numeric::F32),
        ("cornell", Numeric::Fixed),
        ("swarm", Numeric::Fixed),
        ("starlings", Numeric::F64),
        ("murmuration", Numeric::Fixed),
    ]) {
        let flight = flown(preset, numeric, seed);
        let text = flight.text();
        let read = parse(&text, "test").unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(read.text(), text);
        assert_eq!(
            (&read.changes, &read.hashes, read.end),
            (&flight.changes, &flight.hashes, STEPS),
            "{text}"
        );
        assert_eq!(read.poses, flight.poses);
        assert!(read.start.parameters == flight.start.parameters && read.start.view == flight.start.view);
        assert_eq!(repeat(&read).expect("repeated"), None, "{preset}");
        changed += read.changes.all().len();
        // The hash notices a step of another time.
        let mut moved = flight.clone();
        moved.hashes[0].step = 29;
        assert_eq!(repeat(&moved).expect("repeated").map(|found| found.step), Some(29), "{preset}");
    }
    assert!(changed > 200, "{changed} changes");
}

#[test]
fn a_change_at_another_step_or_a_position_a_unit_off_is_noticed() {
    let flight = flown("murmuration", Numeric::Fixed, 1);
    let all = flight.changes.all();
    let slides = |at: &crate::ChangeAt| match &at.change {
        Change::Parameters { set, .. } => set.iter().any(|text| text.starts_with("separation.radius")),
        Change::Steer { .. } => false,
    };
    let early = all.iter().position(slides).expect("a slider");
    let steered = all.iter().position(|at| matches!(at.change, Change::Steer { .. })).expect("a falcon");
    let with = |place: usize, change: &dyn Fn(&mut crate::ChangeAt)| {
        let mut other = flight.clone();
        other.changes = crate::Changes::default();
        for (k, at) in all.iter().enumerate() {
            let mut at = at.clone();
            if k == place {
                change(&mut at);
            }
            other.changes.add(at.step, at.change);
        }
        repeat(&other).expect("repeated")
    };
    assert_eq!(with(early, &|_| {}), None);
    assert!(with(early, &|at| at.step += 1).is_some());
    let unit_off = |at: &mut crate::ChangeAt| {
        if let Change::Steer { position, .. } = &mut at.change {
            position[0] += 1.0 / 64.0;
        }
    };
    assert!(with(steered, &unit_off).is_some());
}

#[test]
fn a_text_that_is_cut_off_is_a_shorter_flight_or_refused_with_its_line() {
    let mut flight = flown("swarm", Numeric::Fixed, 3);
    let state = open(&flight.start).state().expect("finite");
    flight.begin_at(state, &InFlight::new(flight.start.parameters));
    let text = flight.text();
    let header = text.find('\n').expect("lines");
    for k in 0..200 {
        let length = text.len() * k / 200;
        match parse(&text[..length], "cut") {
            Ok(shorter) => {
                assert!(length >= header && shorter.end <= flight.end);
                let count = shorter.changes.all().len();
                assert_eq!(shorter.changes.all(), &flight.changes.all()[..count]);
                assert_eq!(repeat(&shorter).expect("repeated"), None);
            }
            Err(why) => assert!(length < header && why.to_string().starts_with("cut:"), "{length}: {why}"),
        }
    }
    // A line that is damaged in the middle is no shorter flight.
    let damaged = text.replacen("\n{\"step\":", "\n{\"step\":x", 1);
    assert!(
        parse(&damaged, "f").expect_err("damaged").to_string().starts_with("f:2: not a line of a flight")
    );
}

#[test]
fn errors_name_the_line_and_what_would_be_right() {
    let flight = flown("cornell", Numeric::Fixed, 5);
    let text = flight.text();
    let with = |line: &str| {
        let text = format!("{}\n{line}\n", text.lines().next().expect("a header"));
        parse(&text, "f").expect_err(line).to_string()
    };
    for (line, why) in [
        ("{\"step\":1,\"hash\":\"1\"}", "f:2: hash must be 16 hexadecimal digits, not 1"),
        ("{\"step\":1,\"set\":[\"separation.radius=-1\"]}", "f:2: separation.radius must be "),
        ("{\"step\":1,\"set\":[\"flock.boids=9\"]}", "f:2: number, dimensions, seed"),
        ("{\"step\":1,\"set\":[\"nothing.at=9\"]}", "f:2: unknown table"),
        ("{\"step\":1,\"predator\":0}", "f:2: a predator requires either at, or scale and track"),
        ("{\"step\":1,\"track\":\"1,2,3\"}", "f:2: a track requires"),
        ("{\"step\":1,\"predator\":0,\"scale\":0,\"track\":\".9999999999\"}", "f:2: track must be"),
        ("{\"step\":9999999999}", "f:2: step must be 0 to 4294967295, not 9999999999"),
        ("{\"step\":1,\"set\":[\"view.zoom=2\"]}", "f:2: view.zoom=2 cannot change in flight"),
        ("{\"step\":1,\"set\":[],\"hash\":\"0123456789abcdef\"}", "f:2: a line must have only one of"),
        ("{\"hash\":\"0123456789abcdef\"}", "f:2: not a line of a flight: missing field"),
        ("{\"step\":1,\"what\":2}", "f:2: not a line of a flight: unknown field"),
    ] {
        let found = with(line);
        assert!(found.starts_with(why), "{found}");
    }
    let refused = |text: &str| parse(text, "f").expect_err(text).to_string();
    assert_eq!(refused(""), "f: the file is empty; a flight begins with a line of JSON");
    assert!(refused("preset = 1\n").starts_with("f:1: not a flight"));
    let later = text.replacen("\"flight\":1", "\"flight\":2", 1);
    assert_eq!(refused(&later), "f:1: the format of the flight must be 1, not 2");
    let unknown = text.replacen("\"fixed\"", "\"decimal\"", 1);
    assert!(refused(&unknown).starts_with("f:1: unknown number type 'decimal'"), "{}", refused(&unknown));
}

#[test]
fn a_short_flight_is_a_link_and_a_damaged_link_is_refused() {
    let flight = flown("cornell", Numeric::Fixed, 8);
    let link = flight.link().expect("a short flight");
    let read = Flight::from_link(&link).expect("a flight");
    assert!(read.poses.is_empty() && read.changes == flight.changes && read.hashes == flight.hashes);
    for wrong in ["", "x", "####", &link[..link.len() / 2], &link.replacen('a', "b", 1)] {
        let same = Flight::from_link(wrong).is_ok_and(|read| read.text() != flight.text());
        assert!(!same || wrong.len() < link.len(), "{wrong}");
    }
    assert!(Flight::from_link("####").expect_err("no letters").to_string().contains("is damaged"));
    // A small link that would fill the memory.
    let zeros = miniz_oxide::deflate::compress_to_vec(&vec![b' '; 64 << 20], 10);
    let bomb = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, zeros);
    assert!(Flight::from_link(&bomb).is_err());
    // Twenty seconds of falcon, at 60 steps per second, by a hand that trembles.
    let mut twenty = Flight::new(flight.start);
    for k in 0..1200_u32 {
        let [x, y, ..] = draw(1, k, 0, 1).map(|word| (word >> 16) as f32 / 65536.0);
        let turn = k as f32 / 60.0;
        let pixels = [(300.0 * turn.sin() + x).round(), (200.0 * (1.3 * turn).cos() + y).round()];
        let position = [320.0 + pixels[0] * 0.9, 240.0 + pixels[1] * 0.9, 0.0];
        twenty.changes.steer(u64::from(k), 0, snapped(position, &twenty.start.parameters));
    }
    let length = twenty.link().map(|link| link.len());
    assert!(length.is_some(), "longer than {}", crate::LONGEST_LINK);
    for k in 0..40_000_u32 {
        let position = draw(2, k, 0, 1).map(|word| (word >> 16) as f32);
        twenty.changes.steer(2000 + u64::from(k), 0, [position[0], position[1], position[2]]);
    }
    assert_eq!(twenty.link(), None);
}

#[test]
fn a_flight_that_is_written_while_it_is_recorded_is_the_same() {
    let whole = flown("murmuration", Numeric::Fixed, 4);
    let mut growing = Flight::new(whole.start.clone());
    let mut writer = crate::Writer::default();
    let mut text = growing.header();
    for step in 0..=STEPS {
        growing.end = step;
        for at in whole.changes.at(step) {
            growing.changes.add(at.step, at.change.clone());
        }
        whole.hash(step).into_iter().for_each(|hash| growing.add_hash(step, hash));
        if step % 7 == 0 {
            text += &writer.lines(&growing, step);
            let read = parse(&text, "journal").expect("a flight");
            assert_eq!(read.end, step);
            assert!(read.changes.all().iter().all(|at| at.step < step));
            assert_eq!(repeat(&read).expect("repeated"), None);
        }
    }
    text += &writer.lines(&growing, u64::MAX);
    let read = parse(&text, "journal").expect("a flight");
    assert_eq!((&read.changes, &read.hashes, read.end), (&whole.changes, &whole.hashes, whole.end));
}

/// A long flight loses its beginning while a falcon flies, which later leaves.
#[test]
fn a_flight_that_begins_with_a_falcon_ends_without_it() {
    let mut flight = flown("murmuration", Numeric::Fixed, 6);
    let set = flight.start.parameters;
    let mut now = InFlight::new(set);
    now.engine.predators.count += 1;
    let mut engine = open(&Start { parameters: now.engine, ..flight.start.clone() });
    engine.advance(7).expect("steps");
    flight.changes.truncate(0);
    flight.hashes.clear();
    flight.begin_at(engine.state().expect("finite"), &now);
    let alone = InFlight::new(set);
    flight.changes.set_parameters(12, &now, &alone);
    engine.advance(5).expect("steps");
    engine.set_parameters(&set).expect("allowed");
    engine.advance(8).expect("steps");
    flight.add_hash(20, engine.hash().expect("finite"));
    flight.end = 20;
    let read = parse(&flight.text(), "test").expect("a flight");
    assert_eq!(repeat(&read).expect("repeated"), None);
    let mut replay = read.replay();
    let mut again = open(&read.start);
    again.advance(5).expect("steps");
    for step in [7, 12] {
        assert_eq!(read.changes.at(step).len(), 1, "{step}");
    }
    replay.change(&mut *again).expect("accepted");
    assert_eq!(again.state().expect("finite").predators.len(), set.predators.count as usize + 1);
}

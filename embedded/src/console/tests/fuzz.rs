//! Damaged lines, received byte by byte: each is answered, and none does harm.

use super::{COMMANDS, Line, Session, answer, arena, of_boids};
use crate::cores::tests::Sequential;
use crate::image::PRESETS;
use core::cell::Cell;
use flock::parameters::{PARAMETERS, Parameters};
use std::format;
use std::string::String;
use std::vec::Vec;

#[path = "../../../../tests/support/fuzz.rs"]
mod fuzzer;

/// The longest line of an answer, but for `list`, `get` and `state`, which print values.
const LONGEST: usize = 240;

/// Boids of the flock that a case begins with.
const BOIDS: u32 = 12;

/// Lines of a case that are answered.
const LINES: usize = 300;

/// Steps of a command before a key stops it.
const STEPS: u32 = 2;

/// The lines of cases: all commands, with every parameter of a preset.
fn texts() -> Vec<Vec<u8>> {
    let words = "put boid 3 1 ffffffff 0 4 5 0 7 1 2\nput predator 0 1 2 0 4 5 0\nput step 7\nhash\nstate\n";
    let simple =
        "boids 9\nseed 3\nstep 2\nhashes 2\nkernel plain\nstep\nkernel assembly\nstep\nrun\npause\ncycles\n";
    let sphere = "obstacle { position = [1.5, -2, 0], radius = 4 }\n";
    let all: String = COMMANDS.iter().map(|(name, arguments, ..)| format!("{name} {arguments}\n")).collect();
    let mut texts = Vec::from([words, simple, sphere, &all].map(String::from));
    for (number, preset) in PRESETS.iter().enumerate() {
        texts.push(format!("preset {}\nboids {number}\nstep 2\nstatus\nlist\n", preset.name));
        texts.push(preset.values.iter().map(|(name, value)| format!("set {name} {value}\n")).collect());
    }
    for number in 0..12 {
        let settings = settings(&crate::random_flock::parameters(number, BOIDS));
        texts.push(format!("begin\n{settings}commit\ncapacity\nbegin terms\ncommit\n"));
        texts.push(settings);
    }
    texts.into_iter().map(String::into_bytes).collect()
}

/// The lines that set all parameters.
fn settings(parameters: &Parameters) -> String {
    let line = |parameter: &flock::parameters::Parameter| {
        format!("set {} {}\n", parameter.name, parameter.get(parameters))
    };
    PARAMETERS.iter().map(line).collect()
}

/// True if the answer is printable text, with one last line that says how it ended.
fn answered_well(line: &str, out: &str) -> bool {
    let last = out.lines().last().unwrap_or_default();
    let errors = out.lines().filter(|line| line.starts_with("error: ")).count();
    let ends = last == "ok" && errors == 0 || last.starts_with("error: ") && errors == 1;
    assert!(ends && out.ends_with('\n'), "{line:?}: {last:?} after {errors} errors");
    let prints = last == "ok" && ["list", "get", "state"].iter().any(|name| line.starts_with(name));
    for text in out.lines() {
        assert!(text.len() <= LONGEST || prints, "{line:?}: {text:?}");
        assert!(!text.chars().any(char::is_control), "{line:?}: {text:?}");
    }
    last == "ok"
}

/// True if a line has its stated effect; a refused line changes nothing.
fn ask(session: &mut Session<'_>, line: &str) -> bool {
    let (parameters, hash) = (*session.parameters(), session.engine.hash());
    let made = Cell::new(0);
    let key = || {
        made.set(made.get() + 1);
        made.get() >= STEPS
    };
    let mut out = String::new();
    answer(session, &Sequential, &key, line, &mut out).expect("a string takes all");
    let good = answered_well(line, &out);
    session.parameters().check().expect("they go together");
    assert_eq!(session.parameters().flock.boids as usize, session.engine.boids(), "{line:?}");
    if !good {
        assert_eq!(*session.parameters(), parameters, "{line:?}");
        assert!(out.contains("stopped after step") || session.engine.hash() == hash, "{line:?}");
    }
    good
}

/// The output of `list` sets another board to the same bits.
fn listed_values_come_back(session: &mut Session<'_>) {
    let mut listed = String::new();
    answer(session, &Sequential, &|| false, "list", &mut listed).expect("a string takes all");
    for (parameter, line) in PARAMETERS.iter().zip(listed.lines()) {
        let (value, _) = line.rsplit_once(';').expect("a range");
        let (_, value) = value.split_once(" = ").expect("a value");
        let value = value.strip_suffix(parameter.unit).expect("a unit").trim_end();
        let parsed = crate::value::parse(parameter.kind, value);
        assert_eq!(parsed, Some(parameter.get(session.newest())), "{line}");
    }
}

#[test]
fn damaged_lines_are_answered_and_do_no_harm() {
    let mut words: Vec<Vec<u8>> = COMMANDS.iter().map(|(name, ..)| name.as_bytes().to_vec()).collect();
    words.extend(PRESETS.iter().map(|preset| preset.name.as_bytes().to_vec()));
    words.extend(["position", "radius", "assembly", "plain"].map(|word| word.as_bytes().to_vec()));
    words.extend(fuzzer::parameter_words());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..").into();
    let arena = arena();
    let target = fuzzer::Target { name: "console", root, texts: texts(), words };
    target.run(|text| {
        let mut session = of_boids(&arena, BOIDS);
        let (mut line, mut lines, mut good) = (Line::new(), 0, true);
        for byte in text {
            if !line.push(*byte) || lines == LINES {
                continue;
            }
            lines += 1;
            match line.text() {
                Ok("") => {}
                Ok(text) => good &= ask(&mut session, text),
                Err(fault) => {
                    good = false;
                    assert!(!answered_well("", &format!("error: {fault}\n")));
                }
            }
            line.clear();
        }
        session.engine.step(&Sequential);
        listed_values_come_back(&mut session);
        good
    });
}

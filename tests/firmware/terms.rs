//! Custom terms on the board: the bits of the CPU's integers, and the memory that they take.

use board::Rp2040Engine;
use board::engine::FITS_ANY_RULE;
use engine::{Engine, EngineError, State, rule};
use flock::formula::FormulaTerms;
use flock::{Fixed, Parameters};

use super::bits::{compare, on_cpu};
use super::random_terms::{terms, vary};
use super::{board, image, parameters};

const STEPS: u32 = 3;

/// The flock of a file of the gallery, with a number of boids.
pub fn example(name: &str, boids: u32) -> Parameters {
    let text = std::fs::read_to_string(format!("presets/formulas/{name}.toml")).expect("a file");
    let mut parameters = config::parse(&text, name).unwrap_or_else(|error| panic!("{error}")).parameters;
    parameters.set_boids(boids);
    parameters
}

/// The formula of a number, and its flock.
fn random(number: u32) -> (String, Parameters) {
    let (text, terms) = terms(number);
    let mut p = parameters("murmuration", 2 + number % 2, 24);
    vary(&mut p, number);
    (format!("{number}: {text}"), Parameters { terms, ..p })
}

#[test]
fn the_gallery_and_random_formulas_have_the_bits_of_the_cpu() {
    let Some(mut board) = board() else { return };
    let gallery = ["vortex", "sorting", "mill", "consensus"].map(|name| (name.to_owned(), example(name, 30)));
    let mut flown = 0;
    for (name, p) in gallery.into_iter().chain((0..12).map(random)) {
        let start = State::start(&p);
        if rule::<Fixed>(&p, start.boids.len()).is_err() {
            continue;
        }
        let mut engine = compare(board, &p, STEPS, &name);
        let count = p.terms.terms().len();
        let said = engine.board.ask_one("terms").expect("a count");
        assert!(said.starts_with(&format!("{count} terms of ")), "{name}: {said}");
        if flown < 4 {
            // Negative control.
            let none = Parameters { terms: FormulaTerms::default(), ..p };
            let hash = engine.board.ask_one("hash").expect("a hash");
            assert_ne!(Some(&hash), on_cpu(&none, &start, STEPS).last(), "{name}: nothing comes of it");
        }
        flown += 1;
        board = engine.board;
    }
    assert!(flown > 8, "only {flown} fit integers");
}

/// An image with its own flock executes the script's lines after a reset.
#[test]
fn the_lines_of_a_script_have_a_board_fly_the_flock() {
    let Some(mut board) = board() else { return };
    let p = example("vortex", 50);
    let recorded = self::board().expect("an image").recorded();
    let engine = Rp2040Engine::on(recorded, &p, &State::start(&p)).expect("it fits the board");
    let script = engine.board.machine.script();
    let expected = on_cpu(&p, &State::start(&p), 2);
    let (terms, others): (Vec<&str>, Vec<&str>) = script.lines().partition(|line| line.starts_with("terms"));
    for line in &others {
        board.ask(line).expect(line);
    }
    // Negative control.
    assert_ne!(board.ask("hashes 2").expect("hashes"), expected);
    for line in others.iter().chain(&terms) {
        board.ask(line).expect(line);
    }
    assert_eq!(board.ask("hashes 2").expect("hashes"), expected);
}

/// Nothing takes more memory than terms and exact velocities do together; the refusal names the number that fits.
#[test]
fn the_number_that_fits_any_rule_fits_terms_and_exact_velocities() {
    let Some(image) = image() else { return };
    let with = |dimensions, boids| {
        let mut p = example("vortex", boids);
        (p.flock.dimensions, p.alignment.unit) = (dimensions, true);
        Rp2040Engine::new(&image, &p, &State::start(&p)).map(drop)
    };
    for (dimensions, fits) in (2..).zip(FITS_ANY_RULE) {
        match with(dimensions, 4000) {
            Err(EngineError::TooMany { most, .. }) => assert_eq!(most, u64::from(fits), "{dimensions}-D"),
            other => panic!("{other:?}"),
        }
        assert!(with(dimensions, fits).is_ok(), "{dimensions}-D");
    }
}

#[test]
fn other_values_and_other_terms_replace_those_that_fly() {
    let Some(board) = board() else { return };
    let p = example("vortex", 60);
    let start = State::start(&p);
    let mut engine = compare(board, &p, STEPS, "vortex");
    let mut stronger = p;
    stronger.terms.set("terms.swirl.strength", 0.06).expect("in range");
    // A parameter that the formula names.
    let mut elsewhere = p;
    elsewhere.home.position[0] += 1.0;
    let none = Parameters { terms: FormulaTerms::default(), ..p };
    let mut last = Vec::new();
    for other in [&stronger, &elsewhere, &none, &p] {
        engine.set_parameters(other).expect("they fit");
        engine.set_state(&start).expect("it fits");
        let found = engine.board.ask(&format!("hashes {STEPS}")).expect("hashes");
        assert_eq!(found, on_cpu(other, &start, STEPS));
        assert_ne!(found, last, "the change shows");
        last = found;
    }
}

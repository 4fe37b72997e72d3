//! Custom terms on the board: the bits of the CPU's integers, and nothing from what is damaged.

use board::engine::FITS_ANY_RULE;
use board::{Board, Rp2040Engine, script};
use engine::{Engine, EngineError, State, rule};
use flock::formula::{OwnTerms, Prepared};
use flock::parameters::Edges;
use flock::random::{draw, stream};
use flock::{Fixed, Parameters, Rule};

use super::bits::on_cpu;
use super::random_terms::terms;
use super::{board, hash, image, parameters, refused, scope};

const STEPS: u32 = 3;

/// The flock of a file of the gallery, with a number of boids.
pub fn example(name: &str, boids: u32) -> Parameters {
    let text = std::fs::read_to_string(format!("presets/formulas/{name}.toml")).expect("a file");
    let mut parameters = config::parse(&text, name).unwrap_or_else(|error| panic!("{error}")).parameters;
    parameters.set_boids(boids);
    parameters
}

/// The hashes of the board, the engine with it.
fn on_board(p: &Parameters) -> Option<(Rp2040Engine, Vec<String>)> {
    Some(fly(board()?, p))
}

fn fly(board: Board, p: &Parameters) -> (Rp2040Engine, Vec<String>) {
    let mut engine = Rp2040Engine::on(board, p, &State::start(p)).expect("it fits the board");
    let lines = engine.board.ask(&format!("hashes {STEPS}")).expect("hashes");
    (engine, lines)
}

#[test]
fn the_gallery_and_random_formulas_have_the_bits_of_the_cpu() {
    let gallery = ["vortex", "sorting", "mill", "consensus"].map(|name| (name.to_owned(), example(name, 30)));
    let random = (0..scope::choose(12, 24)).map(|number| {
        let (text, terms) = terms(number);
        let mut p = parameters("murmuration", 2 + number % 2, 24);
        (p.world.min, p.world.max) = ([-4.0, -3.0, -5.0], [5.0, 6.0, 4.0]);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.0, 1.5, 1.5);
        (p.motion.max_speed, p.motion.gain, p.motion.time_step, p.flock.seed) = (0.5, 0.5, 0.25, number);
        if number.is_multiple_of(2) {
            (p.scouts.right, p.scouts.left, p.scouts.bias) = (0.3, 0.1, 0.25);
        } else {
            for part in [3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] {
                p.flock.groups.push(part).expect("room");
            }
        }
        p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][number as usize % 3];
        (format!("{number}: {text}"), Parameters { terms, ..p })
    });
    let Some(mut board) = board() else { return };
    let mut flown = 0;
    for (name, p) in gallery.into_iter().chain(random) {
        let start = State::start(&p);
        if rule::<Fixed>(&p, start.boids.len()).is_err() {
            continue;
        }
        // One board takes them all.
        let (mut engine, lines) = fly(board, &p);
        assert_eq!(lines, on_cpu(&p, &start, STEPS), "{name}");
        let count = p.terms.terms().len();
        let said = engine.board.ask_one("terms").expect("a count");
        assert!(said.starts_with(&format!("{count} terms of ")), "{name}: {said}");
        // Negative control.
        let none = Parameters { terms: OwnTerms::default(), ..p };
        assert!(lines[1..] != on_cpu(&none, &start, STEPS)[1..] || flown > 3, "{name}: nothing comes of it");
        flown += 1;
        board = engine.board;
    }
    assert!(flown > 12, "only {flown} fit integers");
}

/// An image with its own flock executes the script's lines after a reset.
#[test]
fn the_lines_of_a_script_have_a_board_fly_the_flock() {
    let Some(image) = image() else { return };
    let (p, mut board) = (example("vortex", 50), board().expect("an image"));
    let lines = script(&image, &p).expect("it fits the board");
    let expected = on_cpu(&p, &State::start(&p), 2);
    let (terms, others): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.starts_with("terms"));
    for line in &others {
        board.ask(line).expect(line);
    }
    // Negative control.
    assert_ne!(board.ask("hashes 2").expect("hashes"), expected);
    for line in others.iter().chain(&terms) {
        board.ask(line).expect(line);
    }
    assert_eq!(board.ask("hashes 2").expect("hashes"), expected);
    let refused = script(&image, &example("vortex", 5000)).expect_err("too many").to_string();
    assert!(refused.contains("5000") && refused.contains("rp2040"), "{refused}");
}

/// Terms and exact sums take memory: the first refusal names the number that fits in the end.
#[test]
fn a_flock_that_is_too_large_is_refused_with_the_number_that_fits_its_terms() {
    let Some(image) = image() else { return };
    let with = |boids| {
        let p = example("vortex", boids);
        Rp2040Engine::new(&image, &p, &State::start(&p)).map(drop)
    };
    let Err(EngineError::TooMany { most, .. }) = with(3000) else { panic!("3,000 boids fit") };
    let most = u32::try_from(most).expect("few");
    assert!(with(most).is_ok(), "{most}");
}

/// Nothing takes more memory than terms and exact velocities do together.
#[test]
fn the_number_that_fits_any_rule_fits_terms_and_exact_velocities() {
    let Some(image) = image() else { return };
    for (dimensions, fits) in (2..).zip(FITS_ANY_RULE) {
        let mut p = example("vortex", 4000);
        (p.flock.dimensions, p.alignment.unit) = (dimensions, true);
        match Rp2040Engine::new(&image, &p, &State::start(&p)) {
            Err(EngineError::TooMany { most, .. }) => assert_eq!(most, u64::from(fits), "{dimensions}-D"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn other_values_and_other_terms_replace_those_that_fly() {
    let p = example("vortex", 60);
    let start = State::start(&p);
    let Some((mut engine, lines)) = on_board(&p) else { return };
    let again = |engine: &mut Rp2040Engine, p: &Parameters| {
        engine.set_parameters(p).expect("they fit");
        engine.set_state(&start).expect("it fits");
        engine.board.ask(&format!("hashes {STEPS}")).expect("hashes")
    };
    let mut stronger = p;
    stronger.terms.set("terms.swirl.strength", 0.06).expect("in range");
    // A parameter that the formula names.
    let mut elsewhere = p;
    elsewhere.home.position[0] += 1.0;
    let none = Parameters { terms: OwnTerms::default(), ..p };
    for other in [&stronger, &elsewhere, &none] {
        let found = again(&mut engine, other);
        assert_eq!(found, on_cpu(other, &start, STEPS));
        assert!(found[0] == lines[0] && found[1..] != lines[1..]);
    }
    assert_eq!(again(&mut engine, &p), lines);
}

#[test]
fn damaged_terms_do_not_fly_and_the_flock_of_those_that_do_is_not_changed() {
    let Some(mut board) = board() else { return };
    for line in ["preset cornell", "boids 50"] {
        board.ask(line).expect(line);
    }
    let before = (hash(&mut board), board.ask("list").expect("the parameters"));
    for (line, part) in [
        ("terms fly 1 0", "do not match their checksum"),
        ("terms fly -1 0", "a length"),
        ("terms fly nan 0", "a length"),
        ("terms 0 1 x", "hexadecimal"),
        ("terms 809 0", "number of a word"),
        ("terms 808 0 0", "possible there"),
        ("terms 297 15", "possible there"),
        ("terms 1 2", "possible there"),
        ("terms over", "number of a word"),
        ("terms off now", "unexpected `now`"),
        ("terms fly 1 0", "do not match their checksum"),
    ] {
        assert!(refused(&mut board, line).contains(part), "{line}");
    }
    let mut sent = Prepared::<Fixed>::EMPTY;
    board.ask("terms off").expect("dropped");
    // One term whose request is register 0 …
    for (at, word) in [(8, 1 << 16), (10, 1 << 24)] {
        assert_eq!(sent.set_word(at, word), Some(()));
        board.ask(&format!("terms {at} {word:x}")).expect("a word");
    }
    // … of which one bit is wrong.
    board.ask("terms 8 10001").expect("a word");
    assert!(refused(&mut board, &format!("terms fly 1 {:x}", sent.checksum(1.0))).contains("checksum"));
    board.ask("terms 8 10000").expect("a word");
    assert!(refused(&mut board, &format!("terms fly 2 {:x}", sent.checksum(1.0))).contains("checksum"));
    board.ask(&format!("terms fly 1 {:x}", sent.checksum(1.0))).expect("they fly");
    assert_eq!(board.ask_one("terms").expect("a count"), "1 terms of 1 instructions");
    for line in ["set cohesion.radius 9", "boids 40", "seed 4", "terms 0 1", "terms fly 1 0"] {
        assert!(refused(&mut board, line).contains("`terms off` drops them"), "{line}");
    }
    assert_eq!((hash(&mut board), board.ask("list").expect("the parameters")), before);
    for (line, said) in [
        ("preset cornell", "0 terms of 0 instructions"),
        ("set cohesion.radius 9", "0 terms of 0 instructions"),
    ] {
        board.ask(line).expect(line);
        assert_eq!(board.ask_one("terms").expect("a count"), said);
    }
}

/// Words of no compiler, with their right checksum: the flock may fly anyhow, and the board goes on.
#[test]
fn whatever_words_fly_the_board_goes_on() {
    let Some(mut board) = board() else { return };
    for flock in 0..scope::choose(4, 12) {
        for line in ["preset cornell", "boids 12", &format!("set flock.dimensions {}", 2 + flock % 2)] {
            board.ask(line).expect(line);
        }
        let mut sent = Prepared::<Fixed>::EMPTY;
        for first in (0..Prepared::WORDS).step_by(80) {
            let mut line = format!("terms {first}");
            for at in first..Prepared::WORDS.min(first + 80) {
                let [word, mask, ..] = draw(flock, 7, at as u32, stream::DRAWN);
                // Numbers of any size; operations, ranges and registers that there are.
                let word = match at {
                    1..113 if (at - 1) % 7 < 2 => 0x60_0000 | word & 0x1f,
                    1..113 if (at - 1) % 7 == 2 => word | 1 << 24,
                    297.. if at % 2 == 1 => (word & 0xffff_ff00) | (word % 21),
                    _ if mask % 2 == 0 => word,
                    _ => word >> (mask >> 3 & 31),
                };
                assert_eq!(sent.set_word(at, word), Some(()), "word {at}");
                line += &format!(" {:x}", sent.word(at));
            }
            board.ask(&line).expect("words");
        }
        // The greatest is as wide as words hold; a wider one is refused.
        let reach = [0.0, 25.0, 32768.0][flock as usize % 3];
        let wider = format!("terms fly 32769.0 {:x}", sent.checksum(32769.0));
        assert!(board.ask(&wider).expect_err("too wide").to_string().contains("at most 32768"));
        board.ask(&format!("terms fly {reach:?} {:x}", sent.checksum(reach))).expect("they fly");
        board.ask("step 3").expect("it steps");
    }
    // And without them as if nothing had been.
    for line in ["preset cornell", "boids 50"] {
        board.ask(line).expect(line);
    }
    let p = parameters("cornell", 2, 50);
    assert_eq!(board.ask("hashes 2").expect("hashes"), on_cpu(&p, &State::start(&p), 2));
}

/// The constants on which the tests above rely.
#[test]
fn words_are_where_the_tests_take_them_to_be() {
    assert_eq!(Prepared::<Fixed>::WORDS, 809);
    let mut p = example("vortex", 5);
    p.flock.dimensions = 3;
    let prepared = Prepared::new(&Rule::<Fixed>::new(&p)).expect("it fits").expect("terms");
    assert_eq!([prepared.word(8) & 0xffff, prepared.word(10) >> 24], [0, 1]);
    assert_eq!(prepared.word(8) >> 16, prepared.counts()[1] as u32);
}

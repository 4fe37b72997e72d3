//! The console answers valid, invalid and random lines.

use super::{board, hash};
use board::{Board, BoardError};

/// Marsaglia's xorshift.
struct Random(u32);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.next() % words.len()]
    }
}

#[test]
fn good_lines_do_what_they_say() {
    let Some(mut board) = board() else { return };
    let one =
        |board: &mut Board, line: &str| board.ask_one(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    board.ask("preset holoviews").expect("a preset");
    board.ask("boids 40").expect("boids");
    assert!(one(&mut board, "status").contains("preset holoviews boids 40 of"));
    board.ask("set cohesion.radius 30.5").expect("in range");
    assert!(one(&mut board, "get cohesion.radius").starts_with("cohesion.radius = 30.5"));
    let start = hash(&mut board);
    assert!(start.starts_with("0,"), "{start}");
    board.ask("step 3").expect("steps");
    assert!(hash(&mut board).starts_with("3,"));
    board.ask("seed 77").expect("a seed");
    let other = hash(&mut board);
    assert!(other.starts_with("0,") && other != start, "another seed is another start");
    board.ask("seed 1").expect("a seed");
    assert_eq!(hash(&mut board), start, "and the first one is the first start");
}

#[test]
fn the_serial_line_greets_and_is_silent_while_another_channel_asks() {
    let Some(mut board) = board() else { return };
    let greeting = format!("{}\n", board.greeting);
    let sent =
        |board: &mut Board| String::from_utf8(board.machine.chip.bus.drain_uart0_tx_log()).expect("text");
    assert_eq!(sent(&mut board).replace('\r', ""), greeting);
    board.ask("status").expect("an answer");
    assert_eq!(sent(&mut board), "");
}

#[test]
fn bad_lines_are_refused_in_a_line_and_change_nothing() {
    let Some(mut board) = board() else { return };
    board.ask("boids 50").expect("boids");
    let before = (hash(&mut board), board.ask("list").expect("the parameters"));
    for (line, part) in [
        ("fly", "fly"),
        ("step -1", "whole number"),
        ("step 1 2", "nothing"),
        ("boids 1000000", "at most"),
        ("boids many", "whole number"),
        ("preset sparrows", "sparrows"),
        ("set cohesion.radios 3", "cohesion.radios"),
        ("set cohesion.radius wide", "a number from"),
        ("set cohesion.radius -1", "a number from"),
        ("set motion.min_speed 100", "motion.max_speed"),
        ("get", "parameter"),
        ("put boid 50 1 2 3 4 5 6 7 0 0", "boid"),
        ("put boid 0 1 2", "boid"),
        ("put boid 0 1 2 0 4 5 0 7 9 0", "group"),
        ("hash me", "nothing"),
    ] {
        match board.ask(line) {
            Err(BoardError::Refused(why)) => {
                assert!(why.contains(part) || line.starts_with("put") || line == "get", "{line}: {why}");
            }
            other => panic!("{line} gave {other:?}"),
        }
    }
    assert_eq!((hash(&mut board), board.ask("list").expect("the parameters")), before);
}

#[test]
fn random_lines_do_no_harm() {
    let Some(mut board) = board() else { return };
    board.ask("boids 50").expect("boids");
    let before = hash(&mut board);
    let mut random = Random(2040);
    for round in 0..150 {
        let noise: String = match round % 3 {
            // Any printable characters.
            0 => (0..random.next() % 90).map(|_| char::from((random.next() % 94 + 33) as u8)).collect(),
            // Words of commands in a random order.
            1 => {
                let words =
                    ["get", "cohesion.radius", "put", "boid", "=", "[1", "9e99", "-", "status", "list"];
                let first = random.of(&["=", "]", "radius", "get get", "list list", "hash 0x"]);
                let rest: Vec<&str> = (0..random.next() % 6).map(|_| random.of(&words)).collect();
                format!("{first} {}", rest.join(" "))
            }
            // A line that may be too long.
            _ => "x".repeat(random.next() % 2000),
        };
        match board.ask(&format!("!{noise}")) {
            Err(BoardError::Refused(_)) => {}
            other => panic!("{noise:?} gave {other:?}"),
        }
        if round % 50 == 0 {
            assert_eq!(hash(&mut board), before, "after {noise:?}");
        }
    }
    assert_eq!(hash(&mut board), before);
    // Negative control: a step changes the hash.
    board.ask("step 1").expect("a step");
    assert_ne!(hash(&mut board), before);
}

//! The console answers valid, invalid and random lines.

use super::{board, hash, refused};
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
        ("step -1", "steps must be 0 to 1000000"),
        ("step 1 2", "unexpected `2`"),
        ("boids 1000000", "at most"),
        ("boids many", "whole number"),
        ("preset sparrows", "unknown preset `sparrows`"),
        ("set cohesion.radios 3", "cohesion.radios"),
        ("set cohesion.radius wide", "a number from"),
        ("set cohesion.radius -1", "a number from"),
        ("set motion.min_speed 100", "motion.max_speed"),
        ("get", "parameter"),
        ("put boid 50 1 2 3 4 5 6 7 0 0", "boid"),
        ("put boid 0 1 2", "boid"),
        ("put boid 0 1 2 0 4 5 0 7 9 0", "group"),
        ("hash me", "unexpected `me`"),
        ("commit", "`commit` requires `begin`"),
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
fn a_batch_changes_all_or_nothing() {
    let Some(mut board) = board() else { return };
    for line in ["preset cornell", "boids 50"] {
        board.ask(line).expect(line);
    }
    let before = (hash(&mut board), board.ask("list").expect("the parameters"));
    let good = ["set motion.min_speed 9", "set motion.max_speed 12", "seed 5"];
    let long = format!("set cohesion.radius {}", "1".repeat(1100));
    for (bad, committed) in [
        ("set cohesion.radius -1", "a line since `begin` was refused"),
        // Lines that are received damaged.
        ("set cohesion.radius 3\u{7}", "a line since `begin` was refused"),
        (&long, "a line since `begin` was refused"),
    ] {
        board.ask("begin").expect("a batch");
        good.iter().for_each(|line| drop(board.ask(line).expect(line)));
        refused(&mut board, bad);
        assert!(refused(&mut board, "commit").contains(committed), "{bad}");
        assert_eq!((hash(&mut board), board.ask("list").expect("the parameters")), before, "{bad}");
    }
    // Limits between parameters, and the memory.
    for (line, why) in [
        ("set motion.max_speed 2", "motion.min_speed must be at most motion.max_speed, not 3.0"),
        ("boids 5000", "flock.boids must be at most "),
    ] {
        for line in ["begin", line] {
            board.ask(line).expect(line);
        }
        assert!(refused(&mut board, "commit").starts_with(why), "{line}");
        assert_eq!((hash(&mut board), board.ask("list").expect("the parameters")), before, "{line}");
    }
    // A second `begin` forgets the first.
    for line in ["begin", "boids 5000", "begin"].iter().chain(&good).chain(&["capacity"]) {
        board.ask(line).expect(line);
    }
    assert_eq!(hash(&mut board), before.0);
    board.ask("commit").expect("they fit");
    assert_ne!(hash(&mut board), before.0);
    assert_eq!(board.ask_one("get motion.max_speed").expect("a value"), "motion.max_speed = 12.0");
    assert!(refused(&mut board, "commit").contains("requires `begin`"));
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

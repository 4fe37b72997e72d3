//! An image with a flight in it: what somebody flew in the window is on the screen of the board, bit for bit.

use std::path::Path;

use board::{Board, Image};
use flight::Flight;

use crate::screen::{self, Screen};
use crate::{hash, image};

/// The flight that somebody flew, and the image that `cargo xtask firmware` builds of it.
const FLOWN: &str = "tests/firmware/falcon.flight";
const BUILT: &str = "target/firmware/falcon-125.uf2";
/// The screen at its last hash.
const RECORDED: &str = "docs/pictures/falcon-board.png";
const SEEN: &str = "target/firmware/falcon-screen.png";

/// A board with that image.
fn board() -> Option<(Flight, Board)> {
    // Without the firmware there is none of a flight.
    image()?;
    let flight = flight::load(Path::new(FLOWN)).expect("a flight");
    let image =
        Image::read(Path::new(BUILT)).expect("`cargo xtask firmware tests/firmware/falcon.flight` builds it");
    Some((flight, Board::boot(&image).expect("the firmware runs")))
}

/// The step of a board's flock.
fn step(board: &mut Board) -> u64 {
    hash(board).split_once(',').and_then(|(step, _)| step.parse().ok()).expect("a step")
}

#[test]
fn an_image_shows_what_was_flown_with_the_recorded_hashes() {
    let Some((flight, mut board)) = board() else { return };
    assert!(flight.hashes.len() > 5 && flight.changes.all().len() > 300);
    let first = step(&mut board);
    let mut now = first;
    for at in flight.hashes.iter().filter(|at| at.step >= first) {
        board.ask(&format!("step {}", at.step - now)).expect("stepped");
        now = at.step;
        assert_eq!(hash(&mut board), format!("{},{:016x}", at.step, at.hash));
    }
    let seen = Screen::watch(&mut board.machine).expect("a picture");
    std::fs::write(SEEN, seen.png().expect("packed")).expect("written");
    let differs = screen::differing(&seen.colours(), &screen::read(Path::new(RECORDED)));
    assert!(
        differs <= screen::LOST,
        "{differs} pixels differ: {SEEN} is what was seen; where it is right it becomes {RECORDED}"
    );
}

#[test]
fn whoever_moves_the_falcon_flies_from_there() {
    let Some((flight, mut board)) = board() else { return };
    let last = flight.hashes.last().expect("hashes");
    board.ask("steer 0 900000 800000 0").expect("steered");
    let now = step(&mut board);
    board.ask(&format!("step {}", last.step - now)).expect("stepped");
    assert_ne!(hash(&mut board), format!("{},{:016x}", last.step, last.hash));
}

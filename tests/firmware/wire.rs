//! `conform --serial` over a pseudo-terminal, with the emulated board at the other end.

use std::ffi::CStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::process::{Command, Output, Stdio};
use std::ptr::null_mut;
use std::sync::mpsc;
use std::thread;

use board::{Board, BoardError, Image};

use super::image;

/// A pseudo-terminal: the board's end, and the program's, which stays open so that the program can reopen it.
struct Wire {
    board: File,
    program: File,
    port: String,
}

impl Wire {
    fn new() -> Self {
        let (mut board, mut program) = (-1, -1);
        // SAFETY: both pointers are valid; name, settings and size are optional.
        let made =
            unsafe { libc::openpty(&raw mut board, &raw mut program, null_mut(), null_mut(), null_mut()) };
        assert_eq!(made, 0, "a pseudo-terminal");
        // SAFETY: both are open and owned here.
        let (board, program) = unsafe { (File::from_raw_fd(board), File::from_raw_fd(program)) };
        let mut name = [0; 128];
        // SAFETY: the handle is open, and the length is that of the array.
        let named = unsafe { libc::ttyname_r(program.as_raw_fd(), name.as_mut_ptr(), name.len()) };
        assert_eq!(named, 0, "its name");
        // SAFETY: the array holds a zero-terminated name.
        let port = unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().expect("a path").to_owned();
        Wire { board, program, port }
    }
}

/// A fault of a board.
#[derive(Clone, Copy)]
enum Fault {
    /// The hash of one step, whose line begins so.
    Hash(&'static str),
    /// Its firmware is of before there were batches.
    Old,
}

/// Passes lines to the board and its answers back, until the line closes.
fn serve(line: &File, mut board: Board, fault: Option<Fault>) {
    let mut out = line;
    for asked in BufReader::new(line).lines() {
        let Ok(asked) = asked else { return };
        if asked.is_empty() {
            continue;
        }
        let unknown = matches!(fault, Some(Fault::Old)) && asked == "begin";
        let wrong = if let Some(Fault::Hash(begin)) = fault { Some(begin) } else { None };
        let answer = match board.ask(if unknown { "start" } else { &asked }) {
            Ok(lines) => lines.iter().chain([&"ok".to_owned()]).map(|line| lied(line, wrong)).collect(),
            Err(BoardError::Refused(why)) => format!("error: {why}\n"),
            Err(other) => panic!("{asked}: {other}"),
        };
        out.write_all(answer.as_bytes()).expect("sent");
    }
}

/// A line of an answer; with its last digit changed where it begins so.
fn lied(line: &str, wrong: Option<&str>) -> String {
    match wrong.and_then(|begin| line.strip_prefix(begin)) {
        Some(rest) => {
            let (kept, last) = rest.split_at(rest.len() - 1);
            format!("{}{kept}{}\n", wrong.unwrap_or_default(), if last == "0" { "1" } else { "0" })
        }
        None => format!("{line}\n"),
    }
}

fn conform(port: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
    command.args([
        "conform", "--preset", "cornell", "--tier", "bits", "--steps", "5", "--quiet", "--serial", port,
    ]);
    command.env_remove("XDG_RUNTIME_DIR").stdin(Stdio::null()).output().expect("the program starts")
}

/// The output of `conform` for the board behind a line, and the board's row of its table.
fn compare(image: Image, fault: Option<Fault>) -> (Output, String) {
    let wire = Wire::new();
    let (ready, booted) = mpsc::channel();
    let line = wire.board;
    let server = thread::spawn(move || {
        let board = Board::boot(&image).expect("the firmware runs");
        ready.send(()).expect("somebody waits");
        serve(&line, board, fault);
    });
    booted.recv().expect("a board");
    let output = conform(&wire.port);
    drop(wire.program);
    server.join().expect("the board answered all");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = format!("rp2040, {}", wire.port);
    let row = table.lines().find(|row| row.starts_with(&name)).unwrap_or_default();
    let row = format!("{row}\n{}", String::from_utf8_lossy(&output.stderr).replace(&wire.port, "PORT"));
    (output, row)
}

#[test]
fn a_board_on_a_serial_line_is_compared_and_has_the_same_bits() {
    let Some(image) = image() else { return };
    let (output, row) = compare(image, None);
    assert_eq!(output.status.code(), Some(0), "{row}");
    assert!(row.contains("equal, 5 steps") && row.contains("agrees"), "{row}");
}

#[test]
fn a_wrong_hash_from_a_serial_line_is_named() {
    let Some(image) = image() else { return };
    let (output, row) = compare(image, Some(Fault::Hash("3,")));
    assert_eq!(output.status.code(), Some(1), "{row}");
    let named = "error: rp2040, PORT fixed: bits, cornell 2-D, 1 boids: step 3, hash: ";
    assert!(row.contains("6 of 6 differ") && row.contains(named), "{row}");
}

#[test]
fn firmware_of_before_there_were_batches_is_called_too_old() {
    let Some(image) = image() else { return };
    let (output, row) = compare(image, Some(Fault::Old));
    assert_eq!(output.status.code(), Some(1), "{row}");
    assert!(row.contains("the firmware is too old") && row.contains("`cargo xtask flash`"), "{row}");
}

#[test]
fn what_is_no_board_is_refused_in_a_line() {
    let silent = Wire::new();
    let file = tempfile::NamedTempFile::new().expect("a file");
    for (port, code, why) in [
        ("/dev/nothing-of-this-name", 2, "No such file"),
        (file.path().to_str().expect("a path"), 2, "not a terminal: allowed is a board's serial port"),
        (&silent.port, 1, "the firmware does not answer `pause`: allowed is a board that runs murmuration"),
    ] {
        let output = conform(port);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why) && said.contains(&format!("--serial {port}: ")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

//! The console of the board: over its debug channel, over a pseudo-terminal as on a desk, and on a second emulator.

use std::path::Path;
use std::process::{Command, Stdio};

use board::{Board, BoardError};
use config::presets::PRESETS;
use engine::State;
use flock::parameters::find;

use super::bits::on_cpu;
use super::{board, hash, image, parameters};
use crate::scope::{self, Scope};

/// The reason for which the board refuses a line.
fn refused(board: &mut Board, line: &str) -> String {
    match board.ask(line) {
        Err(BoardError::Refused(why)) => why,
        other => panic!("{line} gave {other:?}"),
    }
}

#[test]
fn lines_are_executed_refused_or_known_to_be_damaged() {
    let Some(mut board) = board() else { return };
    for line in ["preset holoviews", "boids 40", "set cohesion.radius 30.5", "step 3"] {
        board.ask(line).expect(line);
    }
    assert!(board.ask_one("status").expect("an answer").contains("preset holoviews boids 40 of"));
    assert!(board.ask_one("get cohesion.radius").expect("a value").starts_with("cohesion.radius = 30.5"));
    let before = hash(&mut board);
    assert!(before.starts_with("3,"), "{before}");
    let long = format!("set cohesion.radius {}", "1".repeat(1100));
    for damaged in ["set cohesion.radius 3\u{7}", &long, "set cohesion.radius -1"] {
        for line in ["begin", "set motion.min_speed 9", "seed 5"] {
            board.ask(line).expect(line);
        }
        refused(&mut board, damaged);
        assert!(refused(&mut board, "commit").contains("a line since `begin` was refused"), "{damaged}");
    }
    assert_eq!(hash(&mut board), before);
    // Negative control: a step changes the hash.
    board.ask("step 1").expect("a step");
    assert_ne!(hash(&mut board), before);
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

const LIBRARY: &str = "target/firmware/second/node_modules/rp2040js/dist/esm/index.js";
const FIRMWARE: &str = "target/firmware/cornell-125.uf2";

/// `rp2040js`, an independent emulator, has one core and a serial line with input.
#[test]
fn a_second_emulator_has_the_same_hashes_for_every_preset_on_one_core() {
    const BOIDS: u32 = 40;
    const STEPS: u32 = 4;
    if image().is_none() || scope::left_to_all("the second emulator of the board") {
        return;
    }
    if !Path::new(LIBRARY).exists() {
        scope::missing(Scope::All, &format!("{LIBRARY}: `cargo xtask setup test-all` installs it"));
        return;
    }
    let mut lines = "pause\n".to_owned();
    let mut expected = Vec::new();
    for (k, preset) in PRESETS.iter().enumerate() {
        let dimensions = 3 - k as u32 % 2;
        let p = parameters(preset.name, dimensions, BOIDS);
        // Fewer boids first: in 3-D a preset's own number may not fit.
        lines += &format!("preset {}\nboids {BOIDS}\nset flock.dimensions {dimensions}\n", preset.name);
        // Set explicitly: scaling the world in other steps rounds its size differently.
        for name in ["world.min", "world.max", "world.margin", "home.half_extent", "home.wander"] {
            lines += &format!("set {name} {}\n", find(name).expect("named in the table").get(&p));
        }
        lines += &format!("seed {}\nhashes {STEPS}\n", p.flock.seed);
        expected.extend(on_cpu(&p, &State::start(&p), STEPS));
    }
    let asked = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(asked.path(), lines).expect("written");
    let mut node = Command::new("node");
    node.args(["tests/firmware/second.mjs", LIBRARY, FIRMWARE]);
    let output = node.stdin(Stdio::from(asked.reopen().expect("opened"))).output().expect("Node.js runs");
    assert!(output.status.success(), "{output:?}");
    let answers = String::from_utf8(output.stdout).expect("text");
    assert!(answers.starts_with("murmuration") && answers.contains("one core"), "{answers}");
    let hashes: Vec<&str> = answers.lines().map(str::trim).filter(|line| line.contains(',')).collect();
    assert_eq!(hashes, expected, "{answers}");
}

/// `conform --serial` over a pseudo-terminal, with the emulated board at the other end.
#[cfg(unix)]
mod serial {
    use std::ffi::CStr;
    use std::fs::File;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::fd::{AsRawFd as _, FromRawFd as _};
    use std::process::{Command, Output, Stdio};
    use std::ptr::null_mut;
    use std::thread;

    use board::Board;

    use crate::board;

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
            let made = unsafe {
                libc::openpty(&raw mut board, &raw mut program, null_mut(), null_mut(), null_mut())
            };
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

    /// Passes lines to the board and its answers back, until the line closes. A board that lies has a digit more in the
    /// hash of step 3.
    fn serve(mut line: File, mut board: Board, lies: bool) {
        for asked in BufReader::new(line.try_clone().expect("a handle")).lines() {
            let Ok(asked) = asked else { return };
            if asked.is_empty() {
                continue;
            }
            let mut lines = board.ask(&asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
            for answer in lines.iter_mut().filter(|answer| lies && answer.starts_with("3,")) {
                let last = if answer.ends_with('0') { '1' } else { '0' };
                answer.pop();
                answer.push(last);
            }
            lines.push("ok\n".to_owned());
            line.write_all(lines.join("\n").as_bytes()).expect("sent");
        }
    }

    fn conform(port: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
        command.args([
            "conform", "--preset", "cornell", "--tier", "bits", "--steps", "5", "--quiet", "--serial", port,
        ]);
        command.env_remove("XDG_RUNTIME_DIR").stdin(Stdio::null()).output().expect("the program starts")
    }

    #[test]
    fn a_board_on_a_serial_line_is_compared_and_a_wrong_hash_is_named() {
        for lies in [false, true] {
            let Some(board) = board() else { return };
            let wire = Wire::new();
            let line = wire.board;
            let server = thread::spawn(move || serve(line, board, lies));
            let output = conform(&wire.port);
            drop(wire.program);
            server.join().expect("the board answered all");
            let table = String::from_utf8_lossy(&output.stdout).into_owned();
            let name = format!("rp2040, {}", wire.port);
            let row = table.lines().find(|row| row.starts_with(&name)).unwrap_or_default();
            let said = String::from_utf8_lossy(&output.stderr).replace(&wire.port, "PORT");
            assert_eq!(output.status.code(), Some(i32::from(lies)), "{row}\n{said}");
            if lies {
                let named = "error: rp2040, PORT fixed: bits, cornell 2-D, 1 boids: step 3, hash: ";
                assert!(row.contains("6 of 6 differ") && said.contains(named), "{row}\n{said}");
            } else {
                assert!(row.contains("equal, 5 steps") && row.contains("agrees"), "{row}");
            }
        }
    }

    #[test]
    fn what_is_no_board_is_refused_in_a_line() {
        let silent = Wire::new();
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (port, code, why) in [
            ("/dev/nothing-of-this-name", 2, "no such file"),
            (file.path().to_str().expect("a path"), 2, "not a serial port"),
            (&silent.port, 1, "the firmware does not answer `pause`"),
        ] {
            let output = conform(port);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{said}");
            assert!(said.contains(why) && said.contains(&format!("--serial {port}: ")), "{said}");
            let hints = said.lines().skip(1).filter(|line| line.starts_with("hint: ")).count();
            assert!(said.starts_with("error: ") && said.lines().count() == 1 + hints, "{said}");
        }
    }
}

//! # A terminal on the emulated board
//!
//! `cargo run --example console -- FIRMWARE` connects standard input and output to the console of the firmware. It ends
//! after the input, once the board has answered.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use board::{Image, Machine};

/// Cycles between two polls of the input: 10 ms of emulated time.
const POLL: u64 = 1_250_000;
/// Cycles of silence after the last line that end its answer: 2 s.
const SILENCE: u64 = 250_000_000;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("error: which firmware? for instance target/firmware/cornell.uf2");
        return ExitCode::from(2);
    };
    match Image::read(Path::new(&path)) {
        Ok(image) => match Machine::boot(&image) {
            Some(mut machine) => {
                talk(&mut machine, &typed());
                ExitCode::SUCCESS
            }
            None => ExitCode::FAILURE,
        },
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn typed() -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line + "\n").is_err() {
                break;
            }
        }
    });
    receive
}

fn talk(machine: &mut Machine, typed: &Receiver<String>) {
    let mut heard = 0;
    loop {
        machine.run(POLL);
        while let Some(line) = machine.take_line() {
            heard = machine.cycles();
            let mut out = std::io::stdout().lock();
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return;
            }
        }
        match typed.try_recv() {
            Ok(line) => machine.send(&line),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) if machine.cycles() - heard > SILENCE => return,
            Err(TryRecvError::Disconnected) => {}
        }
    }
}

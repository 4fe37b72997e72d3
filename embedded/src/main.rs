//! # The firmware: murmuration on a Raspberry Pi Pico
//!
//! Both cores step the flock. Core 0 answers the console between steps.
#![no_std]
#![no_main]

mod board;

use board::cores::BothCores;
use board::{MHZ, rtt, serial, video};
use firmware::console::{self, Line};
use firmware::memory::Word;
use firmware::session::Session;
use firmware::{image, vga};

/// The second-stage boot loader, which runs from RAM and configures the flash for fast reading.
#[unsafe(link_section = ".boot2")]
#[unsafe(no_mangle)]
#[used]
static BOOT2_FIRMWARE: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// Words of the arena: the memory left by the framebuffer, the variables and 21½ KiB for core 0's stack.
const ARENA: usize = 21_664;

static ARENA_WORDS: [Word; ARENA] = [const { Word::new(0) }; ARENA];

// This entry also frees the spinlocks, which a software reset leaves claimed.
#[rp2040_hal::entry]
#[allow(clippy::panic, reason = "the image was built wrong: the handler of panics prints why")]
fn main() -> ! {
    let both = board::start();
    hello(&mut serial::Line, both);
    hello(&mut rtt::Channel, both);
    let preset = image::find(image::START).unwrap_or(&image::PRESETS[0]);
    // Borrowed, so that the stack holds the session only once.
    match &mut Session::new(&ARENA_WORDS, preset) {
        Ok(session) => {
            if let Err(line) = console::begin_script(session, &BothCores, image::SCRIPT) {
                invalid(line);
            }
            serve(session)
        }
        Err(refusal) => panic!("{refusal}"),
    }
}

fn hello(out: &mut dyn core::fmt::Write, both: bool) {
    let cores = if both { "two cores" } else { "one core" };
    // Writing to a channel never fails.
    let _ = writeln!(out, "murmuration {} on {cores} at {} MHz", env!("CARGO_PKG_VERSION"), MHZ);
}

#[allow(clippy::panic, reason = "the image was built wrong: the handler of panics prints why")]
fn invalid(line: &str) -> ! {
    panic!("invalid line in the image: {line}")
}

/// The main loop: steps and draws the flock, and answers both channels of the console.
fn serve(session: &mut Session<'_>) -> ! {
    // Never fails: taken only once.
    let Some([from_wire, from_probe]) = cortex_m::singleton!(: [Line; 2] = [Line::new(), Line::new()]) else {
        board::cores::halt()
    };
    let mut changed = true;
    loop {
        match console::play(session, &BothCores) {
            Ok(moved) => changed |= moved,
            Err(line) => invalid(line),
        }
        // Wait until the beam leaves the picture: drawing then finishes before it returns.
        let shown = video::sent();
        loop {
            while let Some((byte, lost)) = serial::take() {
                if lost {
                    from_wire.lose();
                }
                changed |= listen(session, from_wire, byte, &mut serial::Line);
            }
            while let Some(byte) = rtt::take() {
                changed |= listen(session, from_probe, byte, &mut rtt::Channel);
            }
            if video::sent() != shown {
                break;
            }
        }
        if changed {
            session.drawing = vga::draw(session, &BothCores, &video::canvas(), MHZ);
            changed = false;
        }
    }
}

/// True if a byte other than a line ending was received. Discards all received bytes.
fn key() -> bool {
    let wire = core::iter::from_fn(serial::take).map(|(byte, _)| byte);
    wire.chain(core::iter::from_fn(rtt::take)).any(|byte| !matches!(byte, b'\n' | b'\r'))
}

/// Receives a byte, and answers the line that it ends. Returns true if there was an answer.
fn listen(session: &mut Session<'_>, line: &mut Line, byte: u8, out: &mut dyn core::fmt::Write) -> bool {
    if !line.push(byte) {
        return false;
    }
    let answered = line.text() != Ok("");
    // Writing to a channel never fails.
    let _ = match line.text() {
        Ok("") => Ok(()),
        Ok(text) => console::answer(session, &BothCores, &key, text, out),
        Err(fault) => {
            session.spoil();
            writeln!(out, "error: {fault}")
        }
    };
    line.clear();
    answered
}

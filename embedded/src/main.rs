//! # The firmware: murmuration on a Raspberry Pi Pico
//!
//! Core 0 answers the console between the steps; both cores step the flock.
#![no_std]
#![no_main]

mod board;

use board::cores::{self, Cores};
use board::{clocks, rtt, serial, video};
use firmware::console::{Line, commands};
use firmware::memory::Word;
use firmware::session::Session;
use firmware::{picture, presets};
use rp2040_hal::pac;

/// Runs before everything else, from RAM: sets the flash up for fast reading.
#[unsafe(link_section = ".boot2")]
#[unsafe(no_mangle)]
#[used]
static BOOT2_FIRMWARE: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// Words of the arena: what the framebuffer, the variables and 18 KiB for core 0's stack leave of the memory.
const ARENA: usize = 22_560;

static ARENA_WORDS: [Word; ARENA] = [const { Word::new(0) }; ARENA];

// It frees the spinlocks, which a reset by software leaves as they were.
#[rp2040_hal::entry]
fn main() -> ! {
    // Taken once, here: nobody has taken it before.
    let Some(device) = pac::Peripherals::take() else { cores::halt() };
    let mut parts = clocks::start(device);
    rtt::start();
    let pins = parts.pins;
    let open = serial::start(parts.uart0, pins.gpio0, pins.gpio1, &mut parts.resets, parts.peripheral);
    assert!(open, "the serial line's clock cannot make its rate");
    let cable = video::Pins {
        sync: (pins.gpio16, pins.gpio17),
        green: (pins.gpio18, pins.gpio19),
        blue: pins.gpio20,
        red: pins.gpio21,
    };
    let both = cores::start(&mut parts.psm, &mut parts.ppb, &mut parts.fifo);
    let shown = video::start(cable, parts.pio0, parts.pio1, parts.dma, &mut parts.resets);
    assert!(shown.is_some(), "the screen's programs do not fit");
    hello(&mut serial::Line, both);
    hello(&mut rtt::Channel, both);
    let preset = presets::find(presets::START).unwrap_or(&presets::PRESETS[0]);
    // Borrowed, not moved: the stack holds it once.
    match &mut Session::new(&ARENA_WORDS, preset) {
        Ok(session) => fly(session),
        Err(refusal) => panic!("{refusal}"),
    }
}

fn hello(out: &mut dyn core::fmt::Write, both: bool) {
    let cores = if both { "two cores" } else { "one core" };
    // The channels never fail.
    let _ = writeln!(out, "murmuration {} on {cores} at {} MHz", env!("CARGO_PKG_VERSION"), clocks::MHZ);
}

/// Steps the flock, shows it, and answers both channels of the console, for ever.
fn fly(session: &mut Session<'_>) -> ! {
    // Taken once, here.
    let Some([from_wire, from_probe]) = cortex_m::singleton!(: [Line; 2] = [Line::new(), Line::new()]) else {
        cores::halt()
    };
    let mut changed = true;
    loop {
        if session.running {
            session.engine.step(&Cores);
            changed = true;
        }
        // Drawn as the beam leaves the picture, however long the step took: it comes back to one that is whole.
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
            session.drawing = picture::draw(session, &Cores, &video::canvas(), clocks::MHZ);
            changed = false;
        }
    }
}

/// Whether a byte came in that ends no line; it is taken off.
fn key() -> bool {
    let wire = core::iter::from_fn(serial::take).map(|(byte, _)| byte);
    wire.chain(core::iter::from_fn(rtt::take)).any(|byte| !matches!(byte, b'\n' | b'\r'))
}

/// Takes in a byte of a line, and answers the line that it ends; says whether it did.
fn listen(session: &mut Session<'_>, line: &mut Line, byte: u8, out: &mut dyn core::fmt::Write) -> bool {
    if !line.push(byte) {
        return false;
    }
    let answered = line.text() != Ok("");
    // The channels never fail.
    let _ = match line.text() {
        Ok("") => Ok(()),
        Ok(text) => commands::answer(session, &Cores, &key, text, out),
        Err(fault) => writeln!(out, "error: {fault}"),
    };
    line.clear();
    answered
}

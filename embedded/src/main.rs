//! # The firmware: murmuration on a Raspberry Pi Pico
//!
//! Core 0 answers the console and steps its share of the flock, core 1 steps the rest.
#![no_std]
#![no_main]

mod board;

use board::{clocks, cores, rtt, serial};
use core::fmt::Write as _;
use rp2040_hal::pac;

/// Runs before everything else, from RAM: sets the flash up for fast reading.
#[unsafe(link_section = ".boot2")]
#[unsafe(no_mangle)]
#[used]
static BOOT2_FIRMWARE: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

#[cortex_m_rt::entry]
fn main() -> ! {
    // Taken once, here: nobody has taken it before.
    let Some(device) = pac::Peripherals::take() else { cores::halt() };
    let mut parts = clocks::start(device);
    rtt::start();
    let pins = parts.pins;
    serial::start(parts.uart0, pins.gpio0, pins.gpio1, &mut parts.resets, parts.peripheral);
    let both = cores::start(&mut parts.psm, &mut parts.ppb, &mut parts.fifo);
    let cores = if both { "both cores" } else { "one core" };
    let _ =
        writeln!(serial::Line, "murmuration {} on {cores} at {} MHz", env!("CARGO_PKG_VERSION"), clocks::MHZ);
    let _ =
        writeln!(rtt::Channel, "murmuration {} on {cores} at {} MHz", env!("CARGO_PKG_VERSION"), clocks::MHZ);
    loop {
        cortex_m::asm::wfe();
    }
}

//! The serial line: UART0 on GPIO0 (out) and GPIO1 (in), 115,200 baud, eight bits, no parity.
//!
//! Byte by byte through the registers, so that the panic handler can speak whoever held the line before.

use fugit::{HertzU32, RateExtU32};
use rp2040_hal::gpio::bank0::{Gpio0, Gpio1};
use rp2040_hal::gpio::{FunctionNull, FunctionUart, Pin, PullDown, PullNone, PullUp};
use rp2040_hal::pac::{RESETS, UART0, uart0};
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};

/// Opens the line; false where its clock cannot make the rate.
pub fn start(
    device: UART0,
    out: Pin<Gpio0, FunctionNull, PullDown>,
    input: Pin<Gpio1, FunctionNull, PullDown>,
    resets: &mut RESETS,
    clock: HertzU32,
) -> bool {
    let out: Pin<_, FunctionUart, PullNone> = out.reconfigure();
    // Pulled up, a line that nobody holds is silent.
    let input: Pin<_, FunctionUart, PullUp> = input.reconfigure();
    let config = UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    // The line stays open when the value that stands for it is gone.
    UartPeripheral::new(device, (out, input), resets).enable(config, clock).is_ok()
}

/// The line, for writing text; it waits while the line is busy.
pub struct Line;

impl core::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        text.bytes().for_each(put);
        Ok(())
    }
}

/// Sends a byte, as soon as the queue has room.
pub fn put(byte: u8) {
    let line = registers();
    while line.uartfr().read().txff().bit_is_set() {}
    line.uartdr().write(|w| {
        // SAFETY: every byte is one that the line can send.
        unsafe { w.data().bits(byte) }
    });
}

/// The next byte that came in, and whether others before it were lost because nobody took them in time. One that came
/// in broken is 0xff, which no text holds.
pub fn take() -> Option<(u8, bool)> {
    let line = registers();
    if line.uartfr().read().rxfe().bit_is_set() {
        return None;
    }
    let word = line.uartdr().read();
    let broken = word.fe().bit_is_set() || word.pe().bit_is_set() || word.be().bit_is_set();
    Some((if broken { 0xff } else { word.data().bits() }, word.oe().bit_is_set()))
}

fn registers() -> &'static uart0::RegisterBlock {
    // SAFETY: the address is the device's own; a byte is written or read in one access.
    unsafe { &*UART0::ptr() }
}

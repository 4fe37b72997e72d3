//! The serial line: UART0 on GPIO0 (out) and GPIO1 (in), 115,200 baud, eight bits, no parity.
//!
//! Accesses the registers directly, so that the panic handler can write at any time.

use fugit::{HertzU32, RateExtU32};
use rp2040_hal::gpio::bank0::{Gpio0, Gpio1};
use rp2040_hal::gpio::{FunctionNull, FunctionUart, Pin, PullDown, PullNone, PullUp};
use rp2040_hal::pac::{RESETS, UART0, uart0};
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};

/// Opens the line; false if the clock cannot produce the baud rate.
pub fn start(
    device: UART0,
    out: Pin<Gpio0, FunctionNull, PullDown>,
    input: Pin<Gpio1, FunctionNull, PullDown>,
    resets: &mut RESETS,
    clock: HertzU32,
) -> bool {
    let out: Pin<_, FunctionUart, PullNone> = out.reconfigure();
    // Pulled up, an unconnected line stays idle.
    let input: Pin<_, FunctionUart, PullUp> = input.reconfigure();
    let config = UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    // The line stays open when this value is dropped.
    UartPeripheral::new(device, (out, input), resets).enable(config, clock).is_ok()
}

/// The line, for writing text. Waits while the transmit queue is full.
pub struct Line;

impl core::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        text.bytes().for_each(put);
        Ok(())
    }
}

/// Sends a byte when the queue has room.
pub fn put(byte: u8) {
    let line = registers();
    while line.uartfr().read().txff().bit_is_set() {}
    line.uartdr().write(|w| {
        // SAFETY: every byte is a valid value of this field.
        unsafe { w.data().bits(byte) }
    });
}

/// The next received byte, and true if bytes before it were lost to overrun. A byte with a framing, parity or break
/// error is returned as 0xff, which is not ASCII.
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
    // SAFETY: the address is that of the device, and each byte is read or written in one access.
    unsafe { &*UART0::ptr() }
}

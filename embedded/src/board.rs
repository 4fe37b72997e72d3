//! The board: clocks, console channels, cores, video, and fatal errors.

pub mod arithmetic;
pub mod clocks;
pub mod cores;
pub mod rtt;
pub mod serial;
pub mod video;

use core::fmt::{Arguments, Write as _};
use core::panic::PanicInfo;
use rp2040_hal::{Sio, gpio, pac};

/// Starts all devices. Returns true if there are both cores.
pub fn start() -> bool {
    // Never fails: taken only once.
    let Some(device) = pac::Peripherals::take() else { cores::halt() };
    let (mut resets, mut psm, mut ppb) = (device.RESETS, device.PSM, device.PPB);
    let supply = (device.WATCHDOG, device.VREG_AND_CHIP_RESET);
    let sources = (device.XOSC, device.CLOCKS, device.PLL_SYS, device.PLL_USB);
    let frequency = clocks::start(supply, sources, &mut resets);
    let mut sio = Sio::new(device.SIO);
    let pins = gpio::Pins::new(device.IO_BANK0, device.PADS_BANK0, sio.gpio_bank0, &mut resets);
    rtt::start();
    let open = serial::start(device.UART0, pins.gpio0, pins.gpio1, &mut resets, frequency);
    assert!(open, "the serial clock cannot reach the baud rate");
    let both = cores::start(&mut psm, &mut ppb, &mut sio.fifo);
    let sync = (pins.gpio16, pins.gpio17);
    let colours = (pins.gpio18, pins.gpio19, pins.gpio20, pins.gpio21);
    let shown = video::start(sync, colours, device.PIO0, device.PIO1, device.DMA, &mut resets);
    assert!(shown.is_some(), "the PIO programs do not fit");
    both
}

/// A fatal error: a last line on both channels, then halt.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    stop(format_args!("fatal: {info}"))
}

/// A fault of the processor, such as an access to unmapped memory.
#[cortex_m_rt::exception]
unsafe fn HardFault(frame: &cortex_m_rt::ExceptionFrame) -> ! {
    stop(format_args!("fatal: hard fault at {:#010x}, from {:#010x}", frame.pc(), frame.lr()))
}

/// Writes the last line to both channels and halts this core.
fn stop(line: Arguments<'_>) -> ! {
    cortex_m::interrupt::disable();
    // Memory first: the serial line may not be open.
    let _ = writeln!(rtt::Channel, "{line}");
    let _ = writeln!(serial::Line, "\r\n{line}\r");
    cores::halt()
}

//! The board: clocks, console channels, cores, video, and fatal errors.

pub mod arithmetic;
pub mod cores;
pub mod rtt;
pub mod serial;
pub mod video;

use core::fmt::{Arguments, Write as _};
use core::panic::PanicInfo;
use fugit::{HertzU32, RateExtU32};
use rp2040_hal::clocks::{Clock, ClockSource, ClocksManager};
use rp2040_hal::pac::vreg_and_chip_reset::vreg::VSEL_A;
use rp2040_hal::pac::{self, CLOCKS, PLL_SYS, PLL_USB, RESETS, XOSC};
use rp2040_hal::pll::common_configs::PLL_USB_48MHZ;
use rp2040_hal::pll::{PLLConfig, setup_pll_blocking};
use rp2040_hal::watchdog::Watchdog;
use rp2040_hal::xosc::setup_xosc_blocking;
use rp2040_hal::{Sio, gpio, vreg};

/// Frequency of both cores, chosen when the firmware is built.
pub const MHZ: u32 = match env!("FIRMWARE_MHZ").as_bytes() {
    b"250" => 250,
    _ => 125,
};

/// Frequency of the Pico's crystal, in Hz.
const CRYSTAL: u32 = 12_000_000;

/// Starts all devices. Returns true if there are both cores.
pub fn start() -> bool {
    // Never fails: taken only once.
    let Some(device) = pac::Peripherals::take() else { cores::halt() };
    let (mut resets, mut psm, mut ppb) = (device.RESETS, device.PSM, device.PPB);
    let supply = (device.WATCHDOG, device.VREG_AND_CHIP_RESET);
    let sources = (device.XOSC, device.CLOCKS, device.PLL_SYS, device.PLL_USB);
    let frequency = start_clocks(supply, sources, &mut resets);
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

/// Starts the clocks: the system at [`MHZ`] from its own PLL; UART and timers at 48 MHz from the other PLL, independent of
/// the system clock. Returns the frequency of the UART's clock.
fn start_clocks(
    (watchdog, mut regulator): (pac::WATCHDOG, pac::VREG_AND_CHIP_RESET),
    (crystal, clocks, system_pll, usb_pll): (XOSC, CLOCKS, PLL_SYS, PLL_USB),
    resets: &mut RESETS,
) -> HertzU32 {
    Watchdog::new(watchdog).enable_tick_generation((CRYSTAL / 1_000_000) as u8);
    if MHZ > 133 {
        // Overclocking needs more than the default 1.10 V, before the clock rises.
        vreg::set_voltage(&mut regulator, VSEL_A::VOLTAGE1_20);
        // Half a millisecond at the current clock, for the voltage to settle.
        cortex_m::asm::delay(6_000);
    }
    let xosc = must(setup_xosc_blocking(crystal, CRYSTAL.Hz()).ok());
    let mut clocks = ClocksManager::new(clocks);
    let fast =
        PLLConfig { vco_freq: HertzU32::MHz(1500), refdiv: 1, post_div1: 6, post_div2: (250 / MHZ) as u8 };
    let frequency = xosc.operating_frequency();
    let system_pll = must(setup_pll_blocking(system_pll, frequency, fast, &mut clocks, resets).ok());
    let usb_pll = must(setup_pll_blocking(usb_pll, frequency, PLL_USB_48MHZ, &mut clocks, resets).ok());
    must(clocks.reference_clock.configure_clock(&xosc, xosc.get_freq()).ok());
    must(clocks.system_clock.configure_clock(&system_pll, system_pll.get_freq()).ok());
    must(clocks.peripheral_clock.configure_clock(&usb_pll, usb_pll.get_freq()).ok());
    clocks.peripheral_clock.freq()
}

/// Unwraps a result that cannot fail with the constants above.
fn must<T>(part: Option<T>) -> T {
    part.unwrap_or_else(|| cores::halt())
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

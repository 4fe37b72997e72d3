//! Clocks. The frequency of the processor is chosen when the firmware is built.

use fugit::{HertzU32, RateExtU32};
use rp2040_hal::clocks::{Clock, ClockSource, ClocksManager};
use rp2040_hal::pac::vreg_and_chip_reset::vreg::VSEL_A;
use rp2040_hal::pac::{self, CLOCKS, PLL_SYS, PLL_USB, RESETS, XOSC};
use rp2040_hal::pll::common_configs::PLL_USB_48MHZ;
use rp2040_hal::pll::{PLLConfig, setup_pll_blocking};
use rp2040_hal::{vreg, watchdog::Watchdog, xosc::setup_xosc_blocking};

/// Frequency of both cores.
pub const MHZ: u32 = match env!("FIRMWARE_MHZ").as_bytes() {
    b"250" => 250,
    _ => 125,
};

/// Frequency of the Pico's crystal, in Hz.
const CRYSTAL: u32 = 12_000_000;

/// Starts the clocks: the system at [`MHZ`] from its own PLL; UART and timers at 48 MHz from the other PLL, independent of
/// the system clock. Returns the frequency of the UART's clock.
pub fn start(
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
    part.unwrap_or_else(|| super::cores::halt())
}

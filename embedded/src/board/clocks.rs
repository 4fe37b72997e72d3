//! Clocks. The frequency of the processor is chosen when the firmware is built.

use fugit::{HertzU32, RateExtU32};
use rp2040_hal::clocks::{Clock, ClockSource, ClocksManager};
use rp2040_hal::pac;
use rp2040_hal::pac::vreg_and_chip_reset::vreg::VSEL_A;
use rp2040_hal::pll::common_configs::PLL_USB_48MHZ;
use rp2040_hal::pll::{PLLConfig, setup_pll_blocking};
use rp2040_hal::{Sio, gpio, sio::SioFifo, vreg, watchdog::Watchdog, xosc::setup_xosc_blocking};

/// Frequency of both cores.
pub const MHZ: u32 = match env!("FIRMWARE_MHZ").as_bytes() {
    b"250" => 250,
    _ => 125,
};

/// Frequency of the Pico's crystal, in Hz.
const CRYSTAL: u32 = 12_000_000;

/// The parts of the chip that `main` distributes, with running clocks.
pub struct Parts {
    pub resets: pac::RESETS,
    pub pins: gpio::Pins,
    pub psm: pac::PSM,
    pub ppb: pac::PPB,
    pub fifo: SioFifo,
    pub uart0: pac::UART0,
    pub pio0: pac::PIO0,
    pub pio1: pac::PIO1,
    pub dma: pac::DMA,
    /// Frequency of the UART's clock.
    pub peripheral: HertzU32,
}

/// Starts the clocks: the system at [`MHZ`] from its own PLL; UART and timers at 48 MHz from the other PLL, independent of
/// the system clock.
pub fn start(device: pac::Peripherals) -> Parts {
    let mut resets = device.RESETS;
    let mut watchdog = Watchdog::new(device.WATCHDOG);
    watchdog.enable_tick_generation((CRYSTAL / 1_000_000) as u8);
    if MHZ > 133 {
        // Overclocking needs more than the default 1.10 V, before the clock rises.
        let mut regulator = device.VREG_AND_CHIP_RESET;
        vreg::set_voltage(&mut regulator, VSEL_A::VOLTAGE1_20);
        // Half a millisecond at the current clock, for the voltage to settle.
        cortex_m::asm::delay(6_000);
    }
    let xosc = must(setup_xosc_blocking(device.XOSC, CRYSTAL.Hz()).ok());
    let mut clocks = ClocksManager::new(device.CLOCKS);
    let fast =
        PLLConfig { vco_freq: HertzU32::MHz(1500), refdiv: 1, post_div1: 6, post_div2: (250 / MHZ) as u8 };
    let system_pll =
        setup_pll_blocking(device.PLL_SYS, xosc.operating_frequency(), fast, &mut clocks, &mut resets);
    let system_pll = must(system_pll.ok());
    let usb_pll = setup_pll_blocking(
        device.PLL_USB,
        xosc.operating_frequency(),
        PLL_USB_48MHZ,
        &mut clocks,
        &mut resets,
    );
    let usb_pll = must(usb_pll.ok());
    must(clocks.reference_clock.configure_clock(&xosc, xosc.get_freq()).ok());
    must(clocks.system_clock.configure_clock(&system_pll, system_pll.get_freq()).ok());
    must(clocks.peripheral_clock.configure_clock(&usb_pll, usb_pll.get_freq()).ok());

    let sio = Sio::new(device.SIO);
    let pins = gpio::Pins::new(device.IO_BANK0, device.PADS_BANK0, sio.gpio_bank0, &mut resets);
    Parts {
        resets,
        pins,
        psm: device.PSM,
        ppb: device.PPB,
        fifo: sio.fifo,
        uart0: device.UART0,
        pio0: device.PIO0,
        pio1: device.PIO1,
        dma: device.DMA,
        peripheral: clocks.peripheral_clock.freq(),
    }
}

/// Unwraps a result that cannot fail with the constants above.
fn must<T>(part: Option<T>) -> T {
    part.unwrap_or_else(|| super::cores::halt())
}

//! The chip: two cores, memory, peripherals, and what comes out of its console.

use rp2040_emu::{Config, Emulator};

use super::image::Image;
use super::rtt::Rtt;

/// How far the vector table lies behind the second-stage boot code that the flash begins with, in bytes.
const VECTORS: u32 = 0x100;
/// Cycles that the cores run before the peripherals follow. Fewer are slower; at 32 the DMA keeps the screen fed.
const QUANTUM: u32 = 32;
/// The same while the screen is dark.
const DARK_QUANTUM: u32 = 128;
/// Cycles between two looks at the console: fewer than the firmware needs to fill its ring.
const LOOK: u64 = 4_000;
/// Cycles between two searches for the control block, until it is there.
const SEARCH: u64 = 100_000;

/// An emulated RP2040 with a firmware in its flash.
pub struct Machine {
    pub(super) chip: Emulator,
    rtt: Option<Rtt>,
    /// When the control block is looked for next.
    search: u64,
    /// What is still to be given to the firmware.
    sent: Vec<u8>,
    serial: Vec<u8>,
    console: Vec<u8>,
    /// The state machines that are held while the screen is dark.
    held: Option<[u8; 2]>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("cycles", &self.cycles()).finish_non_exhaustive()
    }
}

impl Machine {
    /// Switches a board on. There is no boot ROM: it begins where the second-stage boot code hands over.
    #[must_use]
    pub fn boot(image: &Image) -> Self {
        let mut chip = Emulator::new(Config::default());
        chip.load_flash(&image.flash);
        chip.reset();
        chip.direct_boot_from_flash(VECTORS);
        chip.step_quantum = QUANTUM;
        Machine {
            chip,
            rtt: None,
            search: 0,
            sent: Vec::new(),
            serial: Vec::new(),
            console: Vec::new(),
            held: None,
        }
    }

    /// Cycles of the system clock since the board was switched on. With both cores busy this clock runs up to 1.2 times
    /// too long, as an instruction of one core waits for the other's: work is measured by [`Machine::core_cycles`].
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.chip.clock.cycles
    }

    /// Cycles that a core (0 or 1) has worked.
    #[must_use]
    pub fn core_cycles(&self, core: u8) -> u64 {
        self.chip.core_cycles(core)
    }

    /// What the firmware has set the system clock to, in Hz.
    #[must_use]
    pub fn clock(&self) -> u32 {
        self.chip.bus.sys_clk_hz()
    }

    /// Runs for a number of cycles, or a few more.
    pub fn run(&mut self, cycles: u64) {
        let end = self.cycles().saturating_add(cycles);
        self.run_until(cycles, |machine| machine.cycles() >= end);
    }

    /// Runs until something is so, or for at most so many cycles; says whether it came to be so.
    pub fn run_until(&mut self, most: u64, mut reached: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.cycles().saturating_add(most);
        loop {
            self.exchange();
            if reached(self) {
                return true;
            }
            let before = self.cycles();
            if before >= end {
                return false;
            }
            self.advance(LOOK.min(end - before));
        }
    }

    /// Holds what makes the signal for the screen, or lets it go on. Without it the machine is several times faster; the
    /// firmware answers its console, but shows no further picture, and does not fly on by itself.
    pub fn darken(&mut self, dark: bool) {
        if dark == self.held.is_some() {
            return;
        }
        match self.held.take() {
            Some(masks) => self.enable(masks, true),
            None => {
                let masks = self.running();
                self.enable(masks, false);
                self.held = Some(masks);
            }
        }
        self.chip.step_quantum = if dark { DARK_QUANTUM } else { QUANTUM };
    }

    /// Sends text to the console.
    pub fn send(&mut self, text: &str) {
        self.sent.extend(text.as_bytes());
    }

    /// Takes what the firmware has written to the console's memory ring.
    pub fn take_console(&mut self) -> Vec<u8> {
        self.exchange();
        std::mem::take(&mut self.console)
    }

    /// Takes what the firmware has written to its first UART.
    pub fn take_serial(&mut self) -> Vec<u8> {
        self.exchange();
        std::mem::take(&mut self.serial)
    }

    /// Takes the next whole line of the console, without its end, if there is one.
    pub fn take_line(&mut self) -> Option<String> {
        self.exchange();
        let end = self.console.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.console.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn advance(&mut self, cycles: u64) {
        let end = self.cycles() + cycles;
        while self.cycles() < end {
            // Only its other mode, with a thread a core, can fail.
            if self.chip.step().unwrap_or(0) == 0 {
                self.pass_time();
            }
        }
    }

    /// Lets time pass while both cores sleep; a peripheral may wake one.
    fn pass_time(&mut self) {
        self.sleep(QUANTUM);
        let pins = self.chip.bus.gpio_in;
        for block in &mut self.chip.bus.pio {
            block.step_n(QUANTUM, pins);
        }
    }

    fn sleep(&mut self, cycles: u32) {
        self.chip.clock.cycles += u64::from(cycles);
        self.chip.bus.tick_peripherals(cycles);
    }

    /// Runs while somebody looks at the pins in every cycle, until that says true, or for at most so many cycles; says
    /// whether it did.
    ///
    /// The chip steps its state machines several cycles at a time, and their pins cannot be seen in between. So they are
    /// held while the cores run an instruction, and then stepped for as many cycles, here.
    pub(super) fn watch_pins(&mut self, most: u64, mut seen: impl FnMut(u64, u32) -> bool) -> bool {
        let end = self.cycles().saturating_add(most);
        let dark = self.held.is_some();
        self.darken(false);
        self.chip.step_quantum = 1;
        let mut reached = false;
        while !reached && self.cycles() < end {
            self.exchange();
            for _ in 0..LOOK {
                let (before, pins) = (self.cycles(), self.chip.bus.gpio_in);
                let running = self.running();
                self.enable(running, false);
                if self.chip.step().unwrap_or(0) == 0 {
                    self.sleep(1);
                }
                self.enable(running, true);
                self.chip.bus.gpio_in = pins;
                for cycle in before..self.cycles() {
                    let pins = self.step_pins();
                    reached |= seen(cycle, pins);
                }
                if reached {
                    break;
                }
            }
        }
        self.chip.step_quantum = QUANTUM;
        self.darken(dark);
        reached
    }

    /// The state machines that run, as a mask a block.
    fn running(&self) -> [u8; 2] {
        let [first, second] = &self.chip.bus.pio;
        [first.sm_enabled_mask(), second.sm_enabled_mask()]
    }

    /// Lets the state machines of these masks run, or holds them.
    fn enable(&mut self, masks: [u8; 2], run: bool) {
        for (block, mask) in self.chip.bus.pio.iter_mut().zip(masks) {
            (0..4).filter(|index| mask >> index & 1 != 0).for_each(|index| block.set_sm_enabled(index, run));
        }
    }

    /// Steps the state machines by a cycle, and gives the pins' levels.
    fn step_pins(&mut self) -> u32 {
        let bus = &mut self.chip.bus;
        let mut pins = bus.sio.gpio_out & bus.sio.gpio_oe;
        for block in &mut bus.pio {
            block.step(bus.gpio_in);
            pins = pins & !block.pad_oe | block.pad_out & block.pad_oe;
        }
        bus.gpio_in = pins;
        pins
    }

    /// Carries bytes between the console and the chip.
    fn exchange(&mut self) {
        self.serial.extend(self.chip.bus.drain_uart0_tx_log());
        if self.rtt.is_none() && self.cycles() >= self.search {
            self.rtt = Rtt::find(&self.chip.bus);
            self.search = self.cycles() + SEARCH;
        }
        if let Some(rtt) = self.rtt {
            self.console.extend(rtt.take(&mut self.chip.bus));
            let given = rtt.give(&mut self.chip.bus, &self.sent);
            self.sent.drain(..given);
        }
    }
}

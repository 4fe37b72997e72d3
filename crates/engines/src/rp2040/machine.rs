//! The emulated chip: cores, memory, peripherals, and the bytes of its console.

use rp2040_emu::{Config, Emulator};

use super::image::Image;
use super::rtt::Rtt;
use super::stacks::{self, StackUse};

/// Offset of the vector table in the flash, after the second-stage boot loader.
const VECTORS: u32 = 0x100;
/// Cycles that the cores run before the peripherals follow. Fewer are slower; at most 32 keep the video signal intact.
const QUANTUM: u32 = 32;
/// The same while the video signal is held.
const DARK_QUANTUM: u32 = 128;
/// Cycles between two polls of the console: fewer than the firmware needs to fill its ring.
const POLL: u64 = 4_000;
/// Cycles between two searches for the control block, until it is found.
const SEARCH: u64 = 100_000;

/// An emulated RP2040 with a firmware in its flash.
pub struct Machine {
    pub(super) chip: Emulator,
    rtt: Option<Rtt>,
    /// The cycle of the next search for the control block.
    search: u64,
    /// Bytes not yet received by the firmware.
    sent: Vec<u8>,
    serial: Vec<u8>,
    console: Vec<u8>,
    /// The state machines that are held, while the video signal is.
    held: Option<[u8; 2]>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("cycles", &self.cycles()).finish_non_exhaustive()
    }
}

impl Machine {
    /// See [`Machine::boot`]; none where the emulator does not build.
    pub(super) fn start(image: &Image) -> Option<Self> {
        Some(Machine::boot(image))
    }

    /// Boots a board. There is no boot ROM, so execution begins after the second-stage boot loader.
    pub fn boot(image: &Image) -> Self {
        let mut chip = Emulator::new(Config::default());
        chip.load_flash(&image.flash);
        chip.reset();
        stacks::paint(&mut chip.bus);
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

    /// Cycles of the system clock since the reset. With both cores busy the emulator overestimates them by up to 20 %,
    /// because each core waits for the other's instruction; [`Machine::core_cycles`] measures work.
    pub fn cycles(&self) -> u64 {
        self.chip.clock.cycles
    }

    /// Cycles that a core (0 or 1) has executed.
    pub fn core_cycles(&self, core: u8) -> u64 {
        self.chip.core_cycles(core)
    }

    /// How much of a core's stack (0 or 1) was used since the reset.
    pub fn stack_use(&self, core: usize) -> StackUse {
        stacks::used(&self.chip.bus, core)
    }

    /// The frequency of the system clock in Hz, as the firmware has set it.
    pub fn clock(&self) -> u32 {
        self.chip.bus.sys_clk_hz()
    }

    /// Runs for at least a number of cycles.
    pub fn run(&mut self, cycles: u64) {
        let end = self.cycles().saturating_add(cycles);
        self.run_until(cycles, |machine| machine.cycles() >= end);
    }

    /// Runs until `reached` returns true, or for at most `most` cycles. Returns whether `reached` did.
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
            self.advance(POLL.min(end - before));
        }
    }

    /// Holds the video signal, or releases it. Without it emulation is several times faster. The firmware still answers its
    /// console, but it neither draws nor steps by itself.
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

    /// Takes the bytes that the firmware has written to the console channel in memory.
    pub fn take_console(&mut self) -> Vec<u8> {
        self.exchange();
        std::mem::take(&mut self.console)
    }

    /// Takes the bytes that the firmware has written to UART0.
    pub fn take_serial(&mut self) -> Vec<u8> {
        self.exchange();
        std::mem::take(&mut self.serial)
    }

    /// Takes the next complete line of the console, without its line ending.
    pub fn take_line(&mut self) -> Option<String> {
        self.exchange();
        let end = self.console.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.console.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn advance(&mut self, cycles: u64) {
        let end = self.cycles() + cycles;
        while self.cycles() < end {
            // Only the mode with a thread per core can fail.
            if self.chip.step().unwrap_or(0) == 0 {
                self.pass_time();
            }
        }
    }

    /// Advances the time while both cores sleep; a peripheral may wake one.
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

    /// Runs and calls `seen` with each cycle and its pins, until `seen` returns true, or for at most `most` cycles. Returns
    /// whether `seen` did.
    ///
    /// The emulator steps the state machines several cycles at a time, which hides the pins in between. So they are held
    /// while the cores execute an instruction, and then stepped here for as many cycles.
    pub fn watch_pins(&mut self, most: u64, mut seen: impl FnMut(u64, u32) -> bool) -> bool {
        let end = self.cycles().saturating_add(most);
        let dark = self.held.is_some();
        self.darken(false);
        self.chip.step_quantum = 1;
        let mut reached = false;
        while !reached && self.cycles() < end {
            self.exchange();
            for _ in 0..POLL {
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

    /// The running state machines, as a mask per block.
    fn running(&self) -> [u8; 2] {
        let [first, second] = &self.chip.bus.pio;
        [first.sm_enabled_mask(), second.sm_enabled_mask()]
    }

    /// Runs or holds the state machines of these masks.
    fn enable(&mut self, masks: [u8; 2], run: bool) {
        for (block, mask) in self.chip.bus.pio.iter_mut().zip(masks) {
            (0..4).filter(|index| mask >> index & 1 != 0).for_each(|index| block.set_sm_enabled(index, run));
        }
    }

    /// Steps the state machines by a cycle, and returns the levels of the pins.
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

    /// Transfers bytes between the console and the chip.
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

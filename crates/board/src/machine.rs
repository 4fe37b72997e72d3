//! The emulated chip: cores, memory, peripherals, and the bytes of its console.

use rp2040_emu::{Bus, Config, Emulator};

use super::{image::Image, take_line};

/// Offset of the vector table in the flash, after the second-stage boot loader.
const VECTORS: u32 = 0x100;
/// Cycles of the cores between updates of the peripherals. Fewer are slower; at most 32 keep the video signal intact.
const QUANTUM: u32 = 32;
/// `QUANTUM` while the video signal is held.
const DARK_QUANTUM: u32 = 128;
/// Cycles between two polls of the console: fewer than the firmware needs to fill its ring.
const POLL: u64 = 4_000;
/// The RAM of the chip, and its initial contents, as cortex-m-rt paints stacks: a chip that was just switched on may
/// hold anything.
const RAM: std::ops::Range<u32> = 0x2000_0000..0x2004_2000;
pub const PAINT: u32 = 0xcccc_cccc;
/// Cycles between two searches for the control block, until it is found.
const SEARCH: u64 = 100_000;

/// An emulated RP2040 with a firmware in its flash.
pub struct Machine {
    pub chip: Emulator,
    rtt: Option<Rtt>,
    /// The cycle of the next search for the control block.
    search: u64,
    /// Bytes not yet received by the firmware.
    sent: Vec<u8>,
    console: Vec<u8>,
    /// Masks of the held state machines, while the video signal is held.
    held: Option<[u8; 2]>,
}

// SAFETY: the only part of the chip that may be bound to a thread is the sink of its traces, which only the emulator's
// own tests can set.
unsafe impl Send for Machine {}

impl std::fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("cycles", &self.cycles()).finish_non_exhaustive()
    }
}

impl Machine {
    /// Boots a board; `None` where the emulator does not build. There is no boot ROM, so execution begins after the
    /// second-stage boot loader.
    pub fn boot(image: &Image) -> Option<Self> {
        let mut chip = Emulator::new(Config::default());
        chip.load_flash(&image.flash);
        chip.reset();
        RAM.step_by(4).for_each(|at| chip.bus.poke32(at, PAINT));
        chip.direct_boot_from_flash(VECTORS);
        chip.step_quantum = QUANTUM;
        let (sent, console) = (Vec::new(), Vec::new());
        Some(Machine { chip, rtt: None, search: 0, sent, console, held: None })
    }

    /// Cycles of the system clock since the reset. With both cores busy the emulator overestimates them by up to 20 %,
    /// because each core waits for the other's instruction; `chip.core_cycles` measures work.
    pub fn cycles(&self) -> u64 {
        self.chip.clock.cycles
    }

    /// Runs for at least `cycles` cycles.
    pub fn run(&mut self, cycles: u64) {
        let end = self.cycles().saturating_add(cycles);
        self.run_until(cycles, |machine| machine.cycles() >= end);
    }

    /// Runs until `reached` returns true, or for at most `most` cycles. Returns true if `reached` did.
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

    /// Holds or releases the video signal. Without it emulation is several times faster: the firmware answers its
    /// console, but neither draws nor steps by itself.
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

    /// Takes the next complete line of the console, without its line ending.
    pub fn take_line(&mut self) -> Option<String> {
        self.exchange();
        take_line(&mut self.console)
    }

    fn advance(&mut self, cycles: u64) {
        let end = self.cycles() + cycles;
        while self.cycles() < end {
            // Only the mode with a thread per core can fail.
            if self.chip.step().unwrap_or(0) == 0 {
                // Both cores sleep; a peripheral may wake one.
                self.chip.clock.cycles += u64::from(QUANTUM);
                self.chip.bus.tick_peripherals(QUANTUM);
                let pins = self.chip.bus.gpio_in;
                self.chip.bus.pio.iter_mut().for_each(|block| block.step_n(QUANTUM, pins));
            }
        }
    }

    /// The running state machines, as a mask per block.
    pub fn running(&self) -> [u8; 2] {
        let [first, second] = &self.chip.bus.pio;
        [first.sm_enabled_mask(), second.sm_enabled_mask()]
    }

    /// Runs or holds the state machines in the masks.
    pub fn enable(&mut self, masks: [u8; 2], run: bool) {
        for (block, mask) in self.chip.bus.pio.iter_mut().zip(masks) {
            (0..4).filter(|index| mask >> index & 1 != 0).for_each(|index| block.set_sm_enabled(index, run));
        }
    }

    /// Transfers bytes between the console and the chip.
    fn exchange(&mut self) {
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

/// The name of the control block, padded with zeros.
const NAME: [u8; 16] = *b"SEGGER RTT\0\0\0\0\0\0";
const RING: u32 = 24;

/// The two rings of the first channel of SEGGER's Real Time Transfer, by which debug probes read the memory of a chip.
///
/// The control block holds its name in 16 bytes, the number of up rings (out of the chip) and of down rings (into it),
/// and the rings with 24 bytes each: name, address, size, write index, read index, flags.
#[derive(Clone, Copy, Debug)]
struct Rtt {
    up: u32,
    down: u32,
}

/// The description of a ring.
struct Ring {
    address: u32,
    size: u32,
    write: u32,
    read: u32,
}

impl Rtt {
    /// Searches for the control block, which exists once the firmware has opened the channel.
    fn find(bus: &Bus) -> Option<Self> {
        let mut places = RAM.step_by(4).take_while(|at| at + 24 < RAM.end);
        let block = places.find(|block| (*block..).zip(NAME).all(|(at, letter)| byte(bus, at) == letter))?;
        let ups = bus.peek32(block + 16);
        let rtt = Rtt { up: block + 24, down: block + 24 + RING.checked_mul(ups)? };
        let sound = ups > 0 && bus.peek32(block + 20) > 0;
        let rings = [rtt.up, rtt.down].map(|at| ring(bus, at));
        (sound && rings.iter().all(Option::is_some)).then_some(rtt)
    }

    /// Takes the bytes that the firmware has written.
    fn take(&self, bus: &mut Bus) -> Vec<u8> {
        let Some(mut ring) = ring(bus, self.up) else { return Vec::new() };
        let mut taken = Vec::new();
        while ring.read != ring.write {
            taken.push(byte(bus, ring.address + ring.read));
            ring.read = (ring.read + 1) % ring.size;
        }
        if !taken.is_empty() {
            bus.poke32(self.up + 16, ring.read);
        }
        taken
    }

    /// Sends as many bytes as there is room for, and returns their number.
    fn give(&self, bus: &mut Bus, bytes: &[u8]) -> usize {
        let Some(mut ring) = ring(bus, self.down) else { return 0 };
        let room = (ring.read + ring.size - ring.write - 1) % ring.size;
        let count = bytes.len().min(room as usize);
        for byte in &bytes[..count] {
            put(bus, ring.address + ring.write, *byte);
            ring.write = (ring.write + 1) % ring.size;
        }
        if count > 0 {
            bus.poke32(self.down + 12, ring.write);
        }
        count
    }
}

/// The ring described at an address, if the description is valid.
fn ring(bus: &Bus, at: u32) -> Option<Ring> {
    if !RAM.contains(&(at + RING)) {
        return None;
    }
    let [address, size, write, read] = [4, 8, 12, 16].map(|offset| bus.peek32(at + offset));
    let inside = RAM.contains(&address) && size > 1 && size <= RAM.end - address;
    (inside && write < size && read < size).then_some(Ring { address, size, write, read })
}

fn byte(bus: &Bus, at: u32) -> u8 {
    bus.peek32(at & !3).to_le_bytes()[at as usize % 4]
}

fn put(bus: &mut Bus, at: u32, byte: u8) {
    let mut bytes = bus.peek32(at & !3).to_le_bytes();
    bytes[at as usize % 4] = byte;
    bus.poke32(at & !3, u32::from_le_bytes(bytes));
}

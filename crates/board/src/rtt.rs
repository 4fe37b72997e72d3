//! The host's side of SEGGER's Real Time Transfer: the console channel through the memory of the chip, as debug probes
//! read it.
//!
//! The control block holds its name in 16 bytes, the number of up rings (out of the chip) and of down rings (into it),
//! and the rings with 24 bytes each: name, address, size, write index, read index, flags.

use rp2040_emu::Bus;

/// The name of the control block, padded with zeros.
const NAME: [u8; 16] = *b"SEGGER RTT\0\0\0\0\0\0";
const RAM: std::ops::Range<u32> = 0x2000_0000..0x2004_2000;
const RING: u32 = 24;

/// The two rings of the first channel.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
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
    pub fn find(bus: &Bus) -> Option<Self> {
        let mut places = RAM.step_by(4).take_while(|at| at + 24 < RAM.end);
        let block = places.find(|block| (*block..).zip(NAME).all(|(at, letter)| byte(bus, at) == letter))?;
        let ups = bus.peek32(block + 16);
        let rtt = Rtt { up: block + 24, down: block + 24 + RING.checked_mul(ups)? };
        let sound = ups > 0 && bus.peek32(block + 20) > 0;
        let rings = [rtt.up, rtt.down].map(|at| ring(bus, at));
        (sound && rings.iter().all(Option::is_some)).then_some(rtt)
    }

    /// Takes the bytes that the firmware has written.
    pub fn take(&self, bus: &mut Bus) -> Vec<u8> {
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
    pub fn give(&self, bus: &mut Bus, bytes: &[u8]) -> usize {
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

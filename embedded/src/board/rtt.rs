//! A channel through memory, in the form of SEGGER's Real Time Transfer: any debug probe finds its control block
//! by the name in it and talks to the console with no wire but its own.
//!
//! Bytes go round in two rings. Who writes a ring moves only `write`, who reads it only `read`; equal means empty.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering, fence};

const UP: usize = 1024;
const DOWN: usize = 256;

/// One ring, as the probe reads it.
#[repr(C)]
struct Ring {
    name: AtomicU32,
    buffer: AtomicU32,
    size: AtomicU32,
    write: AtomicU32,
    read: AtomicU32,
    /// 0: what does not fit is left out.
    flags: AtomicU32,
}

impl Ring {
    const fn new() -> Self {
        let [name, buffer, size, write, read, flags] = [const { AtomicU32::new(0) }; 6];
        Ring { name, buffer, size, write, read, flags }
    }

    fn open(&self, name: &'static core::ffi::CStr, buffer: &'static [AtomicU8]) {
        self.name.store(name.as_ptr() as u32, Ordering::Relaxed);
        self.buffer.store(buffer.as_ptr() as u32, Ordering::Relaxed);
        self.size.store(buffer.len() as u32, Ordering::Relaxed);
    }
}

/// The control block.
#[repr(C)]
struct Control {
    name: [AtomicU8; 16],
    up_rings: AtomicU32,
    down_rings: AtomicU32,
    up: Ring,
    down: Ring,
}

/// Probes look for this name in the symbols before they search the memory.
#[unsafe(export_name = "_SEGGER_RTT")]
static CONTROL: Control = Control {
    name: [const { AtomicU8::new(0) }; 16],
    up_rings: AtomicU32::new(1),
    down_rings: AtomicU32::new(1),
    up: Ring::new(),
    down: Ring::new(),
};

static UP_BUFFER: [AtomicU8; UP] = [const { AtomicU8::new(0) }; UP];
static DOWN_BUFFER: [AtomicU8; DOWN] = [const { AtomicU8::new(0) }; DOWN];

/// Makes the channel known. The name is written last, and here only: a probe must not find a block half made, nor
/// the name anywhere else.
pub fn start() {
    CONTROL.up.open(c"console", &UP_BUFFER);
    CONTROL.down.open(c"console", &DOWN_BUFFER);
    fence(Ordering::SeqCst);
    for (at, byte) in CONTROL.name.iter().zip(b"TTR REGGES".iter().rev()) {
        at.store(*byte, Ordering::Relaxed);
    }
}

/// The channel, for writing text. It waits for room as long as somebody reads; what does not fit is left out.
pub struct Channel;

/// How often it looks for room before it takes it that nobody reads any more: some tenths of a second.
const PATIENCE: u32 = 4_000_000;

/// Whether nobody read when it waited last.
static UNREAD: AtomicBool = AtomicBool::new(false);

impl core::fmt::Write for Channel {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes() {
            let patience = if UNREAD.load(Ordering::Relaxed) { 1 } else { PATIENCE };
            let sent = (0..patience).any(|_| put(byte));
            UNREAD.store(!sent, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Sends a byte; false where there is no room.
fn put(byte: u8) -> bool {
    let write = CONTROL.up.write.load(Ordering::Relaxed) as usize;
    let next = if write + 1 >= UP { 0 } else { write + 1 };
    if next == CONTROL.up.read.load(Ordering::Acquire) as usize {
        return false;
    }
    if let Some(at) = UP_BUFFER.get(write) {
        at.store(byte, Ordering::Relaxed);
    }
    CONTROL.up.write.store(next as u32, Ordering::Release);
    true
}

/// The next byte that came in.
pub fn take() -> Option<u8> {
    let read = CONTROL.down.read.load(Ordering::Relaxed) as usize;
    if read == CONTROL.down.write.load(Ordering::Acquire) as usize {
        return None;
    }
    let byte = DOWN_BUFFER.get(read).map(|at| at.load(Ordering::Relaxed));
    let next = if read + 1 >= DOWN { 0 } else { read + 1 };
    CONTROL.down.read.store(next as u32, Ordering::Release);
    byte
}

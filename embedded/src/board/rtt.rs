//! A console channel through memory, in the layout of SEGGER's Real Time Transfer: a debug probe finds the control
//! block by its name and needs no other wire.

use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use critical_section::Mutex;
use rtt_target::{ChannelMode, DownChannel, UpChannel, rtt_init};

static INPUT: Mutex<RefCell<Option<DownChannel>>> = Mutex::new(RefCell::new(None));

/// Opens the channel.
pub fn start() {
    let channels = rtt_init! {
        up: { 0: { size: 1024, mode: ChannelMode::NoBlockTrim, name: "console" } }
        down: { 0: { size: 256, name: "console" } }
    };
    critical_section::with(|token| INPUT.replace(token, Some(channels.down.0)));
}

/// The channel, for writing text. It waits for room while the host reads; otherwise text that does not fit is dropped.
pub struct Channel;

/// Attempts without progress after which the host counts as absent: some tenths of a second.
const PATIENCE: u32 = 500_000;

/// True if the host was absent at the last write.
static UNREAD: AtomicBool = AtomicBool::new(false);

impl core::fmt::Write for Channel {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // SAFETY: only core 0 writes, one text at a time.
        let Some(mut output) = (unsafe { UpChannel::conjure(0) }) else { return Ok(()) };
        let mut rest = text.as_bytes();
        let mut attempts = if UNREAD.load(Relaxed) { 1 } else { PATIENCE };
        while !rest.is_empty() && attempts > 0 {
            let sent = output.write(rest);
            rest = &rest[sent..];
            attempts = if sent > 0 { PATIENCE } else { attempts - 1 };
        }
        UNREAD.store(!rest.is_empty(), Relaxed);
        Ok(())
    }
}

/// The next received byte.
pub fn take() -> Option<u8> {
    let mut byte = [0];
    let count = critical_section::with(|token| {
        INPUT.borrow_ref_mut(token).as_mut().map(|input| input.read(&mut byte))
    });
    (count == Some(1)).then_some(byte[0])
}

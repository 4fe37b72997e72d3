//! Fatal errors: a last line on both channels, then halt.

use super::{cores, rtt, serial};
use core::fmt::{Arguments, Write as _};
use core::panic::PanicInfo;

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

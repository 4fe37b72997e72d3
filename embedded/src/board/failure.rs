//! How the firmware ends when it has to: it says where and why, and stops.

use super::{cores, rtt, serial};
use core::fmt::{Arguments, Write as _};
use core::panic::PanicInfo;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    stop(format_args!("fatal: {info}"))
}

/// An exception that nothing foresaw, such as an access to no memory.
#[cortex_m_rt::exception]
unsafe fn HardFault(frame: &cortex_m_rt::ExceptionFrame) -> ! {
    stop(format_args!("fatal: hard fault at {:#010x}, from {:#010x}", frame.pc(), frame.lr()))
}

/// Says the last line on both channels and stops this core.
fn stop(line: Arguments<'_>) -> ! {
    cortex_m::interrupt::disable();
    // First where nothing but memory is needed: the serial line may not be open.
    let _ = writeln!(rtt::Channel, "{line}");
    let _ = writeln!(serial::Line, "\r\n{line}\r");
    cores::halt()
}

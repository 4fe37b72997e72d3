//! The second core.

use rp2040_hal::multicore::{Multicore, StackAllocation};
use rp2040_hal::pac::{PPB, PSM};
use rp2040_hal::sio::SioFifo;

unsafe extern "C" {
    /// From the linker script: the two ends of core 1's stack.
    static mut _core1_stack_low: usize;
    static mut _core1_stack_high: usize;
}

/// Starts core 1; false where it does not answer.
pub fn start(psm: &mut PSM, ppb: &mut PPB, fifo: &mut SioFifo) -> bool {
    let mut both = Multicore::new(psm, ppb, fifo);
    // SAFETY: the linker script keeps this range for this stack, and this function runs once.
    let stack =
        unsafe { StackAllocation::from_raw_parts(&raw mut _core1_stack_low, &raw mut _core1_stack_high) };
    let Some(second) = both.cores().get_mut(1) else { return false };
    second.spawn(stack, wait).is_ok()
}

/// Core 1 sleeps until there is work.
fn wait() {
    loop {
        cortex_m::asm::wfe();
    }
}

/// Stops this core for good.
pub fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}

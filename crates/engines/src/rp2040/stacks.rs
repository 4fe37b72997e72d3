//! How deep the stacks of the cores have gone. The memory is painted before the first instruction, and what has kept its
//! paint was never used.

use rp2040_emu::Bus;

/// What the memory holds before the firmware writes to it, as cortex-m-rt paints stacks.
const PAINT: u32 = 0xcccc_cccc;

/// The memory of the chip.
const RAM: std::ops::Range<u32> = 0x2000_0000..0x2004_2000;

/// The lowest address of a core's stack, as `embedded/memory.x` promises it, and its end.
const STACKS: [std::ops::Range<u32>; 2] =
    [0x2004_1000 - 21 * 1024 - 512..0x2004_1000, 0x2004_1000..0x2004_2000];

/// The use of a stack, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// The promised size.
    pub size: u32,
    /// Bytes at its far end that were never written.
    pub left: u32,
}

/// Paints all of the memory: a chip that is switched on may hold anything.
pub(super) fn paint(bus: &mut Bus) {
    RAM.step_by(4).for_each(|at| bus.poke32(at, PAINT));
}

/// How much of a core's stack (0 or 1) was used since the memory was painted.
pub(super) fn used(bus: &Bus, core: usize) -> StackUse {
    let stack = STACKS[core].clone();
    let size = stack.end - stack.start;
    let painted = stack.step_by(4).take_while(|at| bus.peek32(*at) == PAINT);
    StackUse { size, left: 4 * painted.count() as u32 }
}

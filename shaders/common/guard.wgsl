// A batch of steps is planned for the occupancy of the cells at its beginning. If a step exceeds the limits of the
// plan, the rest of the batch does nothing, and the host plans it again.
//!include written/constants.wgsl
//!include written/Guard.wgsl

@group(0) @binding(15) var<uniform> guard: Guard;

fn halted() -> bool { return guard.turn != NEVER; }

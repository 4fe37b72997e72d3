// A batch of steps is planned for the occupancy of the cells at its beginning. Where a step exceeds what the plan
// allows, the rest of the batch does nothing, and the host plans it again.

struct Guard {
    // Index in the batch of the step whose count exceeded the plan; its boids are not sorted. NEVER while none has.
    turn: u32,
    // The plan: most boids in a cell, and the largest sum of squared numbers of boids a cell.
    most: u32,
    squares_low: u32,
    squares_high: u32,
}

const NEVER: u32 = 0xffffffffu;

@group(0) @binding(15) var<uniform> guard: Guard;

fn halted() -> bool {
    return guard.turn != NEVER;
}

// A batch of steps is planned by how crowded the cells are as it begins. Where they become more crowded than that
// allows, the rest of the batch does nothing, and is planned anew.

struct Guard {
    // The step of the batch after whose count it stopped, the boids not yet in order; NEVER while it goes on.
    turn: u32,
    // What is allowed: boids in the fullest cell, and the sum of the squared numbers of boids a cell.
    most: u32,
    squares_low: u32,
    squares_high: u32,
}

const NEVER: u32 = 0xffffffffu;

@group(0) @binding(15) var<uniform> guard: Guard;

fn halted() -> bool {
    return guard.turn != NEVER;
}

// Lists the boids of each cell in the order of their slots. The cells are counted by now: if they exceed the load that
// the batch was planned for, this pass closes the guard.
//!include common/dispatch.wgsl
//!include written/Load.wgsl

// A writable view of the guard in common/guard.wgsl.
struct Gate {
    turn: atomic<u32>,
    most: u32,
    squares: vec2<u32>,
}

@group(0) @binding(0) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// Id, and index among the arrivals.
@group(0) @binding(2) var<storage, read_write> members: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> load: Load;
@group(0) @binding(4) var<storage, read_write> guard: Gate;

fn exceeds_plan() -> bool {
    let low = atomicLoad(&load.squares[0]);
    let high = atomicLoad(&load.squares[1]);
    let squares = high > guard.squares.y || (high == guard.squares.y && low > guard.squares.x);
    return squares || atomicLoad(&load.most) > guard.most;
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    // A guard closed in this step does not stop this pass.
    if (i >= dispatch.end || atomicLoad(&guard.turn) < dispatch.turn) {
        return;
    }
    let arrival = arrivals[i];
    members[starts[arrival.z] + arrival.w] = vec2<u32>(arrival.x, i);
    if (i == 0u && exceeds_plan()) {
        atomicStore(&guard.turn, dispatch.turn);
    }
}

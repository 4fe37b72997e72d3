// Lists the boids of each cell in the order of their slots. The cells are counted by now: where they exceed what the
// batch was planned for, this pass closes the guard.
//!include common/dispatch.wgsl
//!include common/scan.wgsl

// The guard of common/guard.wgsl, writable.
struct Gate {
    turn: atomic<u32>,
    most: u32,
    squares_low: u32,
    squares_high: u32,
}

@group(0) @binding(0) var<uniform> dispatch: DispatchParameters;
@group(0) @binding(1) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
// Id, and index among the arrivals.
@group(0) @binding(3) var<storage, read_write> members: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> load: Load;
@group(0) @binding(5) var<storage, read_write> guard: Gate;

fn exceeds_plan() -> bool {
    let low = atomicLoad(&load.squares_low);
    let high = atomicLoad(&load.squares_high);
    let squares = high > guard.squares_high || (high == guard.squares_high && low > guard.squares_low);
    return squares || atomicLoad(&load.most) > guard.most;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = dispatch.first + linear(group, groups, local);
    // A guard that this step closes does not stop this pass.
    if (i >= dispatch.end || atomicLoad(&guard.turn) < dispatch.turn) {
        return;
    }
    let arrival = arrivals[i];
    members[starts[arrival.z] + arrival.w] = vec2<u32>(arrival.x, i);
    if (i == 0u && exceeds_plan()) {
        atomicStore(&guard.turn, dispatch.turn);
    }
}

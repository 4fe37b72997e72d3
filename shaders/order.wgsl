// Moves each boid to its sorted index: by cell, within the cell by id. So the order, and with it every sum over neighbours,
// depends on the state alone and not on the order of invocations. Numbers are moved as words, whatever their type.
//!include written/switches.wgsl
//!include common/dispatch.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<storage, read> members: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> new_positions: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> new_velocities: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> tags: array<vec2<u32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let k = element_of(at);
    if (halted() || k >= dispatch.end) {
        return;
    }
    let boid = sorted(k);
    positions[boid.index] = new_positions[boid.source];
    velocities[boid.index] = new_velocities[boid.source];
    tags[boid.index] = arrivals[boid.source].xy;
}

struct SortedBoid {
    // Index among the arrivals, and sorted index.
    source: u32,
    index: u32,
}

// The k-th member: by cell, within the cell by id. The rank in the cell is the number of members with a smaller id.
fn sorted(k: u32) -> SortedBoid {
    if (NON_INTERACTING) {
        return SortedBoid(k, k);
    }
    let member = members[k];
    let arrival = arrivals[member.y];
    let begin = starts[arrival.z];
    let end = starts[arrival.z + 1u];
    // Post-tested, like the loops of the kernels: the cell has a member.
    var rank = 0u;
    var other = begin;
    loop {
        rank += select(0u, 1u, members[other].x < member.x);
        other++;
        if (other >= end) {
            break;
        }
    }
    return SortedBoid(member.y, begin + rank);
}

// Moves each boid to its place among the sorted: by cell, within the cell by id. So the order, and with it every sum
// over neighbours, depends on the state alone and not on which invocation came first. Numbers
// of any type are moved as the words they are.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

// Nobody looks for neighbours, and the boids keep their places.
override ALONE: bool = false;

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> members: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> new_positions: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> new_velocities: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> velocities: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> tags: array<vec2<u32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (halted()) {
        return;
    }
    let k = moment.first + linear(group, groups, local);
    if (k >= moment.end) {
        return;
    }
    if (ALONE) {
        positions[k] = new_positions[k];
        velocities[k] = new_velocities[k];
        tags[k] = arrivals[k].xy;
        return;
    }
    let member = members[k];
    let arrival = arrivals[member.y];
    let begin = starts[arrival.z];
    let end = starts[arrival.z + 1u];
    var rank = 0u;
    for (var other = begin; other < end; other++) {
        rank += select(0u, 1u, members[other].x < member.x);
    }
    let place = begin + rank;
    positions[place] = new_positions[member.y];
    velocities[place] = new_velocities[member.y];
    tags[place] = arrival.xy;
}

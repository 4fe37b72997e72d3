// Moves each boid to its place among the sorted: by cell, within the cell by id, in a crowd by place and id. So the
// order, and with it every sum over neighbours, depends on the state alone and not on which invocation came first.
// Numbers of any type are moved as the words they are.
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/ranked.wgsl

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
    let one = ranked(k);
    positions[one.place] = new_positions[one.source];
    velocities[one.place] = new_velocities[one.source];
    tags[one.place] = arrivals[one.source].xy;
}

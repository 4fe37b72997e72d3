// Moves each boid to its place among the sorted, as rank.wgsl found it. Numbers of any type are moved as the words they
// are.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> sources: array<u32>;
@group(0) @binding(2) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> new_positions: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> new_velocities: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> tags: array<vec2<u32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (halted()) {
        return;
    }
    let i = moment.first + linear(group, groups, local);
    if (i >= moment.end) {
        return;
    }
    let source = sources[i];
    positions[i] = new_positions[source];
    velocities[i] = new_velocities[source];
    tags[i] = arrivals[source].xy;
}

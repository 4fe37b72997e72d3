// Lists the boids of each cell, in whatever order they came to it.
//!include common/dispatch.wgsl

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
// Id, and where the boid lies among the arrivals.
@group(0) @binding(3) var<storage, read_write> members: array<vec2<u32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = moment.first + linear(group, groups, local);
    if (i >= moment.end) {
        return;
    }
    let arrival = arrivals[i];
    members[starts[arrival.z] + arrival.w] = vec2<u32>(arrival.x, i);
}

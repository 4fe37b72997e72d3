// Where each boid belongs among the sorted, as order.wgsl says it; for arrays in parts, which are too many to rank and
// to move at once. Says for each place which arrival comes there.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

// Nobody looks for neighbours, and the boids keep their places.
override ALONE: bool = false;

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> members: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> sources: array<u32>;

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
        sources[k] = k;
        return;
    }
    let member = members[k];
    let cell = arrivals[member.y].z;
    let begin = starts[cell];
    let end = starts[cell + 1u];
    var rank = 0u;
    for (var other = begin; other < end; other++) {
        rank += select(0u, 1u, members[other].x < member.x);
    }
    sources[begin + rank] = member.y;
}

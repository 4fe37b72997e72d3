// Where each boid belongs among the sorted, as order.wgsl says it; for arrays in parts, which are too many to rank and
// to move at once. Says for each place which arrival comes there.
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/ranked.wgsl

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
    let one = ranked(k);
    sources[one.place] = one.source;
}

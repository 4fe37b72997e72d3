// Memory bandwidth: a copy that reads each entry once and writes it once. Neighbouring invocations take neighbouring
// entries, so that accesses coalesce.

const SIDE: u32 = 256u;

@group(0) @binding(0) var<storage, read> from_here: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> to_there: array<vec4<u32>>;

@compute @workgroup_size(SIDE)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let entries = arrayLength(&from_here);
    for (var i = group.x * SIDE + local; i < entries; i += groups.x * SIDE) {
        to_there[i] = from_here[i];
    }
}

// Kernel: each boid reads its candidates for itself.
//!include common/step.wgsl
//!include common/neighbour_rows.wgsl
//!include common/write_and_bin.wgsl
//!include common/guard.wgsl

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (halted()) {
        return;
    }
    let i = dispatch.first + linear(group, groups, local);
    if (i >= dispatch.end) {
        return;
    }
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!NON_INTERACTING && !resting(boid)) {
        add_neighbours(i, boid, &sums);
    }
    write_and_bin(i, boid, sums);
}

// Adds the boids from begin to before end.
fn add_span(i: u32, senses: Senses, me: Observer, begin: u32, end: u32, sums: ptr<function, Sums>) {
    if (begin >= end) {
        return;
    }
    var j = begin;
    loop {
        add_sorted(i, j, senses, me, sums);
        j++;
        if (j >= end) {
            break;
        }
    }
}

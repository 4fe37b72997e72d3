// Kernel: each boid looks about for itself.
//!include step.wgsl
//!include common/arrive.wgsl
//!include common/rows.wgsl
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
    let i = moment.first + linear(group, groups, local);
    if (i >= moment.end) {
        return;
    }
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!ALONE && !resting(boid)) {
        look_around(i, boid, &sums);
    }
    go_on(i, boid, sums);
}

// Meets those from one place to before another.
fn look_along(i: u32, senses: Senses, me: Observer, begin: u32, end: u32, sums: ptr<function, Sums>) {
    if (begin >= end) {
        return;
    }
    var j = begin;
    loop {
        let position = positions[j].xyz;
        let offset = offset_to(senses, me, position);
        let square = square_of(offset);
        if (square < senses.reach_square && j != i) {
            add_boid(senses, sums, me, true, position, velocities[j], offset, square);
        }
        j++;
        if (j >= end) {
            break;
        }
    }
}

// Kernel: each boid looks about for itself.
//!include step.wgsl
//!include common/arrive.wgsl
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

// Adds up everybody in the cells about a boid (loops ask at their end, as in shared.wgsl): rows of up to three cells along x, whose boids lie side by side.
fn look_around(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    let dims = grid.dims.xyz;
    let first = first_span(cell.x, dims.x);
    let last = last_span(cell.x);
    var z = 0u;
    loop {
        var y = 0u;
        loop {
            let row = cell_index(vec3<u32>(0u, neighbour(cell.y, y, dims.y), neighbour(cell.z, z, dims.z)));
            var k = first;
            loop {
                let cells = span(cell.x, cell.x, dims.x, k);
                meet(i, starts[row + cells.x], starts[row + cells.y], senses, me, sums);
                k++;
                if (k > last) {
                    break;
                }
            }
            y++;
            if (y >= visited(dims.y)) {
                break;
            }
        }
        z++;
        if (z >= visited(dims.z)) {
            break;
        }
    }
}

// Meets those from one place to before another.
fn meet(i: u32, begin: u32, end: u32, senses: Senses, me: Observer, sums: ptr<function, Sums>) {
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

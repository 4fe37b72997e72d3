// Kernel: each boid looks about for itself.
//!include step.wgsl
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

// Adds up everybody in the cells about a boid: rows of up to three cells along x, whose boids lie side by side.
fn look_around(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    let dims = grid.dims.xyz;
    let first = first_span(cell.x, dims.x);
    let last = last_span(cell.x);
    for (var z = 0u; z < visited(dims.z); z++) {
        for (var y = 0u; y < visited(dims.y); y++) {
            let row = cell_index(vec3<u32>(0u, neighbour(cell.y, y, dims.y), neighbour(cell.z, z, dims.z)));
            for (var k = first; k <= last; k++) {
                let cells = span(cell.x, cell.x, dims.x, k);
                let end = starts[row + cells.y];
                for (var j = starts[row + cells.x]; j < end; j++) {
                    let position = positions[j].xyz;
                    let offset = offset_to(senses, me, position);
                    let square = square_of(offset);
                    if (square < senses.reach_square && j != i) {
                        add_boid(senses, sums, me, true, position, velocities[j], offset, square);
                    }
                }
            }
        }
    }
}

// Kernel: the boids of a subgroup, which lie side by side, look about together. Each lane loads one of the boids that
// any of them may perceive, and hands it round. A lane adds whom it perceives itself, in the order in which it would
// have met them alone: the sums are those of plain.wgsl.
//
// Every lane takes every turn of every loop, for all must be there to hand round.
//!include step.wgsl

// Invocations of a subgroup.
override LANES: u32 = 8u;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let k = moment.first + linear(group, groups, local);
    let present = k < moment.end;
    let i = min(k, moment.end - 1u);
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!ALONE) {
        look_around(i, lane, present && !resting(boid), boid, &sums);
    }
    if (present) {
        go_on(i, boid, sums);
    }
}

// Adds up everybody in the cells about the boids of a subgroup, a run after the other: a run lies in one row of cells
// and leaves out no cell that nobody in it has to look into.
fn look_around(i: u32, lane: u32, looks: bool, boid: Boid, sums: ptr<function, Sums>) {
    var senses = senses_of_rule();
    let reach_square = senses.reach_square;
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    let row = cell.z * grid.dims.y + cell.y;
    let apart = cell.x - subgroupShuffleUp(cell.x, 1u) > 3u || row != subgroupShuffleUp(row, 1u);
    let run = subgroupInclusiveAdd(select(0u, 1u, lane == 0u || apart));
    let runs = subgroupMax(select(0u, run, looks));
    for (var now = 1u; now <= runs; now++) {
        let ours = run == now;
        senses.reach_square = select(Number(-1), reach_square, looks && ours);
        let from_x = subgroupMin(select(grid.dims.x, cell.x, ours));
        let to_x = subgroupMax(select(0u, cell.x, ours));
        look_together(i, lane, senses, me, from_x, to_x, subgroupMax(select(0u, row, ours)), sums);
    }
}

// Adds up everybody whom boids in the cells from_x to to_x of a row may perceive.
fn look_together(
    i: u32,
    lane: u32,
    senses: Senses,
    me: Observer,
    from_x: u32,
    to_x: u32,
    row: u32,
    sums: ptr<function, Sums>,
) {
    let dims = grid.dims.xyz;
    let first = first_span(to_x, dims.x);
    let parts = last_span(from_x) - first + 1u;
    let ranges = visited(dims.y) * visited(dims.z) * parts;
    for (var range = 0u; range < ranges; range += LANES) {
        // Each lane finds out where one range begins and ends.
        var begin = 0u;
        var count = 0u;
        if (range + lane < ranges) {
            let beside = (range + lane) / parts;
            let y = neighbour(row % dims.y, beside % visited(dims.y), dims.y);
            let z = neighbour(row / dims.y, beside / visited(dims.y), dims.z);
            let cells = span(from_x, to_x, dims.x, first + (range + lane) % parts) + (z * dims.y + y) * dims.x;
            begin = starts[cells.x];
            count = starts[cells.y] - begin;
        }
        let before = subgroupExclusiveAdd(count);
        let all = subgroupMax(before + count);
        // From the number of a boid among all in these ranges to its place.
        let shift = begin - before;
        for (var some = 0u; some < all; some += LANES) {
            let number = some + lane;
            var j = number + subgroupShuffle(shift, 0u);
            for (var k = 1u; k < LANES; k++) {
                j = select(j, number + subgroupShuffle(shift, k), subgroupShuffle(before, k) <= number);
            }
            var position = positions[i];
            var velocity = vec4<Number>(RESTING);
            if (number < all) {
                position = positions[j];
                velocity = velocities[j];
            }
            meet(i, j, senses, me, position.xyz, velocity, sums);
        }
    }
}

// Meets one boid of each lane; those at rest are perceived by nobody.
fn meet(
    i: u32,
    own: u32,
    senses: Senses,
    me: Observer,
    position: vec3<Number>,
    velocity: vec4<Number>,
    sums: ptr<function, Sums>,
) {
    for (var k = 0u; k < LANES; k++) {
        let place = subgroupShuffle(position, k);
        let way = subgroupShuffle(velocity, k);
        let offset = offset_to(senses, me, place);
        let square = square_of(offset);
        if (square < senses.reach_square && subgroupShuffle(own, k) != i) {
            add_boid(senses, sums, me, place, way, offset, square);
        }
    }
}

// Kernel: the boids of a subgroup, which lie side by side, look about together. Each lane loads one of the boids that
// any of them may perceive, and hands it round. A lane adds whom it perceives itself, in the order in which it would
// have met them alone: the sums are those of plain.wgsl.
//
// Every lane takes every turn of every loop, for all must be there to hand round. Loops ask at their end whether to go
// on: where the answer leaves out lanes but no instructions, one that asks first runs once more for nobody.
//!include step.wgsl
//!include common/arrive.wgsl
//!include common/hand.wgsl
//!include common/guard.wgsl

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    if (halted()) {
        return;
    }
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
// and looks into few that nobody in it has to.
fn look_around(i: u32, lane: u32, looks: bool, boid: Boid, sums: ptr<function, Sums>) {
    var senses = senses_of_rule();
    let reach_square = senses.reach_square;
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    var firsts = firsts_of_runs(cell, lane);
    loop {
        let first = countTrailingZeros(firsts);
        firsts &= firsts - 1u;
        let last = min(countTrailingZeros(firsts), LANES) - 1u;
        senses.reach_square = select(Number(-1), reach_square, looks & (first <= lane) & (lane <= last));
        look_together(i, lane, senses, me, subgroupShuffle(cell, first), subgroupShuffle(cell.x, last), sums);
        if (firsts == 0u) {
            break;
        }
    }
}

// Adds up everybody whom boids in a cell and those after it, up to to_x, may perceive.
fn look_together(
    i: u32,
    lane: u32,
    senses: Senses,
    me: Observer,
    cell: vec3<u32>,
    to_x: u32,
    sums: ptr<function, Sums>,
) {
    let dims = grid.dims.xyz;
    let first = first_span(to_x, dims.x);
    let parts = last_span(cell.x) - first + 1u;
    let height = visited(dims.y);
    let ranges = height * visited(dims.z) * parts;
    var range = 0u;
    loop {
        // Each lane finds out one range: where it begins, and how many boids there are before its end.
        var begin = 0u;
        var count = 0u;
        if (range + lane < ranges) {
            let number = vec3<u32>(range + lane);
            let turn = quotient(number, vec3<u32>(parts, parts * height, 1u));
            let y = neighbour(cell.y, turn.x - turn.y * height, dims.y);
            let z = neighbour(cell.z, turn.y, dims.z);
            let k = first + number.x - turn.x * parts;
            let cells = span(cell.x, to_x, dims.x, k) + cell_index(vec3<u32>(0u, y, z));
            begin = starts[cells.x];
            count = starts[cells.y] - begin;
        }
        let before = subgroupExclusiveAdd(count);
        let all = subgroupShuffle(before + count, LANES - 1u);
        var some = 0u;
        loop {
            // Each lane takes one of all the boids in these ranges: from the last that begins before it.
            let number = some + lane;
            var from_lane = later(before, number, 0u, LANES / 2u);
            from_lane = later(before, number, from_lane, LANES / 4u);
            from_lane = later(before, number, from_lane, LANES / 8u);
            from_lane = later(before, number, from_lane, LANES / 16u);
            from_lane = later(before, number, from_lane, LANES / 32u);
            let j = number + subgroupShuffle(begin - before, from_lane);
            // Where there is none left, itself, at rest.
            let other = select(i, j, number < all);
            var velocity = velocities[other];
            velocity.w = select(RESTING, velocity.w, number < all);
            meet(i, other, senses, me, positions[other].xyz, velocity, sums);
            some += LANES;
            if (some >= all) {
                break;
            }
        }
        range += LANES;
        if (range >= ranges) {
            break;
        }
    }
}

// The lane `by` lanes further, if what it holds is not beyond a number.
fn later(held: u32, number: u32, lane: u32, by: u32) -> u32 {
    return select(lane, lane + by, subgroupShuffle(held, lane + by) <= number);
}

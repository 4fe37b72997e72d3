// Kernel: the boids of a subgroup, which are consecutive, read their candidates together. Each lane loads one candidate
// and broadcasts it. A lane adds the boids that it perceives in the same order as step_plain.wgsl: the sums have the
// same bits.
//
// All lanes execute every iteration of every loop, because all take part in the broadcasts. Loops are post-tested: a
// pre-tested loop runs one extra, fully masked iteration on devices that mask lanes.
//!include common/step.wgsl
//!include common/subgroup_broadcast.wgsl
//!include common/guard.wgsl

@compute @workgroup_size(GROUP)
fn main(at: Invocation, @builtin(subgroup_invocation_id) formula_lane: u32) {
    lane = formula_lane;
    if (!halted()) {
        step_boid(element_of(at));
    }
}

// Adds the boids of the cells around a subgroup's boids, run by run: a run lies in one row of cells, and searches few
// cells that none of its boids needs.
fn add_neighbours(i: u32, perceives: bool, boid: Boid, sums: ptr<function, Sums>) {
    if (!subgroupAny(perceives)) {
        return;
    }
    var senses = senses_of_rule();
    let reach_square = senses.reach_square;
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
    let cell = cell_of(wrap(boid.position));
    var runs = run_starts(cell);
    loop {
        let first = countTrailingZeros(runs);
        runs &= runs - 1u;
        let last = min(countTrailingZeros(runs), LANES) - 1u;
        senses.reach_square = select(Number(-1), reach_square, perceives & (first <= lane) & (lane <= last));
        add_run(i, senses, me, subgroupShuffle(cell, first), subgroupShuffle(cell.x, last), sums);
        if (runs == 0u) {
            break;
        }
    }
}

// Adds the boids that may be perceived by a run in the cells from `cell` to to_x.
fn add_run(i: u32, senses: Senses, me: Observer, cell: vec3<u32>, to_x: u32, sums: ptr<function, Sums>) {
    let dims = grid.dims.xyz;
    let first = first_span(to_x, dims.x);
    let spans = last_span(cell.x) - first + 1u;
    let height = visited(dims.y);
    let ranges = height * visited(dims.z) * spans;
    var range = 0u;
    loop {
        // Each lane looks up one range: its first boid and its length.
        var begin = 0u;
        var count = 0u;
        if (range + lane < ranges) {
            let number = vec3<u32>(range + lane);
            let rows = quotient(number, vec3<u32>(spans, spans * height, 1u));
            let y = neighbour(cell.y, rows.x - rows.y * height, dims.y);
            let z = neighbour(cell.z, rows.y, dims.z);
            let k = first + number.x - rows.x * spans;
            let cells = span(cell.x, to_x, dims.x, k) + cell_index(vec3<u32>(0u, y, z));
            begin = starts[cells.x];
            count = starts[cells.y] - begin;
        }
        let before = subgroupExclusiveAdd(count);
        let all = subgroupShuffle(before + count, LANES - 1u);
        var done = 0u;
        loop {
            // Each lane takes one boid of these ranges, from the last range that begins at or before it.
            let number = done + lane;
            var owner = later_lane(before, number, 0u, LANES / 2u);
            owner = later_lane(before, number, owner, LANES / 4u);
            owner = later_lane(before, number, owner, LANES / 8u);
            owner = later_lane(before, number, owner, LANES / 16u);
            owner = later_lane(before, number, owner, LANES / 32u);
            let j = number + subgroupShuffle(begin - before, owner);
            // Pad with the boid itself, marked resting.
            let other = select(i, j, number < all);
            var velocity = velocities[other];
            velocity.w = select(RESTING, velocity.w, number < all);
            add_candidates(i, senses, me, Candidate(other, positions[other].xyz, velocity), sums);
            done += LANES;
            if (done >= all) {
                break;
            }
        }
        range += LANES;
        if (range >= ranges) {
            break;
        }
    }
}

// One step of a binary search along the lanes: the lane `by` after from_lane if its value is at most `number`.
fn later_lane(held: u32, number: u32, from_lane: u32, by: u32) -> u32 {
    return select(from_lane, from_lane + by, subgroupShuffle(held, from_lane + by) <= number);
}

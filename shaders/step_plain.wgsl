// Kernel: each boid reads its candidates for itself, in blocks: first the positions of all candidates of a block, to mark
// those within reach, then these alone as a whole, in the same order. Most candidates are out of reach: of them no
// velocity is read and no sum is computed, and the invocations that run in step wait for each other once a block, not at
// each candidate.
//!include common/step.wgsl
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
        begin_walks();
        loop {
            add_neighbours(i, boid, &sums);
            if (end_walk()) {
                break;
            }
        }
    }
    write_and_bin(i, boid, sums);
}

// Candidates of a block: one bit of a word each.
const BLOCK: u32 = 32u;

// The walk along the ranges of sorted boids around a boid: span by span, row by row, plane by plane.
struct Walk {
    cell: vec3<u32>,
    // The first and the last span of a row.
    first: u32,
    last: u32,
    // Span, row and plane of the next range.
    k: u32,
    y: u32,
    z: u32,
}

// The boids of three ranges, numbered from 0 on as if they were one: a block is then full more often.
struct Ranges {
    // The sorted index of a boid of each range, less its number.
    shift: vec3<u32>,
    // The number after the last of each range.
    ends: vec3<u32>,
}

// The next range: its first boid, and how many there are; none after the last range.
fn next_range(walk: ptr<function, Walk>) -> vec2<u32> {
    let w = *walk;
    let dims = grid.dims.xyz;
    let there = w.z < visited(dims.z);
    let z = select(0u, w.z, there);
    let row = cell_index(vec3<u32>(0u, neighbour(w.cell.y, w.y, dims.y), neighbour(w.cell.z, z, dims.z)));
    let cells = span(w.cell.x, w.cell.x, dims.x, w.k) + row;
    let begin = starts[cells.x];
    let count = select(0u, starts[cells.y] - begin, there);
    let new_row = w.k == w.last;
    let new_plane = new_row & (w.y + 1u == visited(dims.y));
    (*walk).k = select(w.k + 1u, w.first, new_row);
    (*walk).y = select(select(w.y, w.y + 1u, new_row), 0u, new_plane);
    (*walk).z = select(w.z, w.z + 1u, new_plane);
    return vec2<u32>(begin, count);
}

// The sorted index of the boid of a number.
fn sorted_index(ranges: Ranges, number: u32) -> u32 {
    let shift = select(ranges.shift.z, ranges.shift.y, number < ranges.ends.y);
    return number + select(shift, ranges.shift.x, number < ranges.ends.x);
}

// Adds the boids of the cells around a boid, three ranges at a time: away from the edges of the grid, a plane of rows.
fn add_neighbours(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
    let cell = cell_of(wrap(boid.position));
    let first = first_span(cell.x, grid.dims.x);
    var walk = Walk(cell, first, last_span(cell.x), first, 0u, 0u);
    loop {
        let a = next_range(&walk);
        let b = next_range(&walk);
        let c = next_range(&walk);
        let ends = vec3<u32>(a.y, a.y + b.y, a.y + b.y + c.y);
        add_ranges(i, senses, me, Ranges(vec3<u32>(a.x, b.x - ends.x, c.x - ends.y), ends), sums);
        if (walk.z >= visited(grid.dims.z)) {
            break;
        }
    }
}

// Adds the boids of some ranges that are within reach.
fn add_ranges(i: u32, senses: Senses, me: Observer, ranges: Ranges, sums: ptr<function, Sums>) {
    let count = ranges.ends.z;
    var begin = 0u;
    loop {
        var near = within_reach(i, senses, me, ranges, begin);
        while (near != 0u) {
            let j = sorted_index(ranges, begin + countTrailingZeros(near));
            near &= near - 1u;
            let position = positions[j].xyz;
            let offset = offset_to(senses, me, position);
            add_boid(senses, sums, me, Neighbour(position, velocities[j], offset, square_of(offset)), true);
        }
        begin += BLOCK;
        if (begin >= count) {
            break;
        }
    }
}

// A bit for each boid of a block that is within reach. Post-tested, as in step_shared.wgsl.
fn within_reach(i: u32, senses: Senses, me: Observer, ranges: Ranges, begin: u32) -> u32 {
    let end = min(ranges.ends.z, begin + BLOCK);
    var near = 0u;
    var bit = 1u;
    var number = begin;
    loop {
        // Where there is none: the boid itself, which is none of its neighbours.
        let j = select(i, sorted_index(ranges, number), number < end);
        let square = square_of(offset_to(senses, me, positions[j].xyz));
        near |= select(0u, bit, (square < senses.reach_square) & (j != i));
        bit = bit << 1u;
        number++;
        if (number >= end) {
            break;
        }
    }
    return near;
}

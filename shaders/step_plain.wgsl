// Kernel: each boid reads its candidates for itself, in blocks: first the positions of all candidates of a block, to mark
// those within reach, then these alone as a whole, in the same order. Most candidates are out of reach: of them no
// velocity is read and no sum is computed, and the invocations that run in step wait for each other once a block, not at
// each candidate.
//!include common/step.wgsl
//!include common/walk.wgsl
//!include common/write_and_bin.wgsl
//!include common/guard.wgsl

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (!halted()) {
        step_boid(element_of(at));
    }
}

// Candidates of a block: one bit of a word each.
const BLOCK: u32 = 32u;

// The boids of three ranges, numbered from 0 on as if they were one: a block is then full more often.
struct Ranges {
    // The sorted index of a boid of each range, less its number.
    shift: vec3<u32>,
    // The number after the last of each range.
    ends: vec3<u32>,
}

// The sorted index of the boid of a number.
fn sorted_index(ranges: Ranges, number: u32) -> u32 {
    let shift = select(ranges.shift.z, ranges.shift.y, number < ranges.ends.y);
    return number + select(shift, ranges.shift.x, number < ranges.ends.x);
}

// Adds the boids of the cells around a boid, three ranges at a time: away from the edges of the grid, a plane of rows.
fn add_neighbours(i: u32, perceives: bool, boid: Boid, sums: ptr<function, Sums>) {
    if (!perceives) {
        return;
    }
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
    let cell = cell_of(wrap(boid.position));
    var walk = walk_from(cell, cell.x);
    loop {
        let a = next_range(&walk);
        let b = next_range(&walk);
        let c = next_range(&walk);
        let ends = vec3<u32>(a.y, a.y + b.y, a.y + b.y + c.y);
        add_ranges(i, senses, me, Ranges(vec3<u32>(a.x, b.x - ends.x, c.x - ends.y), ends), sums);
        if (ended(walk)) {
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
            add_neighbour(senses, sums, me, Neighbour(j, position, velocities[j], offset, square_of(offset)), true);
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

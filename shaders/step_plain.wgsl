// Kernel: each invocation reads the candidates of its own boid, in blocks: first the positions of all candidates of
// some blocks, to mark those within reach, then the complete marked boids, in the same order. Most candidates are out
// of reach and need neither a velocity nor a sum, and invocations in lockstep wait for each other once per some blocks,
// not at each candidate.
//!include common/step.wgsl
//!include common/walk.wgsl
//!include common/guard.wgsl

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (!halted()) {
        step_boid(element_of(at));
    }
}

// Maximum number of candidates per block: one bit of a word each.
const BLOCK: u32 = 32u;

// The remainders of three consecutive ranges of sorted boids.
struct Ranges {
    begins: vec3<u32>,
    ends: vec3<u32>,
}

// Consecutive sorted boids.
struct Block {
    begin: u32,
    count: u32,
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
        let begins = vec3<u32>(a.x, b.x, c.x);
        add_ranges(i, senses, me, Ranges(begins, begins + vec3<u32>(a.y, b.y, c.y)), sums);
        if (ended(walk)) {
            break;
        }
    }
}

// Adds the boids within reach in some ranges, three blocks at a time. Post-tested, as in step_shared.wgsl.
fn add_ranges(i: u32, senses: Senses, me: Observer, ranges: Ranges, sums: ptr<function, Sums>) {
    var left = ranges;
    loop {
        let a = next_block(&left);
        let b = next_block(&left);
        let c = next_block(&left);
        var near_a = within_reach(i, senses, me, a);
        var near_b = within_reach(i, senses, me, b);
        var near_c = within_reach(i, senses, me, c);
        while ((near_a | near_b | near_c) != 0u) {
            let in_a = near_a != 0u;
            let in_b = !in_a & (near_b != 0u);
            let near = select(select(near_c, near_b, in_b), near_a, in_a);
            let rest = near & (near - 1u);
            near_a = select(near_a, rest, in_a);
            near_b = select(near_b, rest, in_b);
            near_c = select(rest, near_c, in_a | in_b);
            let j = select(select(c.begin, b.begin, in_b), a.begin, in_a) + countTrailingZeros(near);
            let position = positions[j].xyz;
            let offset = offset_to(senses, me, position);
            add_neighbour(senses, sums, me, Neighbour(j, position, velocities[j], offset, square_of(offset)), true);
        }
        if (all(left.begins == left.ends)) {
            break;
        }
    }
}

// Takes a block from the first range that is not empty.
fn next_block(ranges: ptr<function, Ranges>) -> Block {
    let begins = (*ranges).begins;
    let counts = min((*ranges).ends - begins, vec3<u32>(BLOCK));
    let from_x = counts.x != 0u;
    let from_y = !from_x & (counts.y != 0u);
    let taken = vec3<bool>(from_x, from_y, !from_x & !from_y);
    (*ranges).begins = begins + select(vec3<u32>(), counts, taken);
    let begin = select(select(begins.z, begins.y, from_y), begins.x, from_x);
    return Block(begin, select(select(counts.z, counts.y, from_y), counts.x, from_x));
}

// A mask of the boids of a block that are within reach and not the observer. Four are read at a time: an iteration
// costs as much as a boid.
fn within_reach(i: u32, senses: Senses, me: Observer, block: Block) -> u32 {
    var near = 0u;
    var number = 0u;
    loop {
        let j = block.begin + number;
        let four = bit_within_reach(senses, me, j, 1u) | bit_within_reach(senses, me, j + 1u, 2u)
            | bit_within_reach(senses, me, j + 2u, 4u) | bit_within_reach(senses, me, j + 3u, 8u);
        near |= four << number;
        number += 4u;
        if (number >= block.count) {
            break;
        }
    }
    let itself = i - block.begin;
    let others = near & ~select(0u, 1u << (itself % BLOCK), itself < block.count);
    return others & select((1u << (block.count % BLOCK)) - 1u, ~0u, block.count == BLOCK);
}

// The bit if a boid is within reach; indices after the last boid read the last.
fn bit_within_reach(senses: Senses, me: Observer, j: u32, bit: u32) -> u32 {
    let position = positions[min(j, rule.boids - 1u)].xyz;
    return select(0u, bit, square_of(offset_to(senses, me, position)) < senses.reach_square);
}

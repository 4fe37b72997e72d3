// How the boids of a subgroup look about together: who of them do, and how what their lanes hold is handed round.

// Invocations of a subgroup.
override LANES: u32 = 8u;
// Boids farther apart than so many cells along x are looked around for one after the other: cells between them that
// nobody needs cost less than another round does.
const APART: u32 = 4u * AROUND + 1u;

// The first of each run of boids whose cells lie in one row, near each other: one bit a lane.
fn firsts_of_runs(cell: vec3<u32>, lane: u32) -> u32 {
    let before = subgroupShuffleUp(cell, 1u);
    let apart = (cell.x - before.x > APART) | any(cell.yz != before.yz);
    return subgroupBallot((lane == 0u) | apart).x;
}

// Meets the boids of four lanes after the other: loops cost as much as a boid.
fn meet(
    i: u32,
    j: u32,
    senses: Senses,
    me: Observer,
    position: vec3<Number>,
    velocity: vec4<Number>,
    sums: ptr<function, Sums>,
) {
    for (var k = 0u; k < LANES; k += 4u) {
        hand(k, i, j, senses, me, position, velocity, sums);
        hand(k + 1u, i, j, senses, me, position, velocity, sums);
        hand(k + 2u, i, j, senses, me, position, velocity, sums);
        hand(k + 3u, i, j, senses, me, position, velocity, sums);
    }
}

// Hands round the boid of one lane.
fn hand(
    k: u32,
    i: u32,
    j: u32,
    senses: Senses,
    me: Observer,
    position: vec3<Number>,
    velocity: vec4<Number>,
    sums: ptr<function, Sums>,
) {
    let place = subgroupShuffle(position, k);
    let offset = offset_to(senses, me, place);
    let square = square_of(offset);
    let near = (square < senses.reach_square) & (subgroupShuffle(j, k) != i);
    add_boid(senses, sums, me, near, place, subgroupShuffle(velocity, k), offset, square);
}

// How the lanes of a subgroup read candidates together: runs of lanes, and the broadcast of each lane's candidate.

// Invocations of a subgroup.
override LANES: u32 = 8u;
// The lane of an invocation.
var<private> lane: u32;
// Boids whose cells are farther apart than this along x get a walk of their own: crossing the cells between them costs
// more than another walk.
const APART: u32 = 4u * AROUND + 1u;

// What a lane has loaded: a sorted boid.
struct Candidate {
    index: u32,
    position: Vector,
    velocity: vec4<Number>,
}

// The first lane of each run of boids whose cells lie in one row, near each other: one bit a lane.
fn run_starts(cell: vec3<u32>) -> u32 {
    let before = subgroupShuffleUp(cell, 1u);
    let apart = (cell.x - before.x > APART) | any(cell.yz != before.yz);
    return subgroupBallot((lane == 0u) | apart).x;
}

// Adds the candidates of all lanes, in the order of the lanes. Four an iteration: a loop costs as much as a candidate.
fn add_candidates(i: u32, senses: Senses, me: Observer, candidate: Candidate, sums: ptr<function, Sums>) {
    for (var k = 0u; k < LANES; k += 4u) {
        broadcast(k, i, senses, me, candidate, sums);
        broadcast(k + 1u, i, senses, me, candidate, sums);
        broadcast(k + 2u, i, senses, me, candidate, sums);
        broadcast(k + 3u, i, senses, me, candidate, sums);
    }
}

// Broadcasts the candidate of lane k, and adds it in each lane where it is near.
fn broadcast(k: u32, i: u32, senses: Senses, me: Observer, candidate: Candidate, sums: ptr<function, Sums>) {
    let position = subgroupShuffle(candidate.position, k);
    let offset = offset_to(senses, me, position);
    let square = square_of(offset);
    let index = subgroupShuffle(candidate.index, k);
    let near = (square < senses.reach_square) & (index != i);
    let velocity = subgroupShuffle(candidate.velocity, k);
    add_neighbour(senses, sums, me, Neighbour(index, position, velocity, offset, square), near);
}

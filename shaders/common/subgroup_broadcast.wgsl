// Shared reading of candidates by the lanes of a subgroup: runs of lanes, and the broadcast of each lane's candidate.

// Invocations per subgroup.
override LANES: u32 = 8u;
// The lane of an invocation.
var<private> lane: u32;
// Boids whose cells are farther apart than this along x walk separately: crossing the cells between them costs more
// than another walk.
const APART: u32 = 4u * AROUND + 1u;

// The sorted boid that a lane has loaded.
struct Candidate {
    index: u32,
    position: Vector,
    velocity: vec4<Number>,
}

// The first lane of each run of boids in nearby cells of one row, as a mask of lanes.
fn run_starts(cell: vec3<u32>) -> u32 {
    let before = subgroupShuffleUp(cell, 1u);
    let apart = (cell.x - before.x > APART) | any(cell.yz != before.yz);
    return subgroupBallot((lane == 0u) | apart).x;
}

// Adds the candidates of all lanes, in lane order. Four per iteration: an iteration costs as much as a candidate.
fn add_candidates(i: u32, senses: Senses, me: Observer, candidate: Candidate, sums: ptr<function, Sums>) {
    var near = 0u;
    for (var k = 0u; k < LANES; k += 4u) {
        near |= broadcast(k, i, senses, me, candidate, sums);
        near |= broadcast(k + 1u, i, senses, me, candidate, sums);
        near |= broadcast(k + 2u, i, senses, me, candidate, sums);
        near |= broadcast(k + 3u, i, senses, me, candidate, sums);
    }
    if (USES_NEAREST && first_walk) {
        add_near(near, senses, me, candidate, true);
    }
    if (USES_FORMULAS) {
        add_near(near, senses, me, candidate, false);
    }
}

// Broadcasts the candidate of lane k, and adds it in each lane where it is near; those lanes return bit k.
fn broadcast(k: u32, i: u32, senses: Senses, me: Observer, candidate: Candidate, sums: ptr<function, Sums>) -> u32 {
    let other = candidate_of(k, senses, me, candidate);
    let near = (other.square < senses.reach_square) & (other.index != i);
    add_boid(senses, sums, me, other, near);
    return select(0u, 1u << k, near & (0 <= other.velocity.w));
}

// Adds the candidates of these lanes to the sums of custom terms, or ranks them. Both are long, and lanes without a
// neighbour wait for the others, so each lane takes its own next neighbour.
fn add_near(of_lanes: u32, senses: Senses, me: Observer, candidate: Candidate, ranks: bool) {
    var near = of_lanes;
    loop {
        let k = min(countTrailingZeros(near), LANES - 1u);
        let other = candidate_of(k, senses, me, candidate);
        if (ranks) {
            rank_boid(senses, me, other, near != 0u);
        } else {
            add_formulas(other, near != 0u);
        }
        near &= near - 1u;
        if (!subgroupAny(near != 0u)) {
            break;
        }
    }
}

// The candidate loaded by lane k.
fn candidate_of(k: u32, senses: Senses, me: Observer, candidate: Candidate) -> Neighbour {
    let position = subgroupShuffle(candidate.position, k);
    let offset = offset_to(senses, me, position);
    let index = subgroupShuffle(candidate.index, k);
    let velocity = subgroupShuffle(candidate.velocity, k);
    return Neighbour(index, position, velocity, offset, square_of(offset));
}

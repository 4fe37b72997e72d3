// The k nearest: the sums of flock/src/perceive/nearest.rs by another algorithm, which seldom needs its second walk. One
// walk over the candidates lists, for each term, the boids with the k smallest squares in the order of the walk: the
// farthest is removed, and the new one appended. So the sums over a list have the bits of the sums over a walk.
//
//      square 5 ---> [ 4 9 2 7 ] ---> [ 4 2 7 5 ]      k = 4: 9 makes room
//
// Boids as far as the farthest of a list count too. If some did not fit, a second walk adds all that are no farther.
// Custom sums list only squares (written/formulas.wgsl), and always need it. A kernel without such terms walks once.

const MAX_NEAREST: u32 = 32u;

// Both walks run the same code, so that a square has the same bits in both.
var<private> first_walk: bool;

fn walks_twice() -> bool { return USES_NEAREST || USES_FORMULA_NEAREST; }

// Vectors per list. A loop of a constant length is unrolled, and the list stays in registers.
override QUADS: u32 = (NEAREST + 3u) / 4u;
// The square of an unused entry: the first entries of a list, if k is no multiple of four.
const NO_PLACE: Number = Number(-1);

struct Nearest {
    squares: array<vec4<Number>, MAX_NEAREST / 4u>,
    // Sorted indices.
    indices: array<vec4<u32>, MAX_NEAREST / 4u>,
    // The largest square. The reach stands for missing boids: every perceived boid is nearer.
    farthest: Number,
    // The smallest square that did not fit.
    left_out: Number,
}

var<private> separation_nearest: Nearest;
var<private> alignment_nearest: Nearest;
var<private> cohesion_nearest: Nearest;

// Initialises the walks.
fn begin_walks() {
    first_walk = walks_twice();
    if (USES_NEAREST) {
        begin_list(&separation_nearest);
        begin_list(&alignment_nearest);
        begin_list(&cohesion_nearest);
    }
}

// Empties a list.
fn begin_list(list: ptr<private, Nearest>) {
    let reach = vec4<Number>(rule.reach_square);
    for (var n = 0u; n < QUADS; n++) {
        (*list).squares[n] = reach;
    }
    let used = vec4<u32>(4u * QUADS - NEAREST) <= vec4<u32>(0u, 1u, 2u, 3u);
    (*list).squares[0] = select(vec4<Number>(NO_PLACE), reach, used);
    (*list).farthest = reach.x;
    (*list).left_out = reach.x;
}

// Lists a boid if the mask is set.
fn list_boid(list: ptr<private, Nearest>, other: Neighbour, seen: bool) {
    let farthest = (*list).farthest;
    if (!seen || farthest < other.square) {
        return;
    }
    (*list).left_out = min((*list).left_out, farthest);
    var most = NO_PLACE;
    // Each entry from the farthest on takes the boid of the next.
    var moves = false;
    for (var n = 0u; n < QUADS; n++) {
        let squares = (*list).squares[n];
        let indices = (*list).indices[n];
        var square = other.square;
        var index = other.index;
        if (n + 1u < QUADS) {
            square = (*list).squares[n + 1u].x;
            index = (*list).indices[n + 1u].x;
        }
        let x = moves | (squares.x == farthest);
        let y = x | (squares.y == farthest);
        let z = y | (squares.z == farthest);
        moves = z | (squares.w == farthest);
        let moved = vec4<bool>(x, y, z, moves);
        let left = select(squares, vec4<Number>(squares.yzw, square), moved);
        (*list).squares[n] = left;
        (*list).indices[n] = select(indices, vec4<u32>(indices.yzw, index), moved);
        most = max(most, max(max(left.x, left.y), max(left.z, left.w)));
    }
    (*list).farthest = most;
}

// Takes the boid of the first entry: its square and its sorted index.
fn take_first(list: ptr<private, Nearest>) -> Neighbour {
    var first = Neighbour();
    first.index = (*list).indices[0].x;
    first.square = (*list).squares[0].x;
    for (var n = 0u; n < QUADS; n++) {
        let next = min(n + 1u, MAX_NEAREST / 4u - 1u);
        (*list).squares[n] = vec4<Number>((*list).squares[n].yzw, (*list).squares[next].x);
        (*list).indices[n] = vec4<u32>((*list).indices[n].yzw, (*list).indices[next].x);
    }
    return first;
}

// True if boids that count did not fit.
fn overflows(list: ptr<private, Nearest>) -> bool {
    return (*list).left_out == (*list).farthest && (*list).farthest < rule.reach_square;
}

// The first walk: lists a boid for the terms that perceive it.
fn rank_boid(senses: Senses, me: Observer, other: Neighbour, present: bool) {
    let offset = other.offset;
    let square = other.square;
    var left = present;
    if (USES_EXCLUSION) {
        left = left_by_separation(senses, square, present);
    }
    if (USES_SEPARATION) {
        let seen = present & sees(senses.separation, USES_FIELD_OF_VIEW, me, offset, square);
        list_boid(&separation_nearest, other, seen);
    }
    if (USES_ALIGNMENT) {
        list_boid(&alignment_nearest, other, left & alignment_sees(senses, me, offset, square));
    }
    if (USES_COHESION && !SHARES_NEAREST) {
        list_boid(&cohesion_nearest, other, left & cohesion_sees(senses, me, offset, square));
    }
}

// True if the second walk accepts a square: always if there is no limit.
fn separation_ranks(square: Number) -> bool { return !USES_NEAREST || square <= separation_nearest.farthest; }

fn alignment_ranks(square: Number) -> bool { return !USES_NEAREST || square <= alignment_nearest.farthest; }

fn cohesion_ranks(square: Number) -> bool {
    if (SHARES_NEAREST) {
        return alignment_ranks(square);
    }
    return !USES_NEAREST || square <= cohesion_nearest.farthest;
}

// The k smallest squares of a custom sum, in descending order.
alias Squares = array<Number, MAX_NEAREST>;

fn clear(squares: ptr<private, Squares>) {
    for (var n = 0u; n < MAX_NEAREST; n++) {
        (*squares)[n] = rule.reach_square;
    }
}

// Inserts a square into a list of length `most` if the mask is set; the largest falls out. An empty list stays empty.
fn insert(squares: ptr<private, Squares>, most: u32, square: Number, seen: bool) {
    if (!seen || most == 0u || (*squares)[0] <= square) {
        return;
    }
    var left = square;
    var last = 0u;
    for (var n = 1u; n < most; n++) {
        let other = (*squares)[n];
        (*squares)[last] = max(other, left);
        left = min(other, left);
        last = n;
    }
    (*squares)[last] = left;
}

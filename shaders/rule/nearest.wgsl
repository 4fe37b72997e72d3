// Twin of flock/src/perceive/nearest.rs: the k nearest. The kernel walks over the candidates twice: the first walk keeps
// the k smallest squares of each rule in a list in descending order, and the second adds what is no farther than the head.
// A kernel without such a term walks once, and has no lists. Sums of one's own have theirs in written/own.wgsl.

const MOST_NEAREST: u32 = 32u;

alias Squares = array<Number, MOST_NEAREST>;

// Both walks run the same code, so that a square has the same bits in both.
var<private> first_walk: bool;
var<private> separation_squares: Squares;
var<private> alignment_squares: Squares;
var<private> cohesion_squares: Squares;

fn walks_twice() -> bool { return USES_NEAREST || USES_OWN_NEAREST; }

// Before the first walk.
fn begin_walks() {
    first_walk = walks_twice();
    if (USES_NEAREST) {
        clear(&separation_squares);
        clear(&alignment_squares);
        clear(&cohesion_squares);
    }
}

// A list of no boid. The reach stands for boids that are not there: no perceived boid is as far.
fn clear(squares: ptr<private, Squares>) {
    for (var n = 0u; n < MOST_NEAREST; n++) {
        (*squares)[n] = rule.reach_square;
    }
}

// After a walk: whether it was the last.
fn end_walk() -> bool {
    if (!walks_twice() || !first_walk) {
        return true;
    }
    first_walk = false;
    return false;
}

// Inserts a square into a list of so many where the mask holds; the largest falls out. A list without room stays as it is.
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

// The first walk: inserts a boid into the lists of the rules that perceive it.
fn rank_boid(senses: Senses, me: Observer, offset: Vector, square: Number, present: bool) {
    var left = present;
    if (USES_EXCLUSION) {
        left = left_by_separation(senses, square, present);
    }
    if (USES_SEPARATION) {
        let seen = present & sees(senses.separation, USES_FIELD_OF_VIEW, me, offset, square);
        insert(&separation_squares, NEAREST, square, seen);
    }
    if (USES_ALIGNMENT) {
        let seen = left & alignment_sees(senses, me, offset, square);
        insert(&alignment_squares, NEAREST, square, seen);
    }
    if (USES_COHESION && !SHARES_NEAREST) {
        let seen = left & cohesion_sees(senses, me, offset, square);
        insert(&cohesion_squares, NEAREST, square, seen);
    }
}

// True if the second walk perceives a square: every one where there is no limit.
fn separation_ranks(square: Number) -> bool { return !USES_NEAREST || square <= separation_squares[0]; }

fn alignment_ranks(square: Number) -> bool { return !USES_NEAREST || square <= alignment_squares[0]; }

fn cohesion_ranks(square: Number) -> bool {
    if (SHARES_NEAREST) {
        return alignment_ranks(square);
    }
    return !USES_NEAREST || square <= cohesion_squares[0];
}

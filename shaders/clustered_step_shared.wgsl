// Kernel of a dense flock: the boids of a subgroup, which are consecutive, read candidates together. A cluster has as
// many members as a subgroup has lanes. When a cluster is opened, each lane tests one member for all boids of the
// subgroup and sums up the members that all perceive; single boids are broadcast.
//
// All lanes execute every iteration of every loop, and loops are post-tested, as in step_shared.wgsl.
//!include common/step.wgsl
//!include common/walk.wgsl
//!include common/write_only.wgsl
//!include common/subgroup_broadcast.wgsl
//!include common/subgroup_reduce.wgsl
//!include rule/clusters.wgsl

// A lane's state of the walk through the clusters.
struct Walker {
    i: u32,
    // The reach is negative in a lane that does not perceive; `group` keeps it, for the work that all lanes share.
    senses: Senses,
    group: Senses,
    me: Observer,
    // The corners of the box around the boids of the run.
    low: Observer,
    high: Observer,
}

// The position of a subgroup among the clusters: a cluster of a level. Each level has a lane, whose `pending` holds one
// bit for each member of the cluster opened there that is still to be opened.
struct Cursor {
    level: u32,
    number: u32,
    pending: u32,
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation, @builtin(subgroup_invocation_id) own_lane: u32) {
    lane = own_lane;
    step_boid(boid_of_round(at));
}

// Adds the boids of the cells around a subgroup's boids, run by run, as in step_shared.wgsl.
fn add_neighbours(i: u32, perceives: bool, boid: Boid, sums: ptr<function, Sums>) {
    if (!subgroupAny(perceives)) {
        return;
    }
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
    let cell = cell_of(wrap(boid.position));
    var runs = run_starts(cell);
    loop {
        let first = countTrailingZeros(runs);
        runs &= runs - 1u;
        let last = min(countTrailingZeros(runs), LANES) - 1u;
        let included = perceives & (first <= lane) & (lane <= last);
        let position = select(subgroupShuffle(me.position, first), me.position, included);
        let low = observer(senses, subgroupMin(position), Vector(), false);
        let high = observer(senses, subgroupMax(position), Vector(), false);
        var walker = Walker(i, senses, senses, me, low, high);
        walker.senses.reach_square = select(Number(-1), senses.reach_square, included);
        var group_sums = Sums();
        var walk = walk_from(subgroupShuffle(cell, first), subgroupShuffle(cell.x, last));
        loop {
            let range = next_range(&walk);
            if (range.y > 0u) {
                add_range(walker, vec2<u32>(range.x, range.x + range.y), sums, &group_sums);
            }
            if (ended(walk)) {
                break;
            }
        }
        // All lanes take part in the reduction, including those that do not perceive.
        let seen_there = reduced(group_sums);
        if (included) {
            add_moved_sums(senses.units, sums, me, low, seen_there);
        }
        if (runs == 0u) {
            break;
        }
    }
}

// Adds a range of the sorted boids: opens the smallest clusters that cover it, and their members where needed.
fn add_range(walker: Walker, ends: vec2<u32>, sums: ptr<function, Sums>, group_sums: ptr<function, Sums>) {
    var top = 2u;
    while (top < LEVELS && ends.y - ends.x > 1u << (FAN_SHIFT * top)) {
        top++;
    }
    var root = ends.x >> (FAN_SHIFT * top);
    var cursor = Cursor();
    loop {
        cursor.level = top;
        cursor.number = root;
        loop {
            let member = (cursor.number << FAN_SHIFT) + lane;
            let opens = must_open(walker, member, cursor.level - 1u, ends, group_sums);
            let opened = subgroupBallot(opens).x;
            let lowest = cursor.level == 2u;
            cursor.pending = select(cursor.pending, select(opened, 0u, lowest), lane == cursor.level);
            // Clusters of boids are opened at once: many devices execute every branch of an iteration.
            add_lowest(walker, cursor.number, select(0u, opened, lowest), ends, sums);
            if (!advance_cursor(&cursor, top)) {
                break;
            }
        }
        root++;
        if (root << (FAN_SHIFT * top) >= ends.y) {
            break;
        }
    }
}

// True if a cluster has to be opened, as one that crosses the range's end; otherwise it is added or culled.
fn must_open(walker: Walker, number: u32, level: u32, ends: vec2<u32>, group_sums: ptr<function, Sums>) -> bool {
    let shift = FAN_SHIFT * level;
    let begin = number << shift;
    let end = begin + (1u << shift);
    if (end <= ends.x || ends.y <= begin) {
        return false;
    }
    if (begin < ends.x || ends.y < end) {
        return true;
    }
    var start = 0u;
    for (var below = 1u; below < level; below++) {
        start += rule.boids >> (FAN_SHIFT * below);
    }
    let low = walker.low;
    let own = (walker.i >> shift) == number;
    return !add_or_cull(walker.group, group_sums, low, low, walker.high, own, arrivals[start + number]);
}

// Adds the boids of a cluster's opened members (one bit each), which are clusters of boids.
fn add_lowest(walker: Walker, number: u32, opened: u32, ends: vec2<u32>, sums: ptr<function, Sums>) {
    var left = opened;
    if (left == 0u) {
        return;
    }
    loop {
        let j = (((number << FAN_SHIFT) + countTrailingZeros(left)) << FAN_SHIFT) + lane;
        // Pad with the boid itself, marked resting.
        var candidate = Candidate(j, walker.me.position, vec4<Number>(RESTING));
        if (ends.x <= j && j < ends.y) {
            candidate.position = positions[j].xyz;
            candidate.velocity = velocities[j];
        }
        add_candidates(walker.i, walker.senses, walker.me, candidate, sums);
        left &= left - 1u;
        if (left == 0u) {
            break;
        }
    }
}

// Moves to the next pending member of the same cluster, or of one above it; false at the end.
fn advance_cursor(cursor: ptr<function, Cursor>, top: u32) -> bool {
    loop {
        let level = (*cursor).level;
        let pending = subgroupShuffle((*cursor).pending, level);
        if (pending != 0u) {
            (*cursor).pending = select((*cursor).pending, pending & (pending - 1u), lane == level);
            (*cursor).number = ((*cursor).number << FAN_SHIFT) + countTrailingZeros(pending);
            (*cursor).level = level - 1u;
            return true;
        }
        (*cursor).number = (*cursor).number >> FAN_SHIFT;
        (*cursor).level = level + 1u;
        if ((*cursor).level > top) {
            return false;
        }
    }
    return false;
}

// Kernel of a crowded flock: the boids of a subgroup, which lie side by side, look about together. A crowd has as many
// members as a subgroup has lanes: each lane meets one of those of a crowd that is opened, for all who look, and sums up
// what they all perceive; boids that are left are handed round.
//
// Every lane takes every turn of every loop, for all must be there to hand round. Loops ask at their end whether to go
// on, as in shared.wgsl.
//!include step.wgsl
//!include common/stay.wgsl
//!include common/verdict.wgsl
//!include common/hand.wgsl
//!include together.wgsl

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let k = in_round(group, groups, local);
    let present = k < moment.end;
    let i = min(k, moment.end - 1u);
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    look_around(i, lane, present && !resting(boid), boid, &sums);
    if (present) {
        go_on(i, boid, sums);
    }
}

// Runs of boids in one row of cells, as in shared.wgsl, one after the other.
fn look_around(i: u32, lane: u32, looks: bool, boid: Boid, sums: ptr<function, Sums>) {
    var senses = senses_of_rule();
    let reach_square = senses.reach_square;
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    var firsts = firsts_of_runs(cell, lane);
    loop {
        let first = countTrailingZeros(firsts);
        firsts &= firsts - 1u;
        let last = min(countTrailingZeros(firsts), LANES) - 1u;
        let mine = looks & (first <= lane) & (lane <= last);
        senses.reach_square = select(Number(-1), reach_square, mine);
        // The box around them.
        let place = select(subgroupShuffle(me.position, first), me.position, mine);
        let low = observer(senses, subgroupMin(place), vec3<Number>(), false);
        let high = observer(senses, subgroupMax(place), vec3<Number>(), false);
        var together = Sums();
        let from_cell = subgroupShuffle(cell, first);
        let to_x = subgroupShuffle(cell.x, last);
        let dims = grid.dims.xyz;
        var z = 0u;
        loop {
            var y = 0u;
            loop {
                let at = vec3<u32>(0u, neighbour(from_cell.y, y, dims.y), neighbour(from_cell.z, z, dims.z));
                var k = first_span(to_x, dims.x);
                loop {
                    let cells = span(from_cell.x, to_x, dims.x, k) + cell_index(at);
                    let ends = vec2<u32>(starts[cells.x], starts[cells.y]);
                    if (ends.x < ends.y) {
                        look_along(i, lane, senses, reach_square, me, low, high, ends, sums, &together);
                    }
                    k++;
                    if (k > last_span(from_cell.x)) {
                        break;
                    }
                }
                y++;
                if (y >= visited(dims.y)) {
                    break;
                }
            }
            z++;
            if (z >= visited(dims.z)) {
                break;
            }
        }
        // Of all lanes, also of those that do not look.
        let seen_there = all_lanes(together);
        if (mine) {
            add_together(senses, sums, me, low, seen_there);
        }
        if (firsts == 0u) {
            break;
        }
    }
}

// Adds up the boids of a stretch of the sorted: opens the least crowds that hold it, and whichever of those within has
// to be opened.
fn look_along(
    i: u32,
    lane: u32,
    senses: Senses,
    reach_square: Number,
    me: Observer,
    low: Observer,
    high: Observer,
    ends: vec2<u32>,
    sums: ptr<function, Sums>,
    together: ptr<function, Sums>,
) {
    var all = senses;
    all.reach_square = reach_square;
    var top = 2u;
    while (top < LEVELS && ends.y - ends.x > 1u << (FAN_SHIFT * top)) {
        top++;
    }
    // In each lane, the bits of those members of an opened crowd that are to be opened yet: a lane a level.
    var left = 0u;
    var root = ends.x >> (FAN_SHIFT * top);
    loop {
        var level = top;
        var number = root;
        loop {
            let member = (number << FAN_SHIFT) + lane;
            let opens = subgroupBallot(opened(all, i, member, level - 1u, low, high, ends, together)).x;
            left = select(left, select(opens, 0u, level == 2u), lane == level);
            // Those of boids are opened at once: many devices compute all that a turn might do.
            var smallest = select(0u, opens, level == 2u);
            if (smallest != 0u) {
                loop {
                    let first = ((number << FAN_SHIFT) + countTrailingZeros(smallest)) << FAN_SHIFT;
                    look_at(i, first + lane, senses, me, ends, sums);
                    smallest &= smallest - 1u;
                    if (smallest == 0u) {
                        break;
                    }
                }
            }
            // On to the next of the same crowd, or of one above it.
            loop {
                let rest = subgroupShuffle(left, level);
                if (rest != 0u) {
                    left = select(left, rest & (rest - 1u), lane == level);
                    number = (number << FAN_SHIFT) + countTrailingZeros(rest);
                    level--;
                    break;
                }
                number = number >> FAN_SHIFT;
                level++;
                if (level > top) {
                    break;
                }
            }
            if (level > top) {
                break;
            }
        }
        root++;
        if (root << (FAN_SHIFT * top) >= ends.y) {
            break;
        }
    }
}

// Whether a crowd of a level has to be opened. One that reaches beyond the stretch has to.
fn opened(
    senses: Senses,
    i: u32,
    number: u32,
    level: u32,
    low: Observer,
    high: Observer,
    ends: vec2<u32>,
    together: ptr<function, Sums>,
) -> bool {
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
    return !taken(senses, together, low, low, high, (i >> shift) == number, crowd_at(start + number));
}

// Hands round the boids of the smallest crowd.
fn look_at(i: u32, j: u32, senses: Senses, me: Observer, ends: vec2<u32>, sums: ptr<function, Sums>) {
    var position = me.position;
    var velocity = vec4<Number>(RESTING);
    if (ends.x <= j && j < ends.y) {
        position = positions[j].xyz;
        velocity = velocities[j];
    }
    meet(i, j, senses, me, position, velocity, sums);
}

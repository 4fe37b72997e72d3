// Kernel of a dense flock: each invocation reads the candidates of its own boid, and their clusters.
//!include common/step.wgsl
//!include common/walk.wgsl
//!include common/write_only.wgsl
//!include rule/clusters.wgsl

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    step_boid(boid_of_round(at));
}

// Adds the boids of the cells around a boid, range by range.
fn add_neighbours(i: u32, perceives: bool, boid: Boid, sums: ptr<function, Sums>) {
    if (!perceives) {
        return;
    }
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, USES_FIELD_OF_VIEW);
    let cell = cell_of(wrap(boid.position));
    var walk = walk_from(cell, cell.x);
    loop {
        let range = next_range(&walk);
        if (range.y > 0u) {
            add_range(i, senses, me, range.x, range.x + range.y, sums);
        }
        if (ended(walk)) {
            break;
        }
    }
}

// Adds the boids in begin..end: by the largest clusters that begin and end there, and the remaining boids one by one.
// The boids of one cluster open the same clusters: all that any of them has to open.
fn add_range(i: u32, senses: Senses, me: Observer, begin: u32, end: u32, sums: ptr<function, Sums>) {
    var low = me;
    var high = me;
    if ((((i >> FAN_SHIFT) + 1u) << FAN_SHIFT) <= rule.boids) {
        let own = arrivals[i >> FAN_SHIFT];
        low = observer(senses, own.low.xyz, Vector(), false);
        high = observer(senses, own.high.xyz, Vector(), false);
    }
    // A cluster of the current level has 2^shift boids; the first of the level is at `start`.
    var shift = 0u;
    var start = 0u;
    var j = begin;
    loop {
        while (shift < FAN_SHIFT * LEVELS) {
            let larger = 1u << (shift + FAN_SHIFT);
            if ((j & (larger - 1u)) != 0u || end - j < larger) {
                break;
            }
            start += select(0u, rule.boids >> shift, shift > 0u);
            shift += FAN_SHIFT;
        }
        // Away from the beginning of a cluster: boids up to the next one.
        var single_end = min(end, ((j >> FAN_SHIFT) + 1u) << FAN_SHIFT);
        while (shift > 0u) {
            let own = (i >> shift) == (j >> shift);
            let whole = end - j >= 1u << shift;
            if (whole && add_or_cull(senses, sums, me, low, high, own, arrivals[start + (j >> shift)])) {
                j += 1u << shift;
                single_end = j;
                break;
            }
            shift -= FAN_SHIFT;
            start -= select(0u, rule.boids >> shift, shift > 0u);
        }
        while (j < single_end) {
            add_sorted(i, j, senses, me, sums);
            j++;
        }
        if (j >= end) {
            break;
        }
    }
}

// Adds one of the sorted boids if it is near.
fn add_sorted(i: u32, j: u32, senses: Senses, me: Observer, sums: ptr<function, Sums>) {
    let position = positions[j].xyz;
    let offset = offset_to(senses, me, position);
    let square = square_of(offset);
    if (square < senses.reach_square && j != i) {
        add_neighbour(senses, sums, me, Neighbour(j, position, velocities[j], offset, square), true);
    }
}

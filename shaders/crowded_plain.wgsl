// Kernel of a crowded flock: each boid looks about for itself.
//!include step.wgsl
//!include common/stay.wgsl
//!include common/rows.wgsl
//!include common/verdict.wgsl

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = in_round(group, groups, local);
    if (k >= moment.end) {
        return;
    }
    let i = min(k, moment.end - 1u);
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!resting(boid)) {
        look_around(i, boid, &sums);
    }
    go_on(i, boid, sums);
}

// Adds up the boids from begin to end: the largest crowds that begin and end there, and what is left. Boids of one
// crowd go the same way, for they open what any of them would have to.
fn look_along(i: u32, senses: Senses, me: Observer, begin: u32, end: u32, sums: ptr<function, Sums>) {
    if (begin >= end) {
        return;
    }
    var low = me;
    var high = me;
    if ((((i >> FAN_SHIFT) + 1u) << FAN_SHIFT) <= rule.boids) {
        let own = crowd_at(i >> FAN_SHIFT);
        low = observer(senses, own.low.xyz, vec3<Number>(), false);
        high = observer(senses, own.high.xyz, vec3<Number>(), false);
    }
    // A crowd has 2^shift boids; those of its level begin at start.
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
        // No crowd begins here: boids up to the next that does.
        var alone = min(end, ((j >> FAN_SHIFT) + 1u) << FAN_SHIFT);
        while (shift > 0u) {
            let mine = (i >> shift) == (j >> shift);
            let whole = end - j >= 1u << shift;
            if (whole && taken(senses, sums, me, low, high, mine, crowd_at(start + (j >> shift)))) {
                j += 1u << shift;
                alone = j;
                break;
            }
            shift -= FAN_SHIFT;
            start -= select(0u, rule.boids >> shift, shift > 0u);
        }
        while (j < alone) {
            let position = positions[j].xyz;
            let offset = offset_to(senses, me, position);
            let square = square_of(offset);
            if (square < senses.reach_square && j != i) {
                add_boid(senses, sums, me, true, position, velocities[j], offset, square);
            }
            j++;
        }
        if (j >= end) {
            break;
        }
    }
}

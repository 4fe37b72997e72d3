// Twin of flock/src/fixed/number.rs: from raw sums over the neighbours to sums and means of offsets and velocities.

// A boid's place less its position: what every offset from that place is off.
fn aloof(position: vec3<i32>) -> vec3<i32> {
    let place = shift_right_word(position, rule.format.place);
    return (place << vec3<u32>(rule.format.place)) - position;
}

// The sum of the pushes, with PUSH more digits where the falloff has a pole.
fn full_pushes(total: Total) -> Wide {
    if (FALLOFF != FALLOFF_NONE) {
        return both(total);
    }
    return add_wide(shift_left(widen(total.sum), rule.format.place), widen(total.rest));
}

// S from what was pushed.
fn pushes(total: Total) -> Wide {
    if (FALLOFF != FALLOFF_NONE) {
        return shift_right(both(total), u32(PUSH));
    }
    return full_pushes(total);
}

// The direction of S, of any length.
fn push_way(total: Total) -> vec3<i32> {
    return narrow(full_pushes(total));
}

// The mean of the pushes; `own` is 1 where the boid itself counts.
fn mean_push(total: Total, count: i32, own: u32) -> Wide {
    let all = u32(count) + own;
    if (FALLOFF == FALLOFF_NONE) {
        return widen(mean(total.sum, total.rest, rule.format.place, all));
    }
    return divided(pushes(total), all);
}

// The mean of offsets; `own` is 1 where the boid itself counts.
fn mean_offset(total: Total, count: i32, own: u32, position: vec3<i32>) -> vec3<i32> {
    let all = u32(count) + own;
    let mean_of_places = mean(total.sum, total.rest, rule.format.place, all);
    if (EXACT_PULL) {
        return mean_of_places;
    }
    // The neighbours are known by their places, but the boid knows where it is itself.
    var off = aloof(position);
    if (own != 0u) {
        off -= mean(off, vec3<i32>(0), 0u, all);
    }
    return plus(mean_of_places, off);
}

// The mean of velocities, and of the own one where it counts.
fn mean_velocity(sum: Total, count: i32, velocity: vec3<i32>) -> vec3<i32> {
    var total = sum;
    if (rule.align.include_self != 0u) {
        join_velocity(senses_of_rule(), &total, velocity);
    }
    return mean(total.sum, total.rest, rule.format.pace, u32(count) + rule.align.include_self);
}

// A sum of differences between offsets, as a vector.
fn differences(sum: vec3<i32>) -> Wide {
    return shift_left(widen(sum), rule.format.place);
}

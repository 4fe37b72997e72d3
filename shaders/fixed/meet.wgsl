// How a boid meets a crowd, in integers.

// What bounds the offsets to a crowd.
struct Bounds {
    // Between places, before the image is taken.
    low: vec3<i32>,
    // They have the same image, all of them.
    alike: bool,
    // No offset's square is below the one or above the other.
    nearest: i32,
    farthest: i32,
    // All are zero, to the last digit.
    here: bool,
}

// Of all who look from a box, whose corners are given.
fn bounds_of(senses: Senses, me: Observer, low_me: Observer, high_me: Observer, crowd: Crowd) -> Bounds {
    let low = place_of(senses, crowd.low.xyz) - high_me.place;
    let high = place_of(senses, crowd.high.xyz) - low_me.place;
    var alike = true;
    if (WRAPS) {
        let below = (low < -senses.half_size) == (high < -senses.half_size);
        let above = (senses.half_size < low) == (senses.half_size < high);
        alike = all(below & above);
    }
    let from_low = offset_to(senses, high_me, crowd.low.xyz);
    let from_high = offset_to(senses, low_me, crowd.high.xyz);
    let near = max(max(from_low, -from_high), vec3<i32>(0));
    let far = max(abs(from_low), abs(from_high));
    let here = all(crowd.low.xyz == high_me.position) & all(crowd.high.xyz == low_me.position);
    return Bounds(place_of(senses, crowd.low.xyz) - me.place, alike, square_of(near), square_of(far), here);
}

fn count_of(crowd: Crowd) -> u32 {
    return u32(crowd.low.w);
}

// Adds all of a crowd to the sums of the rules that perceive it. Where f has a pole all are at the boid's own place,
// and do not push.
fn add_crowd(
    senses: Senses,
    sums: ptr<function, Sums>,
    me: Observer,
    crowd: Crowd,
    bounds: Bounds,
    separates: bool,
    aligns: bool,
    coheres: bool,
) {
    let count = crowd.low.w;
    var offset = crowd.place.xyz - me.place * count;
    var fine = crowd.position.xyz - me.position * count;
    if (WRAPS) {
        let zero = vec3<i32>(0);
        offset += image(bounds.low, zero, senses.size, senses.half_size) * count;
        fine += image(bounds.low, zero, senses.fine_size, senses.half_size) * count;
    }
    let rest = fine - (offset << senses.place);
    if (separates) {
        if (FALLOFF == FALLOFF_NONE) {
            (*sums).separation.sum -= offset;
            (*sums).separation.rest -= rest;
        }
        (*sums).separation_count += count;
    }
    if (aligns) {
        (*sums).alignment.sum += crowd.pace.xyz;
        if (EXACT_JOIN) {
            (*sums).alignment.rest += crowd.rest.xyz;
        }
        (*sums).alignment_count += count;
    }
    if (coheres) {
        (*sums).cohesion.sum += offset;
        if (EXACT_PULL) {
            (*sums).cohesion.rest += rest;
        }
        (*sums).cohesion_count += count;
    }
}

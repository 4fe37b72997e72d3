// How a boid meets a crowd, in f32.

// Squares of bounds may be rounded otherwise than those of offsets.
const SLACK: f32 = 0.000001;

// What bounds the offsets to a crowd.
struct Bounds {
    // From the low corner of the box to its own.
    low: vec3<f32>,
    // They have the same image, all of them.
    alike: bool,
    // No offset's square is below the one or above the other.
    nearest: f32,
    farthest: f32,
    // All are zero.
    here: bool,
}

// Of all who look from a box, whose corners are given.
fn bounds_of(senses: Senses, me: Observer, low_me: Observer, high_me: Observer, crowd: Crowd) -> Bounds {
    let low = crowd.low.xyz - high_me.position;
    let high = crowd.high.xyz - low_me.position;
    var alike = true;
    if (WRAPS) {
        let below = (low < -senses.half_size) == (high < -senses.half_size);
        let above = (senses.half_size < low) == (senses.half_size < high);
        alike = all(below & above);
    }
    let from_low = offset_to(senses, high_me, crowd.low.xyz);
    let from_high = offset_to(senses, low_me, crowd.high.xyz);
    let near = max(max(from_low, -from_high), vec3<f32>(0.0));
    let far = max(abs(from_low), abs(from_high));
    return Bounds(
        offset_to(senses, me, crowd.low.xyz),
        alike,
        square_of(near) * (1.0 - SLACK),
        square_of(far) * (1.0 + SLACK),
        all(from_low == vec3<f32>(0.0)) & all(from_high == vec3<f32>(0.0)),
    );
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
    let offset = bounds.low * count + crowd.offset.xyz;
    if (separates) {
        (*sums).separation -= select(vec3<f32>(0.0), offset, FALLOFF == FALLOFF_NONE);
        (*sums).separation_count += count;
    }
    if (aligns) {
        (*sums).alignment += crowd.velocity.xyz;
        (*sums).alignment_count += count;
    }
    if (coheres) {
        (*sums).cohesion += offset;
        (*sums).cohesion_count += count;
    }
}

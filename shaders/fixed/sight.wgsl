// Twin of flock/src/fixed/number.rs: distances told exactly, in two words.

// Whether a vector is shorter than a radius.
fn within(v: vec3<i32>, radius: i32) -> bool {
    let squares = mul_wide_each(v, v);
    let x = Wide(vec3<u32>(squares.low.x), vec3<i32>(squares.high.x));
    let y = Wide(vec3<u32>(squares.low.y), vec3<i32>(squares.high.y));
    let z = Wide(vec3<u32>(squares.low.z), vec3<i32>(squares.high.z));
    let sum = add_wide(add_wide(x, y), z);
    let most = mul_wide(vec3<i32>(radius, 0, 0), radius);
    // Below 2^64: compared without signs.
    let high = bitcast<u32>(sum.high.x);
    let most_high = bitcast<u32>(most.high.x);
    return high < most_high || (high == most_high && sum.low.x < most.low.x);
}

// The unit vector of an offset shorter than a radius; zero for others, and for zero.
fn toward(offset: vec3<i32>, radius: i32) -> vec3<i32> {
    if (!within(offset, radius)) {
        return vec3<i32>(0);
    }
    return unit_vector(polar(offset));
}

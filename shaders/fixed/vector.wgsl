// Twin of flock/src/vector.rs and flock/src/fixed/direction.rs: vectors of words.
//!include wide.wgsl

fn plus(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> {
    let sum = a + b;
    return select(sum, most_of(a), ((a ^ sum) & (b ^ sum)) < vec3<i32>(0));
}

fn minus(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> {
    let rest = a - b;
    return select(rest, most_of(a), ((a ^ b) & (a ^ rest)) < vec3<i32>(0));
}

// Rounded to the nearest, halves up.
fn times(a: vec3<i32>, b: i32) -> vec3<i32> {
    let product = shift_right(mul_wide(a, b), FRACTION);
    return saturate_wide(product);
}

// The words furthest from zero with the signs of others.
fn most_of(a: vec3<i32>) -> vec3<i32> {
    return (a >> vec3<u32>(31u)) ^ vec3<i32>(MOST);
}

fn opposite(a: vec3<i32>) -> vec3<i32> {
    return minus(vec3<i32>(0), a);
}

// The largest magnitude of a component.
fn largest(v: vec3<i32>) -> i32 {
    let magnitudes = max(v, opposite(v));
    return max(max(magnitudes.x, magnitudes.y), magnitudes.z);
}

// A vector's unit vector and length, unpacked.
struct Polar {
    // Whether there is one: none for zero.
    some: bool,
    // With 30 binary digits after the point.
    unit: vec3<i32>,
    // 2^30 / sqrt(x), where the length is sqrt(x) 2^(32 - halving - shift).
    root: u32,
    x: u32,
    halving: u32,
    // How far the vector was shifted up; -1 where it was shifted down by one.
    shift: i32,
}

fn polar(v: vec3<i32>) -> Polar {
    let magnitudes = magnitude(v);
    let all = magnitudes.x | magnitudes.y | magnitudes.z;
    if (all == 0u) {
        return Polar();
    }
    // The highest bit goes to 2^30: three squares then add up below 2^32.
    let shift = i32(countLeadingZeros(all)) - 1;
    var shifted = magnitudes << vec3<u32>(u32(max(shift, 0)));
    if (shift < 0) {
        shifted = (magnitudes >> vec3<u32>(1u)) + (magnitudes & vec3<u32>(1u));
    }
    let square = mul_high(shifted, shifted);
    let sum = square.x + square.y + square.z;
    let halving = select(0u, 1u, sum < 0x40000000u);
    let x = sum << (2u * halving);
    let root = reciprocal_root(x);
    let parts = mul_high(shifted, vec3<u32>(root)) << vec3<u32>(halving);
    return Polar(true, signed_as(v < vec3<i32>(0), parts), root, x, halving, shift);
}

// The unit vector with FRACTION digits.
fn unit_vector(p: Polar) -> vec3<i32> {
    return shift_right_word(p.unit, 30u - FRACTION);
}

// The length in the vector's own unit, rounded, cut to the largest word.
fn length_of(p: Polar) -> i32 {
    // sqrt(x) in 2^-30, then times 2^(32 - halving - shift).
    let scaled = mul_high_word(p.x, p.root);
    let down = p.shift + i32(p.halving) - 2;
    if (down > 0) {
        return i32((scaled + (1u << u32(down - 1))) >> u32(down));
    }
    let up = u32(-down);
    return i32(select(scaled << up, 0x7fffffffu, scaled > (0x7fffffffu >> up)));
}

// Unit vector and length; both zero for a vector that has neither.
struct Direction {
    unit: vec3<i32>,
    length: i32,
}

fn direction(v: vec3<i32>) -> Direction {
    let p = polar(v);
    if (!p.some) {
        return Direction();
    }
    return Direction(unit_vector(p), length_of(p));
}

// The vector, its length cut to `most`.
fn limit(v: vec3<i32>, most: i32) -> vec3<i32> {
    let d = direction(v);
    if (most < d.length) {
        return times(d.unit, most);
    }
    return v;
}

// Twin of flock/src/vector.rs, with the thresholds of number.rs.

// A length below this counts as zero; and its square.
const TINY: f32 = 0x1p-50f;
const TINY_SQUARE: f32 = 0x1p-100f;

// Unit vector and length; both zero for a vector that has neither.
struct Direction {
    unit: vec3<f32>,
    length: f32,
}

// The largest magnitude of a component.
fn largest(v: vec3<f32>) -> f32 {
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// Divided by the largest component first, so that no square over- or underflows.
fn direction(v: vec3<f32>) -> Direction {
    let most = largest(v);
    if (most < TINY) {
        return Direction(vec3<f32>(0.0), 0.0);
    }
    let scaled = v / most;
    let length = sqrt(dot(scaled, scaled));
    return Direction(scaled / length, length * most);
}

// The vector, its length cut to `most`.
fn limit(v: vec3<f32>, most: f32) -> vec3<f32> {
    let d = direction(v);
    if (most < d.length) {
        return d.unit * most;
    }
    return v;
}

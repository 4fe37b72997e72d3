// Twin of flock/src/vector.rs.

alias Vector = vec3<Number>;

// Unit vector and length; both zero where a vector is too short to have a direction.
struct Direction {
    exists: bool,
    unit: Vector,
    length: Number,
}

// The vector, its length cut to `most`.
fn limit(v: Vector, most: Number) -> Vector {
    let d = direction(v);
    if (most < d.length) {
        return times(d.unit, most);
    }
    return v;
}

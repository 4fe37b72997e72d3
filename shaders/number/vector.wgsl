// Twin of flock/src/number/vector.rs.

alias Vector = vec3<Number>;

// Unit vector and length; both zero for a vector too short to have a direction.
struct Direction {
    exists: bool,
    unit: Vector,
    length: Number,
}

fn dot_of(a: Vector, b: Vector) -> Number {
    let products = times_each(a, b);
    return add(add(products.x, products.y), products.z);
}

// Limits the length of a vector to `most`.
fn limit(v: Vector, most: Number) -> Vector {
    let d = direction(v);
    if (most < d.length) {
        return times(d.unit, most);
    }
    return v;
}

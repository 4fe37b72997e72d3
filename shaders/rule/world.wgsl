// Twin of flock/src/world.rs: the edges of the world.
//!include number/{number}.wgsl
//!include common/rule.wgsl
//!include written/switches.wgsl

// The nearest image of the offset in a world that wraps; elsewhere the offset itself.
fn nearest_image(offset: Vector) -> Vector {
    if (!USES_WRAP || rule.edges != EDGES_WRAP) {
        return offset;
    }
    return image(offset, offset, rule.size.xyz, rule.half_size.xyz);
}

// The image of `offset`, in a wrapping world of this size, that makes `near` nearest; `half_size` is in the unit of
// `near`.
fn image(near: Vector, offset: Vector, size: Vector, half_size: Vector) -> Vector {
    return select(select(offset, offset + size, near < -half_size), offset - size, half_size < near);
}

// Wraps a position back into a world that wraps.
fn wrap(position: Vector) -> Vector {
    if (!USES_WRAP || rule.edges != EDGES_WRAP) {
        return confine(position);
    }
    return Vector(
        wrap_axis(position.x, rule.world_min.x, rule.world_max.x, rule.size.x),
        wrap_axis(position.y, rule.world_min.y, rule.world_max.y, rule.size.y),
        wrap_axis(position.z, rule.world_min.z, rule.world_max.z, rule.size.z),
    );
}

fn wrap_axis(p: Number, low: Number, high: Number, size: Number) -> Number {
    if ((low <= p && p < high) || size <= 0) {
        return confine(Vector(p)).x;
    }
    let q = subtract(p, multiply(size, floor_of(divide(subtract(p, low), size))));
    // Rounding may yield the far edge, which is equivalent to the near one.
    if (q < low || high <= q) {
        return low;
    }
    return q;
}

// Twin of flock/src/rule.rs: what it knows of the world's edges.

// Constant where the pipeline is made for one rule.
override WRAPS: bool = true;

// The offset's nearest image where the world wraps; the offset itself elsewhere.
fn nearest_image(offset: vec3<i32>) -> vec3<i32> {
    if (!WRAPS || rule.edges != EDGES_WRAP) {
        return offset;
    }
    return image(offset, offset, rule.size.xyz, rule.half_size.xyz);
}

// The image of an offset in a wrapping world of this size that makes near the nearest; half a world in near's unit.
fn image(near: vec3<i32>, offset: vec3<i32>, size: vec3<i32>, half_size: vec3<i32>) -> vec3<i32> {
    return select(select(offset, offset + size, near < -half_size), offset - size, half_size < near);
}

// Where differences of two fit.
fn confine(position: vec3<i32>) -> vec3<i32> {
    let far = vec3<i32>(MOST >> 1u);
    return clamp(position, -far, far);
}

// A position brought back into the world where it wraps; elsewhere kept where differences of two fit.
fn wrap(position: vec3<i32>) -> vec3<i32> {
    if (!WRAPS || rule.edges != EDGES_WRAP) {
        return confine(position);
    }
    return vec3<i32>(
        wrap_axis(position.x, rule.world_min.x, rule.world_max.x, rule.size.x),
        wrap_axis(position.y, rule.world_min.y, rule.world_max.y, rule.size.y),
        wrap_axis(position.z, rule.world_min.z, rule.world_max.z, rule.size.z),
    );
}

fn wrap_axis(p: i32, low: i32, high: i32, size: i32) -> i32 {
    if ((low <= p && p < high) || size <= 0) {
        return confine(vec3<i32>(p)).x;
    }
    let times_round = (divide(subtract(p, low), size) >> FRACTION) << FRACTION;
    let q = subtract(p, multiply(size, times_round));
    // Rounding may land on the far edge, which is the near one.
    if (q < low || high <= q) {
        return low;
    }
    return q;
}

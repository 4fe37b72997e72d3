// Twin of flock/src/rule.rs: what it knows of the world's edges.

// Constant where the pipeline is made for one rule.
override WRAPS: bool = true;

// The offset's nearest image where the world wraps; the offset itself elsewhere.
fn nearest_image(offset: vec3<f32>) -> vec3<f32> {
    if (!WRAPS || rule.edges != EDGES_WRAP) {
        return offset;
    }
    return image(offset, rule.size.xyz, rule.half_size.xyz);
}

// The offset's nearest image in a world of this size that wraps.
fn image(offset: vec3<f32>, size: vec3<f32>, half_size: vec3<f32>) -> vec3<f32> {
    return select(select(offset, offset + size, offset < -half_size), offset - size, half_size < offset);
}

// A position brought back into the world where it wraps.
fn wrap(position: vec3<f32>) -> vec3<f32> {
    if (!WRAPS || rule.edges != EDGES_WRAP) {
        return position;
    }
    return vec3<f32>(
        wrap_axis(position.x, rule.world_min.x, rule.world_max.x, rule.size.x),
        wrap_axis(position.y, rule.world_min.y, rule.world_max.y, rule.size.y),
        wrap_axis(position.z, rule.world_min.z, rule.world_max.z, rule.size.z),
    );
}

fn wrap_axis(p: f32, low: f32, high: f32, size: f32) -> f32 {
    if ((low <= p && p < high) || size <= 0.0) {
        return p;
    }
    let q = p - size * floor((p - low) / size);
    // Rounding may land on the far edge, which is the near one.
    if (q < low || high <= q) {
        return low;
    }
    return q;
}

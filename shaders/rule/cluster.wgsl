// Clusters: runs of 8, 64, 512 and so on consecutive sorted boids, level by level. They occupy the memory of the
// arrivals, which is free in a step that uses them.
//!include written/constants.wgsl

// A cluster of flying boids. It excludes perching boids, which no boid perceives.
struct Cluster {
    // The corners of the bounding box; w of the first counts the boids.
    low: vec4<Number>,
    high: vec4<Number>,
    // Sums of the offsets from the low corner, and of the velocities.
    offset: Total,
    velocity: Total,
}

fn cluster_of_boid(position: vec4<Number>, velocity: vec4<Number>) -> Cluster {
    if (velocity.w < 0) {
        return Cluster();
    }
    let corner = vec4<Number>(position.xyz, Number(1));
    return Cluster(corner, corner, Total(), velocity_total(units_of(rule.format), velocity.xyz));
}

fn merged(a: Cluster, b: Cluster) -> Cluster {
    if (a.low.w == 0) {
        return b;
    }
    if (b.low.w == 0) {
        return a;
    }
    let low = min(a.low.xyz, b.low.xyz);
    let units = units_of(rule.format);
    let of_a = scale_total(difference_total(units, low, a.low.xyz), a.low.w);
    let of_b = scale_total(difference_total(units, low, b.low.xyz), b.low.w);
    return Cluster(
        vec4<Number>(low, a.low.w + b.low.w),
        max(a.high, b.high),
        add_totals(add_totals(add_totals(a.offset, of_a), b.offset), of_b),
        add_totals(a.velocity, b.velocity),
    );
}

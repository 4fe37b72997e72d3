// Builds clusters, one level per dispatch: from boids, or from the clusters of the level below.
//!include rule/world.wgsl
//!include rule/perceive.wgsl
//!include rule/cluster.wgsl
//!include common/dispatch.wgsl

@group(0) @binding(0) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read_write> arrivals: array<Cluster>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let number = element_of(at);
    if (number >= dispatch.end) {
        return;
    }
    // Clusters of lower levels precede in memory.
    var below = 0u;
    var start = 0u;
    for (var level = 1u; level < dispatch.round; level++) {
        below = start;
        start += rule.boids >> (FAN_SHIFT * level);
    }
    var cluster = Cluster();
    for (var k = number << FAN_SHIFT; k < (number + 1u) << FAN_SHIFT; k++) {
        if (dispatch.round == 1u) {
            cluster = merged(cluster, cluster_of_boid(positions[k], velocities[k]));
        } else {
            cluster = merged(cluster, arrivals[below + k]);
        }
    }
    arrivals[start + number] = cluster;
}

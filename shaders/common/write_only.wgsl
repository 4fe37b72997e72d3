// The end of a clustered step: count.wgsl counts the boids after all have moved, because the clusters still occupy the
// memory of the arrivals.

@group(0) @binding(6) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> arrivals: array<Cluster>;

// Index of an invocation's boid. A round takes workgroups at a fixed stride, so that all rounds take equally long.
fn boid_of_round(at: Invocation) -> u32 {
    return dispatch.first + (workgroup_of(at) * dispatch.rounds + dispatch.round) * GROUP + at.local;
}

fn after_write(i: u32, boid: Boid) {
    tags[i] = vec2<u32>(boid.id, pack_tag(boid));
}

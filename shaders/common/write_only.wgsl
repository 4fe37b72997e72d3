// The end of a clustered step: count.wgsl counts the boids when all have moved, because the clusters still lie in the
// memory of the arrivals.

@group(0) @binding(9) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read> arrivals: array<Cluster>;

// The boid of an invocation. A round takes workgroups at a fixed stride, so that all rounds take equally long.
fn boid_of_round(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    let workgroup = group.y * groups.x + group.x;
    return dispatch.first + (workgroup * dispatch.rounds + dispatch.round) * GROUP + local;
}

fn write_only(i: u32, boid: Boid, sums: Sums) {
    let next = write_moved(i, boid, sums);
    tags[i] = vec2<u32>(next.id, pack_tag(next));
}

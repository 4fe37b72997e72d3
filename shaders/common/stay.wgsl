// The boids of a crowded flock are counted when all have moved (count.wgsl): crowds lie in the room of the arrivals.

@group(0) @binding(9) var<storage, read_write> tags: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read> arrivals: array<vec4<Number>>;

// The boid of an invocation. A round takes every so many-th workgroup: so each takes as long as the others.
fn in_round(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    let turn = group.y * groups.x + group.x;
    return moment.first + (turn * moment.rounds + moment.round) * GROUP + local;
}

// Where a boid goes from what it perceived.
fn go_on(i: u32, boid: Boid, sums: Sums) {
    let next = moved(i, boid, sums);
    tags[i] = vec2<u32>(next.id, pack_tag(next));
}

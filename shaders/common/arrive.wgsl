// Where a boid arrives it is counted at once, for the sorting that follows.

@group(0) @binding(9) var<storage, read> tags: array<vec2<u32>>;
// Id, group and rest, cell, place in the cell.
@group(0) @binding(10) var<storage, read_write> arrivals: array<vec4<u32>>;
@group(0) @binding(11) var<storage, read_write> counts: array<atomic<u32>>;

// Where a boid goes from what it perceived.
fn go_on(i: u32, boid: Boid, sums: Sums) {
    let next = moved(i, boid, sums);
    var cell = 0u;
    var place = i;
    if (!ALONE) {
        cell = cell_index(cell_of(next.position));
        place = atomicAdd(&counts[cell], 1u);
    }
    arrivals[i] = vec4<u32>(next.id, pack_tag(next), cell, place);
}

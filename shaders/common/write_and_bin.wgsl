// The end of a step: each boid is counted into its new cell as it is written, for the binning that follows.

@group(0) @binding(6) var<storage, read> tags: array<vec2<u32>>;
// Id, group and rest, cell, slot in the cell.
@group(0) @binding(7) var<storage, read_write> arrivals: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> counts: array<atomic<u32>>;

fn after_write(i: u32, boid: Boid) {
    var cell = 0u;
    var slot = i;
    if (!NON_INTERACTING) {
        cell = cell_index(cell_of(boid.position));
        slot = atomicAdd(&counts[cell], 1u);
    }
    arrivals[i] = vec4<u32>(boid.id, pack_tag(boid), cell, slot);
}

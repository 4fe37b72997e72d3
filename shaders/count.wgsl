// Counts the boids of each cell, and gives each boid a slot in its cell. A step does this itself; this pass
// serves new states and changed cells.
//!include rule/world.wgsl
//!include common/dispatch.wgsl
//!include common/grid.wgsl

@group(0) @binding(0) var<storage, read> new_positions: array<vec4<Number>>;
@group(0) @binding(1) var<storage, read> tags: array<vec2<u32>>;
// Id, group and rest, cell, slot in the cell.
@group(0) @binding(2) var<storage, read_write> arrivals: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    if (i >= dispatch.end) {
        return;
    }
    let cell = cell_index(cell_of(wrap(new_positions[i].xyz)));
    let slot = atomicAdd(&counts[cell], 1u);
    arrivals[i] = vec4<u32>(tags[i], cell, slot);
}

// Third of three: where each cell starts. The counts are zero again afterwards, and the load is known.
//!include common/dispatch.wgsl
//!include common/scan.wgsl
//!include common/rule.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<storage, read> blocks: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
// One more than there are cells: the last is the number of boids.
@group(0) @binding(3) var<storage, read_write> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> load: Load;

// So that the sum over all cells fits 32 bits, whatever happens.
fn work_unit() -> f32 {
    let boids = f32(rule.boids);
    return max(1.0, boids * boids * 0x1p-30f);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = linear(group, groups, local);
    if (block >= arrayLength(&blocks)) {
        return;
    }
    let cells = arrayLength(&counts);
    let end = min((block + 1u) * BLOCK, cells);
    var running = blocks[block];
    var most = 0u;
    var squares = 0.0;
    for (var cell = block * BLOCK; cell < end; cell++) {
        let count = counts[cell];
        counts[cell] = 0u;
        starts[cell] = running;
        running += count;
        most = max(most, count);
        squares += f32(count) * f32(count);
    }
    if (end == cells) {
        starts[cells] = running;
    }
    if (most > 0u) {
        atomicMax(&load.most, most);
        atomicAdd(&load.work, u32(ceil(squares / work_unit())));
    }
}

// First of three passes that scan the counts of the cells into the start of each cell: sums over blocks of cells.
//!include common/dispatch.wgsl
//!include common/scan.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (halted()) {
        return;
    }
    let block = linear(group, groups, local);
    if (block >= arrayLength(&blocks)) {
        return;
    }
    let end = min((block + 1u) * BLOCK_CELLS, arrayLength(&counts));
    var sum = 0u;
    for (var cell = block * BLOCK_CELLS; cell < end; cell++) {
        sum += counts[cell];
    }
    blocks[block] = sum;
}

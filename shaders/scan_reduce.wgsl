// First of three passes that scan the counts of the cells into the start of each cell: sums over blocks of cells.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let block = element_of(at);
    if (halted() || block >= dispatch.end) {
        return;
    }
    let end = min((block + 1u) * BLOCK_CELLS, arrayLength(&counts));
    var sum = 0u;
    for (var cell = block * BLOCK_CELLS; cell < end; cell++) {
        sum += counts[cell];
    }
    blocks[block] = sum;
}

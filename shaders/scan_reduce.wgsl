// First of three passes that scan the counts of the cells into the start of each cell: sums over blocks of cells, a
// workgroup each.
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/scan.wgsl

const THREADS: u32 = GROUP;

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (halted()) {
        return;
    }
    let block = workgroup_of(at);
    let end = min((block + 1u) * BLOCK_CELLS, arrayLength(&counts));
    var sum = 0u;
    for (var cell = block * BLOCK_CELLS + at.local; cell < end; cell += GROUP) {
        sum += counts[cell];
    }
    let all = inclusive_scan(at.local, sum);
    if (at.local == GROUP - 1u && block < dispatch.end) {
        blocks[block] = all;
    }
}

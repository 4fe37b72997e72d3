// Second of three passes: an exclusive scan over the sums of the blocks, in one workgroup.
//!include written/Load.wgsl
//!include common/guard.wgsl

const THREADS: u32 = 256u;

@group(0) @binding(0) var<storage, read_write> blocks: array<u32>;
@group(0) @binding(1) var<storage, read_write> load: Load;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    if (halted()) {
        return;
    }
    // Each invocation takes a span of consecutive blocks.
    let all = arrayLength(&blocks);
    let length = (all + THREADS - 1u) / THREADS;
    let begin = min(local * length, all);
    let end = min(begin + length, all);
    var own = 0u;
    for (var block = begin; block < end; block++) {
        own += blocks[block];
    }
    sums[local] = own;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance = distance * 2u) {
        var before = 0u;
        if (local >= distance) {
            before = sums[local - distance];
        }
        workgroupBarrier();
        sums[local] += before;
        workgroupBarrier();
    }
    var running = sums[local] - own;
    for (var block = begin; block < end; block++) {
        let count = blocks[block];
        blocks[block] = running;
        running += count;
    }
    if (local == 0u) {
        atomicStore(&load.most, 0u);
        atomicStore(&load.squares[0], 0u);
        atomicStore(&load.squares[1], 0u);
    }
}

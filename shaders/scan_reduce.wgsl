// First of three passes that scan the cells' counts into their starts: sums over blocks of cells, a workgroup each.
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/scan.wgsl

@group(0) @binding(0) var<storage, read> counts: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (halted()) {
        return;
    }
    let begin = element_of(at) * SPAN;
    let end = min(begin + SPAN, arrayLength(&counts));
    var sum = vec4<u32>(0u);
    for (var k = begin; k < end; k++) {
        sum += counts[k];
    }
    counted[at.local] = sum_of(sum);
    workgroupBarrier();
    let block = workgroup_of(at);
    if (at.local == 0u && block < dispatch.end) {
        blocks[block] = counted_before(GROUP);
    }
}

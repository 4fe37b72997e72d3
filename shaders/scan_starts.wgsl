// Third of three passes: the start of each cell. Clears the counts, and sums up the load, first per workgroup, to
// reduce contention on its words.
//!include common/dispatch.wgsl
//!include written/Load.wgsl
//!include common/guard.wgsl
//!include common/long.wgsl
//!include common/scan.wgsl

@group(0) @binding(0) var<storage, read> blocks: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<vec4<u32>>;
// One entry more than cells, at least: its value is the number of boids.
@group(0) @binding(2) var<storage, read_write> starts: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> load: Load;

// Each invocation's contribution to the load.
var<workgroup> mosts: array<u32, GROUP>;
var<workgroup> squares: array<vec2<u32>, GROUP>;

fn square(count: u32) -> vec2<u32> {
    let high = count >> 16u;
    let low = count & 0xffffu;
    // Below 2^32, because there are fewer than 2^31 boids.
    let mixed = 2u * high * low;
    return add_long(vec2<u32>(low * low, high * high), vec2<u32>(mixed << 16u, mixed >> 16u));
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (halted()) {
        return;
    }
    let begin = element_of(at) * SPAN;
    let counts_end = min(begin + SPAN, arrayLength(&counts));
    var own = vec4<u32>(0u);
    var most = vec4<u32>(0u);
    var square_sum = vec2<u32>(0u);
    for (var k = begin; k < counts_end; k++) {
        let count = counts[k];
        own += count;
        most = max(most, count);
        let low = add_long(square(count.x), square(count.y));
        square_sum = add_long(square_sum, add_long(low, add_long(square(count.z), square(count.w))));
    }
    counted[at.local] = sum_of(own);
    mosts[at.local] = max(max(most.x, most.y), max(most.z, most.w));
    squares[at.local] = square_sum;
    workgroupBarrier();
    var running = blocks[min(workgroup_of(at), dispatch.end - 1u)] + counted_before(at.local);
    let starts_end = min(begin + SPAN, arrayLength(&starts));
    for (var k = begin; k < starts_end; k++) {
        var count = vec4<u32>(0u);
        if (k < counts_end) {
            count = counts[k];
            counts[k] = vec4<u32>(0u);
        }
        let before = vec4<u32>(0u, count.x, count.x + count.y, count.x + count.y + count.z);
        starts[k] = running + before;
        running += sum_of(count);
    }
    if (at.local == 0u) {
        add_load();
    }
}

// Adds the contributions of the workgroup.
fn add_load() {
    var most = 0u;
    var all = vec2<u32>(0u);
    for (var k = 0u; k < GROUP; k++) {
        most = max(most, mosts[k]);
        all = add_long(all, squares[k]);
    }
    if (most > 0u) {
        atomicMax(&load.most, most);
        let before = atomicAdd(&load.squares[0], all.x);
        atomicAdd(&load.squares[1], add_long(vec2<u32>(before, 0u), all).y);
    }
}

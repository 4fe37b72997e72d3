// Third of three passes: the start of each cell. Sets the counts back to zero, and sums up the load, first in a workgroup:
// all that add to one word wait for each other.
//!include common/dispatch.wgsl
//!include written/Load.wgsl
//!include common/guard.wgsl
//!include common/long.wgsl
//!include common/scan.wgsl

const THREADS: u32 = GROUP;
const SPAN: u32 = BLOCK_CELLS / GROUP;

@group(0) @binding(0) var<storage, read> blocks: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
// One entry more than there are cells: the last is the number of boids.
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> load: Load;

var<workgroup> most_of_group: atomic<u32>;
var<workgroup> squares_of_group: array<atomic<u32>, 2>;

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
    let cells = arrayLength(&counts);
    let begin = element_of(at) * SPAN;
    let end = min(begin + SPAN, cells);
    var own = 0u;
    for (var cell = begin; cell < end; cell++) {
        own += counts[cell];
    }
    var running = inclusive_scan(at.local, own) - own;
    running += blocks[min(workgroup_of(at), dispatch.end - 1u)];
    var most = 0u;
    var squares = vec2<u32>(0u);
    for (var cell = begin; cell < end; cell++) {
        let count = counts[cell];
        counts[cell] = 0u;
        starts[cell] = running;
        running += count;
        most = max(most, count);
        squares = add_long(squares, square(count));
    }
    if (begin < cells && end == cells) {
        starts[cells] = running;
    }
    if (most > 0u) {
        atomicMax(&most_of_group, most);
        let before = atomicAdd(&squares_of_group[0], squares.x);
        atomicAdd(&squares_of_group[1], add_long(vec2<u32>(before, 0u), squares).y);
    }
    workgroupBarrier();
    if (at.local == 0u) {
        atomicMax(&load.most, atomicLoad(&most_of_group));
        let low = atomicLoad(&squares_of_group[0]);
        let before = atomicAdd(&load.squares[0], low);
        let carry = add_long(vec2<u32>(before, 0u), vec2<u32>(low, atomicLoad(&squares_of_group[1])));
        atomicAdd(&load.squares[1], carry.y);
    }
}

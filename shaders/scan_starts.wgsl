// Third of three passes: the start of each cell. Sets the counts back to zero, and sums up the load.
//!include common/dispatch.wgsl
//!include written/Load.wgsl
//!include common/guard.wgsl
//!include common/long.wgsl

@group(0) @binding(0) var<storage, read> blocks: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
// One entry more than there are cells: the last is the number of boids.
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> load: Load;

fn square(count: u32) -> vec2<u32> {
    let high = count >> 16u;
    let low = count & 0xffffu;
    // Below 2^32, because there are fewer than 2^31 boids.
    let mixed = 2u * high * low;
    return add_long(vec2<u32>(low * low, high * high), vec2<u32>(mixed << 16u, mixed >> 16u));
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let block = element_of(at);
    if (halted() || block >= dispatch.end) {
        return;
    }
    let cells = arrayLength(&counts);
    let end = min((block + 1u) * BLOCK_CELLS, cells);
    var running = blocks[block];
    var most = 0u;
    var squares = vec2<u32>(0u);
    for (var cell = block * BLOCK_CELLS; cell < end; cell++) {
        let count = counts[cell];
        counts[cell] = 0u;
        starts[cell] = running;
        running += count;
        most = max(most, count);
        squares = add_long(squares, square(count));
    }
    if (end == cells) {
        starts[cells] = running;
    }
    if (most > 0u) {
        atomicMax(&load.most, most);
        let before = atomicAdd(&load.squares[0], squares.x);
        atomicAdd(&load.squares[1], add_long(vec2<u32>(before, 0u), squares).y);
    }
}

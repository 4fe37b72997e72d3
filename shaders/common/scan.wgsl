// How a workgroup scans a block of cells: each invocation takes SPAN times four of them side by side. One barrier: at each, software
// adapters change between all invocations.
const SPAN: u32 = BLOCK_CELLS / GROUP / 4u;

// What each invocation has counted.
var<workgroup> counted: array<u32, GROUP>;

fn sum_of(four: vec4<u32>) -> u32 { return four.x + four.y + four.z + four.w; }

// The sum of what the invocations before this one have counted.
fn counted_before(local: u32) -> u32 {
    var sum = 0u;
    for (var k = 0u; k < local; k++) {
        sum += counted[k];
    }
    return sum;
}

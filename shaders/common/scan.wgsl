// The scan of a block of cells by a workgroup: each invocation takes 4 SPAN consecutive cells. There is only one
// barrier, since software adapters switch between all invocations at each.
const SPAN: u32 = BLOCK_CELLS / GROUP / 4u;

// The count of each invocation.
var<workgroup> counted: array<u32, GROUP>;

fn sum_of(four: vec4<u32>) -> u32 { return four.x + four.y + four.z + four.w; }

// The sum of the counts of the invocations before this one.
fn counted_before(local: u32) -> u32 {
    var sum = 0u;
    for (var k = 0u; k < local; k++) {
        sum += counted[k];
    }
    return sum;
}

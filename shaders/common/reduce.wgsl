// SUMS rows of what the invocations of a workgroup hold, and the sum of each, always in the same order. One barrier lies between,
// as in common/scan.wgsl.
var<workgroup> sums: array<Partial, SUMS * GROUP>;

fn sum_of_row(row: u32) -> Partial {
    var all = Partial();
    for (var k = 0u; k < GROUP; k++) {
        all = add_partials(all, sums[row * GROUP + k]);
    }
    return all;
}

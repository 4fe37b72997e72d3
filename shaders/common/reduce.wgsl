// Sums of SUMS rows over the invocations of a workgroup, always in the same order. A single barrier separates the
// phases, as in common/scan.wgsl.
var<workgroup> sums: array<Partial, SUMS * GROUP>;

fn sum_of_row(row: u32) -> Partial {
    var all = Partial();
    for (var k = 0u; k < GROUP; k++) {
        all = add_partials(all, sums[row * GROUP + k]);
    }
    return all;
}

// The sum of what the invocations of a workgroup of THREADS hold, always in the same order.
var<workgroup> sums: array<Partial, THREADS>;

fn sum_of_all(local: u32, own: Partial) -> Partial {
    // Some may still read the sum before.
    workgroupBarrier();
    sums[local] = own;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half = half / 2u) {
        if (local < half) {
            sums[local] = add_partials(sums[local], sums[local + half]);
        }
        workgroupBarrier();
    }
    return sums[0];
}

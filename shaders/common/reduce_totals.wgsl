// Sums each row of partial sums into its total, always in the same order; one workgroup per row. The first row is
// dispatch.first, and dispatch.end is the length of a row.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

const THREADS: u32 = 256u;

@group(0) @binding(0) var<storage, read> partials: array<Partial>;
@group(0) @binding(1) var<storage, read_write> totals: array<Partial>;

var<workgroup> sums: array<Partial, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if (halted()) {
        return;
    }
    let row = dispatch.first + group.x;
    var own = Partial();
    for (var k = local; k < dispatch.end; k += THREADS) {
        own = add_partials(own, partials[row * dispatch.end + k]);
    }
    sums[local] = own;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half = half / 2u) {
        if (local < half) {
            sums[local] = add_partials(sums[local], sums[local + half]);
        }
        workgroupBarrier();
    }
    if (local == 0u) {
        totals[row] = sums[0];
    }
}

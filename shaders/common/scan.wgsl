// An inclusive scan over what the invocations of a workgroup of THREADS hold.
var<workgroup> scanned: array<u32, THREADS>;

fn inclusive_scan(local: u32, own: u32) -> u32 {
    scanned[local] = own;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance = distance * 2u) {
        var before = 0u;
        if (local >= distance) {
            before = scanned[local - distance];
        }
        workgroupBarrier();
        scanned[local] += before;
        workgroupBarrier();
    }
    return scanned[local];
}

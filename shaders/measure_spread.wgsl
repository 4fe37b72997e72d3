// Sums over blocks of the flock, around the centre of mass from measure.wgsl. Row 2: squares of the distances from it along
// the axes; w: squared distances.
//!include common/measure.wgsl

const SUMS: u32 = 1u;

@group(0) @binding(4) var<storage, read> totals: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let begin = workgroup_of(at) * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, scale.boids);
    let centre = scale.middle.xyz + totals[0].xyz / max(totals[0].w, 1.0);
    var spread = vec4<f32>(0.0);
    for (var i = begin + at.local; i < end; i += GROUP) {
        let offset = drawn_positions[i].xyz - centre;
        spread += vec4<f32>(offset * offset, dot(offset, offset));
    }
    sums[at.local] = spread;
    write_sums(at, 2u);
}

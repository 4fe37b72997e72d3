// Sums over blocks of the flock, a workgroup each. Row 0: offsets from the world's centre, w: boids; row 1: headings.
//!include common/measure.wgsl

const SUMS: u32 = 2u;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let begin = workgroup_of(at) * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, scale.boids);
    var offsets = vec4<f32>(0.0);
    var headings = vec4<f32>(0.0);
    for (var i = begin + at.local; i < end; i += GROUP) {
        offsets += vec4<f32>(drawn_positions[i].xyz - scale.middle.xyz, 1.0);
        headings += vec4<f32>(direction(drawn_velocities[i].xyz).unit, 0.0);
    }
    sums[at.local] = offsets;
    sums[GROUP + at.local] = headings;
    write_sums(at, 0u);
}

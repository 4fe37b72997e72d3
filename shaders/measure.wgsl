// Sums over blocks of the flock; a workgroup sums up a block. Row 0: offsets from the world's centre; row 1: headings, w:
// speeds; row 2: how many boids head within 45 degrees of where right scouts go, and left ones.
//!include common/measure.wgsl

const SUMS: u32 = 3u;
// The cosine of 45 degrees.
const NEAR: f32 = 0.70710678;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let begin = workgroup_of(at) * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, scale.boids);
    var offsets = vec4<f32>(0.0);
    var headings = vec4<f32>(0.0);
    var sides = vec4<f32>(0.0);
    for (var i = begin + at.local; i < end; i += GROUP) {
        let heading = direction(drawn_velocities[i].xyz);
        offsets += vec4<f32>(drawn_positions[i].xyz - scale.middle.xyz, 1.0);
        headings += vec4<f32>(heading.unit, heading.length);
        sides.x += select(0.0, 1.0, dot(heading.unit, scale.right.xyz) >= NEAR);
        sides.y += select(0.0, 1.0, dot(heading.unit, scale.left.xyz) >= NEAR);
    }
    sums[at.local] = offsets;
    sums[GROUP + at.local] = headings;
    sums[2u * GROUP + at.local] = sides;
    write_sums(at, 0u);
}

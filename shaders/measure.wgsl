// Sums over blocks of the flock. Row 0: offsets from the world's centre; row 1: headings, w: speeds; row 2: how many
// boids head within 45 degrees of where right scouts go, and left ones.
//!include common/measure.wgsl

// The cosine of 45 degrees.
const NEAR: f32 = 0.70710678;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let block = element_of(at);
    if (block >= dispatch.end) {
        return;
    }
    let begin = block * BLOCK_BOIDS;
    var offsets = vec4<f32>(0.0);
    var headings = vec4<f32>(0.0);
    var sides = vec4<f32>(0.0);
    for (var i = begin; i < min(begin + BLOCK_BOIDS, scale.boids); i++) {
        let heading = direction(drawn_velocities[i].xyz);
        offsets += vec4<f32>(drawn_positions[i].xyz - scale.middle.xyz, 1.0);
        headings += vec4<f32>(heading.unit, heading.length);
        sides.x += select(0.0, 1.0, dot(heading.unit, scale.right.xyz) >= NEAR);
        sides.y += select(0.0, 1.0, dot(heading.unit, scale.left.xyz) >= NEAR);
    }
    partials[block] = offsets;
    partials[dispatch.end + block] = headings;
    partials[2u * dispatch.end + block] = sides;
}

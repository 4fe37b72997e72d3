// Sums over blocks of the flock, around the centre of mass that measure.wgsl found. Row 3: the cross product of the
// direction from the centre and the heading; w: squared distances from it.
//!include common/measure.wgsl

const SUMS: u32 = 1u;
// A bound of the error of the centre, as a share of the coordinates that it is summed from: 300 roundings.
const ROUNDING: f32 = 2e-5;

@group(0) @binding(4) var<storage, read> totals: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let begin = workgroup_of(at) * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, scale.boids);
    let mean = totals[0].xyz / max(totals[0].w, 1.0);
    let centre = scale.middle.xyz + mean;
    // A boid this near to the centre has no direction from it.
    let near = ROUNDING * (largest(scale.middle.xyz) + largest(mean));
    var spread = vec4<f32>(0.0);
    for (var i = begin + at.local; i < end; i += GROUP) {
        let offset = drawn_positions[i].xyz - centre;
        let spin = cross(direction(offset).unit, direction(drawn_velocities[i].xyz).unit);
        spread += vec4<f32>(select(vec3<f32>(0.0), spin, largest(offset) > near), dot(offset, offset));
    }
    sums[at.local] = spread;
    write_sums(at, 3u);
}

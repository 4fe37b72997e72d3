// What the flock looks like as a whole, as it is drawn: in f32, whatever it is computed in. Round 0: row 0 offsets from
// the world's centre, row 1 headings, w: speeds, row 2 how many head within 45 degrees of larger x, and of smaller x.
// Round 1, about the centre of mass: row 3 headings across the way out, w: squared distances.
//!include number.wgsl
//!include vector.wgsl
//!include common/scale.wgsl
//!include common/dispatch.wgsl
//!include common/stretch.wgsl

override ROUND: u32 = 0u;

// The cosine of 45 degrees.
const NEAR: f32 = 0.70710678;

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> drawn_positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> drawn_velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> totals: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let stretch = linear(group, groups, local);
    let stretches = stretches_of(scale.boids);
    if (stretch >= stretches) {
        return;
    }
    let begin = stretch * STRETCH;
    let end = min(begin + STRETCH, scale.boids);
    let middle = scale.middle.xyz;
    if (ROUND == 0u) {
        var offsets = vec4<f32>(0.0);
        var headings = vec4<f32>(0.0);
        var sides = vec4<f32>(0.0);
        for (var i = begin; i < end; i++) {
            let heading = direction(drawn_velocities[i].xyz);
            offsets += vec4<f32>(drawn_positions[i].xyz - middle, 1.0);
            headings += vec4<f32>(heading.unit, heading.length);
            sides.x += select(0.0, 1.0, heading.unit.x >= NEAR);
            sides.y += select(0.0, 1.0, -heading.unit.x >= NEAR);
        }
        partials[stretch] = offsets;
        partials[stretches + stretch] = headings;
        partials[2u * stretches + stretch] = sides;
    } else {
        let centre = middle + totals[0].xyz / max(totals[0].w, 1.0);
        var around = vec4<f32>(0.0);
        for (var i = begin; i < end; i++) {
            let offset = drawn_positions[i].xyz - centre;
            let spin = cross(direction(offset).unit, direction(drawn_velocities[i].xyz).unit);
            around += vec4<f32>(spin, dot(offset, offset));
        }
        partials[3u * stretches + stretch] = around;
    }
}

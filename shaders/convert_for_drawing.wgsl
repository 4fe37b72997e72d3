// Converts the boids from integers to the format for drawing: f32 in users' units.
//!include written/Scale.wgsl
//!include common/dispatch.wgsl

// The last digit of a pure number: 2^-FRACTION of number/fixed.wgsl.
const STEP: f32 = 0x1p-20f;

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> positions: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> drawn_positions: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> drawn_velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    if (i >= dispatch.end) {
        return;
    }
    let position = vec4<f32>(positions[i]);
    let velocity = vec4<f32>(velocities[i]);
    drawn_positions[i] = vec4<f32>(position.xyz * scale.length, position.w * STEP);
    drawn_velocities[i] = vec4<f32>(velocity.xyz * scale.length, velocity.w);
}

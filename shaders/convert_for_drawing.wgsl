// Converts the boids from integers to what is drawn: f32 in users' units.
//!include common/scale.wgsl
//!include common/dispatch.wgsl

// The last digit of a pure number: 2^-FRACTION of number/fixed.wgsl.
const STEP: f32 = 0x1p-20f;

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<uniform> dispatch: DispatchParameters;
@group(0) @binding(2) var<storage, read> positions: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> velocities: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> drawn_positions: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> drawn_velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = dispatch.first + linear(group, groups, local);
    if (i >= dispatch.end) {
        return;
    }
    let position = vec4<f32>(positions[i]);
    let velocity = vec4<f32>(velocities[i]);
    drawn_positions[i] = vec4<f32>(position.xyz * scale.length, position.w * STEP);
    drawn_velocities[i] = vec4<f32>(velocity.xyz * scale.length, velocity.w);
}

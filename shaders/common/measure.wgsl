// What the passes that measure the flock as a whole share. They read what is drawn: f32, whatever the flock is in.
//!include number/f32.wgsl
//!include common/dispatch.wgsl
//!include written/Scale.wgsl

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> drawn_positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> drawn_velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<f32>>;

// What the passes that measure the flock as a whole share. They read what is drawn: f32, whatever the flock is in.
//!include number/f32.wgsl
//!include common/dispatch.wgsl
//!include common/reduce.wgsl
//!include written/Scale.wgsl

const THREADS: u32 = GROUP;

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> drawn_positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> drawn_velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<f32>>;

// Sums up what the invocations of a block hold, as a row of its sums.
fn write_sum(at: Invocation, row: u32, own: vec4<f32>) {
    let all = sum_of_all(at.local, own);
    let block = workgroup_of(at);
    if (at.local == 0u && block < dispatch.end) {
        partials[row * dispatch.end + block] = all;
    }
}

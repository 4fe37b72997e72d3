// Shared code of the passes that measure the whole flock. They read the buffers for drawing: f32 in any number type.
//!include number/f32.wgsl
//!include common/dispatch.wgsl
//!include common/reduce.wgsl
//!include written/Scale.wgsl

@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read> drawn_positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> drawn_velocities: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<f32>>;

// Writes the sums of a block to the rows from `row` on.
fn write_sums(at: Invocation, row: u32) {
    workgroupBarrier();
    let block = workgroup_of(at);
    if (at.local < SUMS && block < dispatch.end) {
        partials[(row + at.local) * dispatch.end + block] = sum_of_row(at.local);
    }
}

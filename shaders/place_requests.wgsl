// Moves each boid's request from outside from its id to its sorted index, where the step reads it, in an array whose
// entry the step then overwrites. So no kernel needs another binding. Numbers are moved as words, whatever their type.
//!include common/dispatch.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<storage, read> requests: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> new_positions: array<vec4<u32>>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    // After a halt the array holds boids not yet sorted.
    if (halted() || i >= dispatch.end) {
        return;
    }
    new_positions[i] = requests[tags[i].x];
}

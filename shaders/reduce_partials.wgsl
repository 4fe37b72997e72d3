// Sums over blocks of the flock, for its means and for what its predators see; a workgroup sums up a block. Row 0: offsets
// from the world's centre; row 1: velocities; row 2 + p: the prey of predator p. Boids on their perches are left out.
//!include rule/world.wgsl
//!include rule/predators.wgsl
//!include written/Predator.wgsl
//!include written/StepContext.wgsl
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/reduce.wgsl

const THREADS: u32 = GROUP;

@group(0) @binding(0) var<uniform> context: StepContext;
@group(0) @binding(1) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read_write> partials: array<Partial>;

// What a boid adds to a row.
fn part(row: u32, i: u32) -> Vector {
    if (row == 0u) {
        return minus(positions[i].xyz, plus(rule.world_min.xyz, rule.half_size.xyz));
    }
    if (row == 1u) {
        return velocities[i].xyz;
    }
    return prey(context.predators[row - 2u].position.xyz, positions[i].xyz);
}

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (halted()) {
        return;
    }
    let block = workgroup_of(at);
    var own = Partial();
    for (var k = 0u; k < BLOCK_BOIDS; k += GROUP) {
        let i = block * BLOCK_BOIDS + k + at.local;
        if (i < rule.boids && velocities[i].w >= 0) {
            own = add_partials(own, partial_of(part(at.group.z, i)));
        }
    }
    let all = sum_of_all(at.local, own);
    if (at.local == 0u && block < dispatch.end) {
        partials[at.group.z * dispatch.end + block] = all;
    }
}

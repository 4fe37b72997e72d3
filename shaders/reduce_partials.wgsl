// Sums over blocks of the flock, for its means and for what its predators see. Row 0: offsets from the world's centre;
// row 1: velocities; row 2 + p: the prey of predator p. Boids on their perches are left out.
//!include rule/world.wgsl
//!include rule/predators.wgsl
//!include written/Predator.wgsl
//!include written/StepContext.wgsl
//!include common/dispatch.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<uniform> context: StepContext;
@group(0) @binding(1) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read_write> partials: array<Partial>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let block = element_of(at);
    if (halted() || block >= dispatch.end) {
        return;
    }
    let begin = block * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, rule.boids);
    if (at.group.z == 0u) {
        let centre = plus(rule.world_min.xyz, rule.half_size.xyz);
        var offset = Partial();
        var velocity = Partial();
        for (var i = begin; i < end; i++) {
            if (velocities[i].w >= 0) {
                offset = add_partials(offset, partial_of(minus(positions[i].xyz, centre)));
                velocity = add_partials(velocity, partial_of(velocities[i].xyz));
            }
        }
        partials[block] = offset;
        partials[dispatch.end + block] = velocity;
    } else {
        let predator = context.predators[at.group.z - 1u].position.xyz;
        var attack = Partial();
        for (var i = begin; i < end; i++) {
            if (velocities[i].w >= 0) {
                attack = add_partials(attack, partial_of(prey(predator, positions[i].xyz)));
            }
        }
        partials[(at.group.z + 1u) * dispatch.end + block] = attack;
    }
}

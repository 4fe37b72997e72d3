// Sums over stretches of the flock, for its means and for what its predators see. Row 0: offsets from the world's
// centre, w: how many fly. Row 1: velocities. Row 2 + p: the prey of predator p.
//!include number.wgsl
//!include vector.wgsl
//!include partial.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/dispatch.wgsl
//!include common/stretch.wgsl
//!include common/surroundings.wgsl
//!include predators.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> around: Surroundings;
@group(0) @binding(2) var<storage, read> positions: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read> velocities: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<Partial>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (halted()) {
        return;
    }
    let stretch = linear(group, groups, local);
    let stretches = stretches_of(rule.boids);
    if (stretch >= stretches) {
        return;
    }
    let begin = stretch * STRETCH;
    let end = min(begin + STRETCH, rule.boids);
    if (group.z == 0u) {
        let centre = plus(rule.world_min.xyz, rule.half_size.xyz);
        var offset = Partial();
        var velocity = Partial();
        for (var i = begin; i < end; i++) {
            if (velocities[i].w >= 0) {
                offset = join(offset, partial_of(minus(positions[i].xyz, centre)));
                velocity = join(velocity, partial_of(velocities[i].xyz));
            }
        }
        partials[stretch] = offset;
        partials[stretches + stretch] = velocity;
    } else {
        let predator = around.predators[group.z - 1u].position.xyz;
        var attack = Partial();
        for (var i = begin; i < end; i++) {
            if (velocities[i].w >= 0) {
                attack = join(attack, partial_of(prey(predator, positions[i].xyz)));
            }
        }
        partials[(group.z + 1u) * stretches + stretch] = attack;
    }
}

// The sum of one vector.
fn partial_of(v: vec3<i32>) -> Partial {
    let wide = widen(v);
    return Partial(vec4<u32>(wide.low, 1u), vec4<i32>(wide.high, 0));
}

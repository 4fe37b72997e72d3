// The flock's means, and the predators' step: before any boid moves.
//!include number.wgsl
//!include vector.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/dispatch.wgsl
//!include common/surroundings.wgsl
//!include predators.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> moment: Moment;
// As gather.wgsl sums them.
@group(0) @binding(2) var<storage, read> totals: array<vec4<f32>>;
// The knots of the predators at each step of the batch.
@group(0) @binding(3) var<storage, read> knots: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> around: Surroundings;

@compute @workgroup_size(MAX_PREDATORS)
fn main(@builtin(local_invocation_index) p: u32) {
    if (halted()) {
        return;
    }
    let flying = totals[0].w;
    let known = rule.means != 0u && 0.0 < flying;
    let mean_position = rule.world_min.xyz + rule.half_size.xyz + totals[0].xyz / max(flying, 1.0);
    if (p == 0u) {
        around.mean_position = vec4<f32>(mean_position, select(0.0, 1.0, known));
        around.mean_velocity = totals[1] / max(flying, 1.0);
    }
    if (p < rule.predator_count) {
        let predator = around.predators[p];
        let mean = select(predator.position.xyz, mean_position, known);
        var attack = vec3<f32>(0.0);
        if (rule.attack_weight != 0.0) {
            attack = totals[p + 2u].xyz;
        }
        let knot = knots[moment.turn * rule.predator_count + p].xyz;
        around.predators[p] = advance(predator, mean, attack, knot);
    }
}

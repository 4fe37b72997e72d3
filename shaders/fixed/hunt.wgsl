// The flock's means, and the predators' step: before any boid moves.
//!include number.wgsl
//!include vector.wgsl
//!include partial.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/dispatch.wgsl
//!include common/surroundings.wgsl
//!include predators.wgsl
//!include common/guard.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> moment: Moment;
// As gather.wgsl sums them.
@group(0) @binding(2) var<storage, read> totals: array<Partial>;
// The knots of the predators at each step of the batch.
@group(0) @binding(3) var<storage, read> knots: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> around: Surroundings;

@compute @workgroup_size(MAX_PREDATORS)
fn main(@builtin(local_invocation_index) p: u32) {
    if (halted()) {
        return;
    }
    let flying = totals[0].low.w;
    let known = rule.means != 0u && 0u < flying;
    let centre = plus(rule.world_min.xyz, rule.half_size.xyz);
    let mean_position = plus(centre, mean_of(totals[0], flying));
    if (p == 0u) {
        around.mean_position = vec4<i32>(mean_position, select(0, 1, known));
        around.mean_velocity = vec4<i32>(mean_of(totals[1], flying), 0);
    }
    if (p < rule.predator_count) {
        let predator = around.predators[p];
        let middle = select(predator.position.xyz, mean_position, known);
        var attack = Wide();
        if (rule.attack_weight != 0) {
            attack = wide_of(totals[p + 2u]);
        }
        let knot = knots[moment.turn * rule.predator_count + p].xyz;
        around.predators[p] = advance(predator, middle, attack, knot);
    }
}

fn wide_of(partial: Partial) -> Wide {
    return Wide(partial.low.xyz, partial.high.xyz);
}

fn mean_of(partial: Partial, count: u32) -> vec3<i32> {
    return saturate_wide(divided(wide_of(partial), count));
}

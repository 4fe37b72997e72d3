// Computes the flock's means and steps the predators, before any boid moves.
//!include rule/world.wgsl
//!include rule/predators.wgsl
//!include written/Predator.wgsl
//!include written/StepContext.wgsl
//!include common/dispatch.wgsl
//!include common/guard.wgsl

// Rows of reduce_partials.wgsl.
@group(0) @binding(0) var<storage, read> totals: array<Partial>;
// Schedules of the predators at each step of the batch: the knot, and in w 1 if the predator leaves.
@group(0) @binding(1) var<storage, read> schedules: array<vec4<Number>>;
// Home at each step of the batch.
@group(0) @binding(2) var<storage, read> homes: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read_write> context: StepContext;

@compute @workgroup_size(MAX_PREDATORS)
fn main(@builtin(local_invocation_index) p: u32) {
    if (halted()) {
        return;
    }
    let known = rule.means != 0u && 0u < count_of(totals[0]);
    let centre = plus(rule.world_min.xyz, rule.half_size.xyz);
    let mean_position = plus(centre, mean_of(totals[0]));
    if (p == 0u) {
        context.mean_position = vec4<Number>(mean_position, select(Number(0), Number(1), known));
        context.mean_velocity = vec4<Number>(mean_of(totals[1]), Number(0));
        context.home = homes[dispatch.turn];
    }
    if (p < rule.predator_count) {
        let predator = context.predators[p];
        let target_position = select(predator.position.xyz, mean_position, known);
        var attack = Wide();
        if (rule.attack_weight != 0) {
            attack = wide_of(totals[p + 2u]);
        }
        let schedule = schedules[dispatch.turn * rule.predator_count + p];
        context.predators[p] = advance(predator, target_position, attack, schedule.xyz, schedule.w != 0);
    }
}

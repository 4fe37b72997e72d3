// One step of a boid. The kernel adds how neighbours are found and what follows the write.
//!include rule/world.wgsl
//!include rule/perceive.wgsl
//!include rule/update.wgsl
//!include common/boid.wgsl
//!include common/context.wgsl
//!include common/dispatch.wgsl
//!include common/grid.wgsl
//!include common/random.wgsl

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<uniform> context: StepContext;
@group(0) @binding(3) var<uniform> dispatch: DispatchParameters;
@group(0) @binding(4) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(5) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(6) var<storage, read> starts: array<u32>;
@group(0) @binding(7) var<storage, read_write> new_positions: array<vec4<Number>>;
@group(0) @binding(8) var<storage, read_write> new_velocities: array<vec4<Number>>;

// Moves a boid by what it perceived, and writes it.
fn write_moved(i: u32, boid: Boid, sums: Sums) -> Boid {
    let next = update(boid, sums, dispatch.step);
    new_positions[i] = vec4<Number>(next.position, next.bias);
    new_velocities[i] = vec4<Number>(next.velocity, select(neighbour_count(sums), RESTING, resting(next)));
    return next;
}

// How many others the rule perceived, for the drawing: twin of the one in crates/cpu/src/step.rs.
fn neighbour_count(sums: Sums) -> Number {
    let close = sums.separation_count;
    let far = max(sums.alignment_count, sums.cohesion_count);
    return select(max(close, far), close + far, USES_EXCLUSION);
}

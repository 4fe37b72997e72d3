// One step of a boid, but for how it looks about and where it arrives.
//!include number.wgsl
//!include vector.wgsl
//!include common/rule.wgsl
//!include world.wgsl
//!include common/random.wgsl
//!include common/boid.wgsl
//!include common/grid.wgsl
//!include cells.wgsl
//!include common/dispatch.wgsl
//!include common/surroundings.wgsl
//!include perceive.wgsl
//!include update.wgsl

// Nobody looks for neighbours, and the boids are not sorted.
override ALONE: bool = false;

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<uniform> grid: Grid;
@group(0) @binding(2) var<uniform> around: Surroundings;
@group(0) @binding(3) var<uniform> moment: Moment;
@group(0) @binding(4) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(5) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(6) var<storage, read> starts: array<u32>;
@group(0) @binding(7) var<storage, read_write> new_positions: array<vec4<Number>>;
@group(0) @binding(8) var<storage, read_write> new_velocities: array<vec4<Number>>;

// Moves a boid by what it perceived.
fn moved(i: u32, boid: Boid, sums: Sums) -> Boid {
    let next = update(boid, sums, moment.step);
    new_positions[i] = vec4<Number>(next.position, next.bias);
    new_velocities[i] = vec4<Number>(next.velocity, select(perceived(sums), RESTING, resting(next)));
    return next;
}

// How many others the rule perceived, for the eye: twin of the one in src/cpu/step.rs.
fn perceived(sums: Sums) -> Number {
    let close = sums.separation_count;
    let far = max(sums.alignment_count, sums.cohesion_count);
    return select(max(close, far), close + far, EXCLUSIVE);
}

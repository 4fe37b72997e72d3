// Sums over blocks of the flock, for its means and for its predators' prey; a workgroup sums one block. Row 0: offsets
// from the world's centre; row 1: velocities; row 2 + p: the prey of predator p. Perching boids are left out.
//!include rule/world.wgsl
//!include rule/predators.wgsl
//!include written/Predator.wgsl
//!include written/StepContext.wgsl
//!include common/dispatch.wgsl
//!include common/guard.wgsl
//!include common/reduce.wgsl

const SUMS: u32 = 2u;

@group(0) @binding(0) var<uniform> context: StepContext;
@group(0) @binding(1) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read_write> partials: array<Partial>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    if (halted()) {
        return;
    }
    let begin = workgroup_of(at) * BLOCK_BOIDS;
    let end = min(begin + BLOCK_BOIDS, rule.boids);
    var first = Partial();
    var second = Partial();
    if (at.group.z == 0u) {
        let centre = plus(rule.world_min.xyz, rule.half_size.xyz);
        for (var i = begin + at.local; i < end; i += GROUP) {
            if (velocities[i].w >= 0) {
                first = add_partials(first, partial_of(minus(positions[i].xyz, centre)));
                second = add_partials(second, partial_of(velocities[i].xyz));
            }
        }
    } else {
        let predator = context.predators[at.group.z - 1u].position.xyz;
        for (var i = begin + at.local; i < end; i += GROUP) {
            if (velocities[i].w >= 0) {
                first = add_partials(first, partial_of(prey(predator, positions[i].xyz)));
            }
        }
    }
    sums[at.local] = first;
    sums[GROUP + at.local] = second;
    workgroupBarrier();
    let block = workgroup_of(at);
    let rows = select(1u, SUMS, at.group.z == 0u);
    if (at.local < rows && block < dispatch.end) {
        let row = at.local + select(at.group.z + 1u, 0u, at.group.z == 0u);
        partials[row * dispatch.end + block] = sum_of_row(at.local);
    }
}

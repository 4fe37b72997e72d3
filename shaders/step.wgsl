// One step of every boid: it looks at the cells about it, and goes on. Where it arrives it is counted at once, for
// the sorting that follows.
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
@group(0) @binding(6) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read> starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> new_positions: array<vec4<Number>>;
@group(0) @binding(9) var<storage, read_write> new_velocities: array<vec4<Number>>;
@group(0) @binding(10) var<storage, read_write> arrivals: array<vec4<u32>>;
@group(0) @binding(11) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = moment.first + linear(group, groups, local);
    if (i >= moment.end) {
        return;
    }
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!ALONE && !resting(boid)) {
        look_around(i, boid, &sums);
    }
    let next = update(boid, sums, moment.step);

    new_positions[i] = vec4<Number>(next.position, next.bias);
    new_velocities[i] = vec4<Number>(next.velocity, select(perceived(sums), RESTING, resting(next)));
    var cell = 0u;
    var place = i;
    if (!ALONE) {
        cell = cell_index(cell_of(next.position));
        place = atomicAdd(&counts[cell], 1u);
    }
    arrivals[i] = vec4<u32>(next.id, pack_tag(next), cell, place);
}

// How many others the rule perceived, for the eye: twin of the one in src/cpu/step.rs.
fn perceived(sums: Sums) -> Number {
    let close = sums.separation_count;
    let far = max(sums.alignment_count, sums.cohesion_count);
    return select(max(close, far), close + far, EXCLUSIVE);
}

// Adds up everybody in the cells about a boid: rows of up to three cells along x, whose boids lie side by side. Where
// a row runs over the end of the box, it goes on at its beginning.
fn look_around(i: u32, boid: Boid, sums: ptr<function, Sums>) {
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, DETAILED);
    let cell = cell_of(wrap(boid.position));
    let dims = grid.dims.xyz;
    let width = visited(dims.x);
    let low = neighbour(cell.x, 0u, dims.x);
    let before_end = min(width, dims.x - low);
    let parts = select(1u, 2u, before_end < width);
    for (var z = 0u; z < visited(dims.z); z++) {
        for (var y = 0u; y < visited(dims.y); y++) {
            let row = cell_index(vec3<u32>(0u, neighbour(cell.y, y, dims.y), neighbour(cell.z, z, dims.z)));
            for (var part = 0u; part < parts; part++) {
                let from_cell = select(row + low, row, part == 1u);
                let to_cell = from_cell + select(before_end, width - before_end, part == 1u);
                let end = starts[to_cell];
                for (var j = starts[from_cell]; j < end; j++) {
                    if (j != i) {
                        add_boid(senses, sums, me, positions[j].xyz, j);
                    }
                }
            }
        }
    }
}

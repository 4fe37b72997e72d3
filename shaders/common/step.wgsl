// One step of a boid. A kernel adds the neighbour search, add_neighbours().
//!include rule/world.wgsl
//!include rule/perceive.wgsl
//!include rule/update.wgsl
//!include common/boid.wgsl
//!include common/dispatch.wgsl
//!include common/grid.wgsl
//!include common/random.wgsl
//!include written/formulas.wgsl
//!include written/Predator.wgsl
//!include written/StepContext.wgsl

@group(0) @binding(0) var<uniform> context: StepContext;
@group(0) @binding(1) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_positions: array<vec4<Number>>;
@group(0) @binding(5) var<storage, read_write> new_velocities: array<vec4<Number>>;
@group(0) @binding(6) var<storage, read> tags: array<vec2<u32>>;
// Id, group and rest, cell, slot in the cell.
@group(0) @binding(7) var<storage, read_write> arrivals: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> counts: array<atomic<u32>>;

// Steps the k-th boid. Without a boid, the invocation still takes part in the subgroup operations.
fn step_boid(k: u32) {
    let present = k < dispatch.end;
    let i = min(k, dispatch.end - 1u);
    let boid = unpack(positions[i], velocities[i], tags[i]);
    var sums = Sums();
    if (!NON_INTERACTING) {
        begin_walks();
        if (USES_FORMULAS) {
            begin_formulas(boid);
        }
        let perceives = present && !resting(boid);
        add_neighbours(i, perceives, boid, &sums);
        if (walks_twice()) {
            first_walk = false;
            var again = perceives;
            if (!USES_FORMULA_NEAREST) {
                again &= !add_nearest(boid, &sums);
            }
            add_neighbours(i, again, boid, &sums);
        }
    }
    if (present) {
        var requested = Vector();
        if (USES_FORMULAS && !resting(boid)) {
            requested = formula_request(i, boid);
        }
        let next = update(boid, sums, requested, dispatch.step);
        new_positions[i] = vec4<Number>(next.position, next.bias);
        new_velocities[i] = vec4<Number>(next.velocity, select(neighbour_count(sums), RESTING, resting(next)));
        arrive(i, next);
    }
}

// Counts a boid into its new cell, for the binning that follows.
fn arrive(i: u32, boid: Boid) {
    var cell = 0u;
    var slot = i;
    if (!NON_INTERACTING) {
        cell = cell_index(cell_of(boid.position));
        slot = atomicAdd(&counts[cell], 1u);
    }
    arrivals[i] = vec4<u32>(boid.id, pack_tag(boid), cell, slot);
}

// Adds one boid if it is near, to the sums of the rule and of custom terms. In the first of two walks, sums over the
// nearest only rank it.
fn add_neighbour(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Neighbour, near: bool) {
    let present = near & (0 <= other.velocity.w);
    if (USES_FORMULAS) {
        add_formulas(other, present);
    }
    if (USES_NEAREST && first_walk) {
        rank_boid(senses, me, other, present);
    }
    add_boid(senses, sums, me, other, near);
}

// Adds the boids of the lists; adds none and returns false if a list overflows.
fn add_nearest(boid: Boid, sums: ptr<function, Sums>) -> bool {
    let fits = !(overflows(&separation_nearest) || overflows(&alignment_nearest) || overflows(&cohesion_nearest));
    let senses = senses_of_rule();
    let me = observer(senses, boid.position, boid.velocity, false);
    for (var n = 0u; n < 4u * QUADS; n++) {
        if (USES_SEPARATION) {
            let other = next_listed(&separation_nearest, senses, me);
            add_separated(senses, sums, me, other, fits & listed(other));
        }
        if (USES_ALIGNMENT) {
            let other = next_listed(&alignment_nearest, senses, me);
            add_aligned(senses, sums, other, fits & listed(other));
            if (USES_COHESION && SHARES_NEAREST) {
                add_cohered(senses, sums, me, other, fits & listed(other));
            }
        }
        if (USES_COHESION && !SHARES_NEAREST) {
            let other = next_listed(&cohesion_nearest, senses, me);
            add_cohered(senses, sums, me, other, fits & listed(other));
        }
    }
    return fits;
}

// Takes the first boid of a list, or any boid from an empty list.
fn next_listed(list: ptr<private, Nearest>, senses: Senses, me: Observer) -> Neighbour {
    let first = take_first(list);
    let position = positions[first.index].xyz;
    let offset = offset_to(senses, me, position);
    return Neighbour(first.index, position, velocities[first.index], offset, first.square);
}

fn listed(other: Neighbour) -> bool { return (0 <= other.square) & (other.square < rule.reach_square); }

// Number of neighbours that the rule perceived, for drawing: twin of `perceived` in crates/cpu/src/neighbours.rs.
fn neighbour_count(sums: Sums) -> Number {
    let close = sums.separation_count;
    let far = max(sums.alignment_count, sums.cohesion_count);
    return select(max(close, far), close + far, USES_EXCLUSION);
}

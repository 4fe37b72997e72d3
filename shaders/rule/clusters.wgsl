// Twin of flock/src/perceive/cluster.rs: perception of a cluster. A cluster that every view contains as a whole is
// added at once, one out of reach is culled, and only those in between are opened. The set of perceived boids stays
// exact.
//!include rule/cluster.wgsl

// The part of a cluster that a view contains.
const OUTSIDE: u32 = 0u;
const PARTIAL: u32 = 1u;
const INSIDE: u32 = 2u;

// Bounds of the offsets to a cluster.
struct Bounds {
    // Offset to the low corner of its box.
    low: Total,
    // All offsets have the same image.
    one_image: bool,
    // Bounds of the squares of all offsets.
    nearest: Number,
    farthest: Number,
    // All offsets are zero to the last digit.
    coincident: bool,
}

// Bounds of all offsets that start in a box with the corners `low_me` and `high_me`.
fn bounds_of(senses: Senses, me: Observer, low_me: Observer, high_me: Observer, cluster: Cluster) -> Bounds {
    let low = cluster.low.xyz;
    let high = cluster.high.xyz;
    var one_image = true;
    if (USES_WRAP) {
        let least = coarse_position(senses.units, low) - high_me.coarse;
        let most = coarse_position(senses.units, high) - low_me.coarse;
        let below = (least < -senses.half_size) == (most < -senses.half_size);
        let above = (senses.half_size < least) == (senses.half_size < most);
        one_image = all(below & above);
    }
    let from_low = offset_to(senses, high_me, low);
    let from_high = offset_to(senses, low_me, high);
    let near = max(max(from_low, -from_high), Vector());
    let far = max(abs(from_low), abs(from_high));
    return Bounds(
        offset_total(senses, me, low, offset_to(senses, me, low)),
        one_image,
        square_at_least(square_of(near)),
        square_at_most(square_of(far)),
        is_zero(offset_total(senses, high_me, low, from_low)) & is_zero(offset_total(senses, low_me, high, from_high)),
    );
}

// Classifies a cluster against a radius.
fn within_radius(radius_square: Number, bounds: Bounds) -> u32 {
    let contained = select(PARTIAL, INSIDE, bounds.farthest < radius_square);
    return select(contained, OUTSIDE, radius_square <= bounds.nearest);
}

// Classifies a cluster against a view; `has_field_of_view` adds the angle. Boids at the observer's position are ahead.
fn contained(view: View, has_field_of_view: bool, bounds: Bounds) -> u32 {
    let near = within_radius(view.radius_square, bounds);
    let narrow = has_field_of_view && view.all_round == 0u && !bounds.coincident;
    return select(near, min(near, PARTIAL), narrow);
}

// Adds a cluster or culls it; false if it has to be opened. It is perceived by all boids in a box with the corners
// `low` and `high`, and is added as seen by `me`. `own` says that some of these boids belong to it.
fn add_or_cull(
    senses: Senses,
    sums: ptr<function, Sums>,
    me: Observer,
    low: Observer,
    high: Observer,
    own: bool,
    cluster: Cluster,
) -> bool {
    if (cluster.low.w == 0) {
        return true;
    }
    let bounds = bounds_of(senses, me, low, high, cluster);
    if (!bounds.one_image) {
        return false;
    }
    if (senses.reach_square <= bounds.nearest) {
        return true;
    }
    if (own) {
        return false;
    }
    var separation = OUTSIDE;
    var left = INSIDE;
    if (USES_SEPARATION) {
        separation = contained(senses.separation, USES_FIELD_OF_VIEW, bounds);
        if (USES_EXCLUSION) {
            left = INSIDE - within_radius(senses.separation.radius_square, bounds);
        }
        if (FALLOFF != FALLOFF_NONE && separation == INSIDE && !bounds.coincident) {
            separation = PARTIAL;
        }
    }
    let alignment = select(OUTSIDE, min(left, contained(senses.alignment, USES_FIELD_OF_VIEW, bounds)), USES_ALIGNMENT);
    let cohesion = select(OUTSIDE, min(left, contained(senses.cohesion, USES_FIELD_OF_VIEW, bounds)), USES_COHESION);
    let ahead = select(OUTSIDE, contained(senses.line_of_sight, true, bounds), USES_FIELD_OF_VIEW && USES_LINE_OF_SIGHT);
    if (separation == PARTIAL || alignment == PARTIAL || cohesion == PARTIAL || ahead != OUTSIDE) {
        return false;
    }
    let count = cluster.low.w;
    let offset = add_totals(scale_total(bounds.low, count), cluster.offset);
    if (separation == INSIDE) {
        // If f has a pole all boids are at the observer's position, and add no separation.
        if (FALLOFF == FALLOFF_NONE) {
            (*sums).separation = subtract_totals((*sums).separation, offset);
        }
        (*sums).separation_count += count;
    }
    if (alignment == INSIDE) {
        (*sums).alignment = add_totals((*sums).alignment, velocity_part(cluster.velocity));
        (*sums).alignment_count += count;
    }
    if (cohesion == INSIDE) {
        (*sums).cohesion = add_totals((*sums).cohesion, offset_part(offset));
        (*sums).cohesion_count += count;
    }
    return true;
}

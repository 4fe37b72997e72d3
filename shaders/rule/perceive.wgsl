// Twin of flock/src/perceive.rs: the sums over the neighbours of one boid. Offsets are between coarse positions, which
// in f32 are the positions themselves.
//!include written/switches.wgsl
//!include number/{number}_sense.wgsl
//!include rule/nearest.wgsl

struct Sums {
    separation: Total,
    separation_count: Number,
    alignment: Total,
    alignment_count: Number,
    cohesion: Total,
    cohesion_count: Number,
    line_of_sight: Vector,
}

// The part of the rule that the sums need, read once: drivers do not hoist uniform loads out of the loop.
struct Senses {
    separation: View,
    alignment: View,
    cohesion: View,
    line_of_sight: View,
    reach_square: Number,
    // The world between coarse positions, and between positions.
    size: Vector,
    half_size: Vector,
    fine_size: Vector,
    units: Units,
}

fn senses_of_rule() -> Senses {
    return Senses(
        rule.separation,
        rule.alignment,
        rule.cohesion,
        rule.line_of_sight,
        rule.reach_square,
        rule.coarse_size.xyz,
        rule.coarse_half_size.xyz,
        rule.size.xyz,
        units_of(rule.format),
    );
}

// The perceiving boid.
struct Observer {
    position: Vector,
    velocity: Vector,
    coarse: Vector,
    heading: Vector,
    heading_square: Number,
    // A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: Vector,
}

// Another boid, as seen by the observer.
struct Neighbour {
    // Its sorted index.
    index: u32,
    position: Vector,
    velocity: vec4<Number>,
    offset: Vector,
    square: Number,
}

fn observer(senses: Senses, position: Vector, velocity: Vector, needs_general_sums: bool) -> Observer {
    let coarse = coarse_position(senses.units, position);
    if (!needs_general_sums) {
        return Observer(position, velocity, coarse, Vector(), Number(), Vector());
    }
    let heading = heading_of(velocity);
    let heading_square = square_of(heading);
    let sideways = sideways_of(heading, heading_square);
    return Observer(position, velocity, coarse, heading, heading_square, sideways);
}

// True if a view contains an offset; `needs_general_sums` tests the angle too.
fn sees(view: View, needs_general_sums: bool, me: Observer, offset: Vector, square: Number) -> bool {
    let near = square < view.radius_square;
    let all_round = view.all_round != 0u;
    if (!needs_general_sums || !any_lane(near & !all_round)) {
        return near;
    }
    let ahead = ahead_of(me.heading, offset);
    let share = share_of(view.cosine_square, me.heading_square, square);
    let forward = 0 <= ahead;
    let ahead_square = ahead * ahead;
    let within = select(forward | (ahead_square <= share), forward & (share <= ahead_square), view.acute != 0u);
    return near & (within | all_round);
}

// Offset from a boid to a position: the nearest image if the world wraps.
fn offset_to(senses: Senses, me: Observer, position: Vector) -> Vector {
    let offset = coarse_position(senses.units, position) - me.coarse;
    if (USES_WRAP) {
        return image(offset, offset, senses.size, senses.half_size);
    }
    return offset;
}

// The same offset between full-precision positions, of the same image.
fn fine_offset(senses: Senses, me: Observer, position: Vector) -> Vector {
    let offset = position - me.position;
    if (USES_WRAP) {
        let coarse = coarse_position(senses.units, position) - me.coarse;
        return image(coarse, offset, senses.fine_size, senses.half_size);
    }
    return offset;
}

// True if alignment perceives an offset.
fn alignment_sees(senses: Senses, me: Observer, offset: Vector, square: Number) -> bool {
    let in_view = ALIGNS_WITH_ALL || sees(senses.alignment, USES_FIELD_OF_VIEW, me, offset, square);
    return in_view & (!USES_ZONES | (rule.alignment_inner_square <= square));
}

// True if cohesion perceives an offset.
fn cohesion_sees(senses: Senses, me: Observer, offset: Vector, square: Number) -> bool {
    let in_view = COHERES_WITH_ALL || sees(senses.cohesion, USES_FIELD_OF_VIEW, me, offset, square);
    return in_view & (!USES_ZONES | (rule.cohesion_inner_square <= square));
}

// A boid's contribution to a count: 1 if the mask is set.
fn counted(mask: bool) -> Number { return select(Number(0), Number(1), mask); }

// True if an exclusive separation leaves a boid within reach to alignment and cohesion: it is outside the radius,
// whether separation perceives it or not.
fn left_by_separation(senses: Senses, square: Number, present: bool) -> bool {
    return present & (senses.separation.radius_square <= square);
}

// Adds one boid if it is near: within reach and not the observer. The first of two walks skips sums with a limit.
fn add_boid(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Neighbour, near: bool) {
    let present = near & (0 <= other.velocity.w);
    if (!any_lane(present)) {
        return;
    }
    let offset = other.offset;
    let square = other.square;
    if (USES_FIELD_OF_VIEW && USES_LINE_OF_SIGHT && (!walks_twice() || first_walk)) {
        let seen = present & sees(senses.line_of_sight, true, me, offset, square);
        if (any_lane(seen)) {
            (*sums).line_of_sight -= select(Vector(), aside(senses, me, other), seen);
        }
    }
    if (walks_twice() && first_walk) {
        return;
    }
    var left = present;
    if (USES_SEPARATION) {
        if (USES_EXCLUSION) {
            left = left_by_separation(senses, square, present);
        }
        let in_view = sees(senses.separation, USES_FIELD_OF_VIEW, me, offset, square);
        add_separated(senses, sums, me, other, present & in_view & separation_ranks(square));
    }
    if (USES_ALIGNMENT) {
        add_aligned(senses, sums, other, left & alignment_sees(senses, me, offset, square) & alignment_ranks(square));
    }
    if (USES_COHESION) {
        add_cohered(senses, sums, me, other, left & cohesion_sees(senses, me, offset, square) & cohesion_ranks(square));
    }
}

// Adds a boid to the sums of the separation if the mask is set.
fn add_separated(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Neighbour, seen: bool) {
    if (any_lane(seen)) {
        (*sums).separation = add_separation((*sums).separation, senses, me, other, seen);
        (*sums).separation_count += counted(seen);
    }
}

fn add_aligned(senses: Senses, sums: ptr<function, Sums>, other: Neighbour, seen: bool) {
    if (any_lane(seen)) {
        if (USES_ALIGNMENT_UNIT) {
            let velocity = other.velocity.xyz;
            (*sums).alignment = add_unit((*sums).alignment, velocity, square_of(velocity), seen);
        } else {
            let velocity = velocity_part(velocity_total(senses.units, other.velocity.xyz));
            (*sums).alignment = add_totals((*sums).alignment, mask_total(velocity, seen));
        }
        (*sums).alignment_count += counted(seen);
    }
}

fn add_cohered(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Neighbour, seen: bool) {
    if (any_lane(seen)) {
        if (USES_COHESION_UNIT) {
            let fine = fine_offset(senses, me, other.position);
            (*sums).cohesion = add_unit((*sums).cohesion, fine, other.square, seen);
        } else {
            let total = offset_part(offset_total(senses, me, other.position, other.offset));
            (*sums).cohesion = add_totals((*sums).cohesion, mask_total(total, seen));
        }
        (*sums).cohesion_count += counted(seen);
    }
}

// Adds an object that only separation perceives.
fn add_object(senses: Senses, sums: ptr<function, Sums>, me: Observer, position: Vector) {
    let offset = offset_to(senses, me, position);
    let other = Neighbour(0u, position, vec4<Number>(), offset, square_of(offset));
    if (sees(senses.separation, true, me, offset, other.square)) {
        add_separated(senses, sums, me, other, true);
    }
}

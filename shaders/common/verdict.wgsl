// What becomes of a crowd: one that every rule perceives wholly is added at once, one that nobody could perceive is passed
// over; only those in between are opened. Whom a boid perceives stays exact.
//!include common/crowd.wgsl
//!include crowd.wgsl
//!include meet.wgsl

// How much of a crowd a view holds.
const NOBODY: u32 = 0u;
const SOME: u32 = 1u;
const ALL: u32 = 2u;

// Adds a crowd, or passes it over; or says that it has to be opened. It is met by all who look from a box, whose
// corners these are, and is added as seen from the low one.
fn taken(
    senses: Senses,
    sums: ptr<function, Sums>,
    me: Observer,
    low: Observer,
    high: Observer,
    mine: bool,
    crowd: Crowd,
) -> bool {
    if (count_of(crowd) == 0u) {
        return true;
    }
    let bounds = bounds_of(senses, me, low, high, crowd);
    if (!bounds.alike) {
        return false;
    }
    if (senses.reach_square <= bounds.nearest) {
        return true;
    }
    if (mine) {
        return false;
    }
    var separation = NOBODY;
    var left = ALL;
    if (SEPARATES) {
        let inside = held(senses.separation.radius_square, bounds);
        separation = seen(senses.separation, DETAILED, bounds);
        if (EXCLUSIVE) {
            left = ALL - inside;
        }
        if (FALLOFF != FALLOFF_NONE && separation == ALL && !bounds.here) {
            separation = SOME;
        }
    }
    let alignment = select(NOBODY, min(left, seen(senses.alignment, DETAILED, bounds)), ALIGNS);
    let cohesion = select(NOBODY, min(left, seen(senses.cohesion, DETAILED, bounds)), COHERES);
    let ahead = select(NOBODY, seen(senses.line_of_sight, true, bounds), DETAILED && LOOKS_AHEAD);
    if (separation == SOME || alignment == SOME || cohesion == SOME || ahead != NOBODY) {
        return false;
    }
    add_crowd(senses, sums, me, crowd, bounds, separation == ALL, alignment == ALL, cohesion == ALL);
    return true;
}

// How much of it lies within a radius.
fn held(radius_square: Number, bounds: Bounds) -> u32 {
    return select(select(SOME, ALL, bounds.farthest < radius_square), NOBODY, radius_square <= bounds.nearest);
}

// How much of it a view sees. Those at the boid's own place are ahead of it.
fn seen(view: View, angle_too: bool, bounds: Bounds) -> u32 {
    let near = held(view.radius_square, bounds);
    let turned = angle_too && view.all_round == 0u && !bounds.here;
    return select(near, min(near, SOME), turned);
}

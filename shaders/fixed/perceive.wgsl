// Twin of flock/src/perceive.rs and flock/src/fixed/sense.rs: the sums over the neighbours of one boid. Offsets and
// velocities count in coarse units, whose squares and sums fit a word: the order of adding cannot matter.

// What the rule needs of it; constant when the pipeline is made, so that nothing unused is computed.
override DETAILED: bool = true;
override EXCLUSIVE: bool = true;
override FALLOFF: u32 = 0u;
override SEPARATES: bool = true;
override ALIGNS: bool = true;
override COHERES: bool = true;
override LOOKS_AHEAD: bool = true;
// Whoever is within reach is seen.
override ALIGNS_WITH_ALL: bool = false;
override COHERES_WITH_ALL: bool = false;
// Offsets for cohesion, velocities for alignment are summed to the last digit, not only in coarse units.
override EXACT_PULL: bool = true;
override EXACT_JOIN: bool = true;

// Binary digits after the point of a heading.
const HEADING: u32 = 14u;
// Components of an offset are cut to this before they are squared: beyond every reach, and three squares fit a word.
const FAR: i32 = 26754;
// A heading is upright where the square of its level part is at most this: 10^-6 of the whole, rounded.
const UPRIGHT: i32 = 268;

// More binary digits after the point for o f(d) where f has a pole: pushes from all sides nearly cancel.
const PUSH: i32 = 16;

// A sum of vectors in coarse units, and what those leave; the lower and the upper words of one where f has a pole.
struct Total {
    sum: vec3<i32>,
    rest: vec3<i32>,
}

struct Sums {
    separation: Total,
    separation_count: i32,
    alignment: Total,
    alignment_count: i32,
    cohesion: Total,
    cohesion_count: i32,
    line_of_sight: vec3<i32>,
}

// The part of the rule that the sums need, read once: drivers do not take it out of the loop by themselves.
struct Senses {
    separation: View,
    alignment: View,
    cohesion: View,
    line_of_sight: View,
    reach_square: i32,
    size: vec3<i32>,
    half_size: vec3<i32>,
    // World size and half of it between positions, not places.
    fine_size: vec3<i32>,
    place: vec3<u32>,
    place_half: vec3<i32>,
    pace: vec3<u32>,
    pace_half: vec3<i32>,
    most_pace: vec3<i32>,
}

fn senses_of_rule() -> Senses {
    return Senses(
        rule.separation,
        rule.alignment,
        rule.cohesion,
        rule.line_of_sight,
        rule.reach_square,
        rule.place_size.xyz,
        rule.place_half_size.xyz,
        rule.size.xyz,
        vec3<u32>(rule.format.place),
        vec3<i32>(half_of(rule.format.place)),
        vec3<u32>(rule.format.pace),
        vec3<i32>(half_of(rule.format.pace)),
        vec3<i32>(rule.format.most_pace),
    );
}

struct Observer {
    position: vec3<i32>,
    place: vec3<i32>,
    heading: vec3<i32>,
    heading_square: i32,
    // A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: vec3<i32>,
}

fn observer(senses: Senses, position: vec3<i32>, velocity: vec3<i32>, detailed: bool) -> Observer {
    let place = place_of(senses, position);
    if (!detailed) {
        return Observer(position, place, vec3<i32>(0), 0, vec3<i32>(0));
    }
    let heading = heading_of(velocity);
    return Observer(position, place, heading, product(heading, heading), sideways(heading));
}

// A position as it counts for offsets between boids.
fn place_of(senses: Senses, position: vec3<i32>) -> vec3<i32> {
    return (position + senses.place_half) >> senses.place;
}

// Adds a velocity to a sum.
fn join_velocity(senses: Senses, total: ptr<function, Total>, velocity: vec3<i32>) {
    let coarse = (velocity + senses.pace_half) >> senses.pace;
    (*total).sum += clamp(coarse, -senses.most_pace, senses.most_pace);
    if (EXACT_JOIN) {
        (*total).rest += velocity - (coarse << senses.pace);
    }
}

// The unit vector of a velocity; zero for a boid at rest.
fn heading_of(velocity: vec3<i32>) -> vec3<i32> {
    return shift_right_word(polar(velocity).unit, 30u - HEADING);
}

// The sum of the products of components. Where it does not fit, the offset is out of every reach.
fn product(a: vec3<i32>, b: vec3<i32>) -> i32 {
    let products = a * b;
    return products.x + products.y + products.z;
}

fn square_of(offset: vec3<i32>) -> i32 {
    let near = clamp(offset, vec3<i32>(-FAR), vec3<i32>(FAR));
    return product(near, near);
}

// How far ahead an offset lies.
fn ahead_of(heading: vec3<i32>, offset: vec3<i32>) -> i32 {
    return (product(heading, offset) + half_of(HEADING)) >> HEADING;
}

// A heading's components times a number, back in the number's unit.
fn along(heading: vec3<i32>, by: i32) -> vec3<i32> {
    return (heading * by + vec3<i32>(half_of(HEADING))) >> vec3<u32>(HEADING);
}

// The part of an offset's square that its share ahead must reach to be seen; none for a boid at rest, which sees all
// round.
fn share_of(cosine_square: i32, heading_square: i32, square: i32) -> i32 {
    if (heading_square == 0) {
        return 0;
    }
    return bitcast<i32>(mul_high_word(bitcast<u32>(square), bitcast<u32>(cosine_square)));
}

fn sideways(heading: vec3<i32>) -> vec3<i32> {
    let level = vec3<i32>(heading.xy, 0);
    var side = vec3<i32>(-heading.y, heading.x, 0);
    if (product(level, level) <= UPRIGHT) {
        side = vec3<i32>(heading.z, 0, -heading.x);
    }
    return heading_of(side);
}

// Whether a view holds an offset.
fn sees(view: View, angle_too: bool, me: Observer, offset: vec3<i32>, square: i32) -> bool {
    let near = square < view.radius_square;
    if (!angle_too || view.all_round != 0u) {
        return near;
    }
    let ahead = ahead_of(me.heading, offset);
    let share = share_of(view.cosine_square, me.heading_square, square);
    let forward = 0 <= ahead;
    let wide = ahead * ahead;
    if (view.acute != 0u) {
        return near && forward && share <= wide;
    }
    return near && (forward || wide <= share);
}

// From a boid to a position, between places: the nearest image where the world wraps.
fn offset_to(senses: Senses, me: Observer, position: vec3<i32>) -> vec3<i32> {
    let offset = place_of(senses, position) - me.place;
    if (WRAPS) {
        return image(offset, offset, senses.size, senses.half_size);
    }
    return offset;
}

// Adds one other boid, the square of whose offset is given too, where it is near: within reach, and another.
fn add_boid(
    senses: Senses,
    sums: ptr<function, Sums>,
    me: Observer,
    near: bool,
    position: vec3<i32>,
    velocity: vec4<i32>,
    offset: vec3<i32>,
    square: i32,
) {
    if (!near || velocity.w < 0) {
        return;
    }
    var left = true;
    if (SEPARATES) {
        if (EXCLUSIVE) {
            // Inside the radius is enough to be left out, seen or not.
            left = square >= senses.separation.radius_square;
        }
        if (sees(senses.separation, DETAILED, me, offset, square)) {
            push(senses, sums, me, offset, position);
        }
    }
    if (ALIGNS) {
        if (left && (ALIGNS_WITH_ALL || sees(senses.alignment, DETAILED, me, offset, square))) {
            var total = (*sums).alignment;
            join_velocity(senses, &total, velocity.xyz);
            (*sums).alignment = total;
            (*sums).alignment_count += 1;
        }
    }
    if (COHERES) {
        if (left && (COHERES_WITH_ALL || sees(senses.cohesion, DETAILED, me, offset, square))) {
            (*sums).cohesion.sum += offset;
            if (EXACT_PULL) {
                (*sums).cohesion.rest += fine_offset(senses, me, position) - (offset << senses.place);
            }
            (*sums).cohesion_count += 1;
        }
    }
    if (DETAILED && LOOKS_AHEAD) {
        if (sees(senses.line_of_sight, true, me, offset, square)) {
            (*sums).line_of_sight -= aside(me, offset);
        }
    }
}

// Adds an object that only separation perceives.
fn add_object(senses: Senses, sums: ptr<function, Sums>, me: Observer, position: vec3<i32>) {
    let offset = offset_to(senses, me, position);
    if (sees(senses.separation, true, me, offset, square_of(offset))) {
        push(senses, sums, me, offset, position);
    }
}

// Between positions, not places, of the same image. Those differ by less than a word holds.
fn fine_offset(senses: Senses, me: Observer, position: vec3<i32>) -> vec3<i32> {
    let offset = position - me.position;
    if (WRAPS) {
        let places = place_of(senses, position) - me.place;
        return image(places, offset, senses.fine_size, senses.half_size);
    }
    return offset;
}

// Takes o f(d) off the sum; nothing where d is zero and f has a pole.
fn push(senses: Senses, sums: ptr<function, Sums>, me: Observer, offset: vec3<i32>, position: vec3<i32>) {
    (*sums).separation_count += 1;
    let fine = fine_offset(senses, me, position);
    if (FALLOFF == FALLOFF_NONE) {
        (*sums).separation.sum -= offset;
        (*sums).separation.rest -= fine - (offset << senses.place);
        return;
    }
    let way = polar(fine);
    if (!way.some) {
        return;
    }
    // The unit vector, or that over the distance, as a word and the power of two it is to be taken times.
    var word = way.unit;
    var power = rule.format.unit - 10 + PUSH;
    if (FALLOFF == FALLOFF_INVERSE_SQUARE) {
        word = signed_as(word < vec3<i32>(0), mul_high(magnitude(word), vec3<u32>(way.root)));
        power = 2 * rule.format.unit + way.shift + i32(way.halving) - 20 + PUSH;
    }
    var term = widen(word);
    if (power < 0) {
        term = shift_right(term, u32(min(-power, 62)));
    } else {
        term = shift_left(term, min(u32(power), rule.format.push - 30u));
    }
    let left = subtract_wide(both((*sums).separation), term);
    (*sums).separation = Total(bitcast<vec3<i32>>(left.low), left.high);
}

// The vector whose lower and upper words these are.
fn both(total: Total) -> Wide {
    return Wide(bitcast<vec3<u32>>(total.sum), total.rest);
}

// The part of the offset perpendicular to the heading. Within a coarse unit of the heading's line counts as exactly
// ahead: d in the fixed direction opposite to sideways, so that the boid gives way sideways.
fn aside(me: Observer, offset: vec3<i32>) -> vec3<i32> {
    let across = offset - along(me.heading, ahead_of(me.heading, offset));
    if (largest(across) > 1) {
        return across;
    }
    return -along(me.sideways, length_of(polar(offset)));
}

// Operations of the sums over neighbours in integers: twin of flock/src/fixed/sense.rs and flock/src/fixed/number.rs.
// number/f32_sense.wgsl defines the same names for f32.
//
// Offsets and velocities are in coarse units, whose squares and sums fit a word, so the order of adding cannot matter.
// Q formats, named by their fraction digits: numbers have FRACTION, components of a heading HEADING, unit vectors of
// `Polar` 30, squared cosines 32.

// Fraction digits of a heading.
const HEADING: u32 = 14u;
// Components of an offset are clamped to this before squaring: beyond every reach, and three squares fit a word.
const FAR: i32 = 26754;
// A heading is upright if the square of its level part is at most this: 10^-6 of the whole, rounded.
const UPRIGHT: i32 = 268;
// A part of a unit vector across the heading that counts as zero: 10^-5, where most of it is rounding error.
const ON_AXIS: i32 = 10;
// Additional fraction digits of o f(d) if f has a pole: terms from all sides nearly cancel.
const FALLOFF_BITS: i32 = 16;

// A sum of vectors over neighbours in coarse units, and of their remainders in units of the last digit: the exact sum
// is sum * 2^shift + rest. Sums wrap around, but the total over a boid's neighbours fits. For a separation with a pole
// the fields are the lower and the upper words of one sum.
struct Total {
    sum: Vector,
    rest: Vector,
}

// Scales of coarse positions and velocities: powers of two, half of each for rounding, and the maximum velocity.
struct Units {
    position: vec3<u32>,
    position_half: Vector,
    velocity: vec3<u32>,
    velocity_half: Vector,
    most_velocity: Vector,
}

fn units_of(format: Format) -> Units {
    return Units(
        vec3<u32>(format.position_shift),
        Vector(half_of(format.position_shift)),
        vec3<u32>(format.velocity_shift),
        Vector(half_of(format.velocity_shift)),
        Vector(format.max_velocity),
    );
}

// True to take a branch that only a lane with a true mask needs: masked work costs more than a branch.
fn any_lane(mask: bool) -> bool { return mask; }

fn coarse_position(units: Units, position: Vector) -> Vector {
    return (position + units.position_half) >> units.position;
}

// The unit vector of a velocity, with HEADING digits; zero for a boid at rest.
fn heading_of(velocity: Vector) -> Vector { return shift_right_word(polar(velocity).unit, 30u - HEADING); }

// The dot product. If it does not fit, the offset is out of every reach.
fn product(a: Vector, b: Vector) -> i32 {
    let products = a * b;
    return products.x + products.y + products.z;
}

fn square_of(offset: Vector) -> Number {
    let near = clamp(offset, Vector(-FAR), Vector(FAR));
    return product(near, near);
}

// Component of an offset along the heading.
fn ahead_of(heading: Vector, offset: Vector) -> Number {
    return (product(heading, offset) + half_of(HEADING)) >> HEADING;
}

// Square that the component ahead must reach for the boid to be seen; zero for a boid at rest, which sees all round.
fn share_of(cosine_square: Number, heading_square: Number, square: Number) -> Number {
    if (heading_square == 0) {
        return 0;
    }
    return bitcast<i32>(mul_high_word(bitcast<u32>(square), bitcast<u32>(cosine_square)));
}

// A unit vector perpendicular to a heading; zero for a zero heading.
fn sideways_of(heading: Vector, heading_square: Number) -> Vector {
    let level = Vector(heading.xy, 0);
    var side = Vector(-heading.y, heading.x, 0);
    if (product(level, level) <= UPRIGHT) {
        side = Vector(heading.z, 0, -heading.x);
    }
    return heading_of(side);
}

// A heading times a number, in the number's unit.
fn along(heading: Vector, by: Number) -> Vector {
    return (heading * by + Vector(half_of(HEADING))) >> vec3<u32>(HEADING);
}

// The side of the heading on which an offset lies: a vector across it of length |o| (1 - sin), longest at the axis. For
// a boid exactly ahead it points opposite to `sideways`: the observer gives way to a fixed side. Zero for an offset
// that is not ahead. The angle follows from the exact offset: a coarse one has few digits across the heading.
fn aside(senses: Senses, me: Observer, other: Neighbour) -> Vector {
    let heading = unit_vector(polar(me.velocity));
    let towards = unit_vector(polar(fine_offset(senses, me, other.position)));
    let ahead = dot_of(heading, towards);
    if (ahead <= 0) {
        return Vector();
    }
    let across = minus(towards, times(heading, ahead));
    let side = polar(across);
    let exactly = largest(across) <= ON_AXIS;
    let direction = select(shift_right_word(side.unit, 30u - HEADING), -me.sideways, exactly);
    let sine = select(length_of(side), 0, exactly);
    return along(direction, multiply(length_of(polar(other.offset)), subtract(ONE, sine)));
}

fn add_totals(a: Total, b: Total) -> Total { return Total(a.sum + b.sum, a.rest + b.rest); }

fn subtract_totals(a: Total, b: Total) -> Total { return Total(a.sum - b.sum, a.rest - b.rest); }

// The total. `any_lane` has branched on the mask already.
fn mask_total(a: Total, mask: bool) -> Total { return a; }

// Contribution of an offset or a velocity to a total.
fn offset_total(senses: Senses, me: Observer, position: Vector, offset: Vector) -> Total {
    return Total(offset, fine_offset(senses, me, position) - (offset << senses.units.position));
}

fn velocity_total(units: Units, velocity: Vector) -> Total {
    let coarse = (velocity + units.velocity_half) >> units.velocity;
    return Total(clamp(coarse, -units.most_velocity, units.most_velocity), velocity - (coarse << units.velocity));
}

// The part of a total that enters a mean: includes the rest only if the rule needs the last digit.
fn offset_part(total: Total) -> Total { return Total(total.sum, select(Vector(0), total.rest, EXACT_COHESION)); }

fn velocity_part(total: Total) -> Total { return Total(total.sum, select(Vector(0), total.rest, EXACT_ALIGNMENT)); }

// Subtracts o f(d) if the mask is set; nothing if d is zero and f has a pole.
fn add_separation(total: Total, senses: Senses, me: Observer, other: Neighbour, mask: bool) -> Total {
    if (FALLOFF == FALLOFF_NONE) {
        return subtract_totals(total, offset_total(senses, me, other.position, other.offset));
    }
    let way = polar(fine_offset(senses, me, other.position));
    if (!way.exists) {
        return total;
    }
    var term = Wide();
    if (FALLOFF == FALLOFF_INVERSE) {
        term = inverse_term(way);
    } else {
        term = inverse_square_term(way);
    }
    return total_of(subtract_wide(wide_total(total), term));
}

// Adds the unit vector of a vector if the mask is set; nothing if it is zero. The sum is stored like a separation with
// a pole, from which the unit vector of the opposite is subtracted.
fn add_unit(total: Total, vector: Vector, square: Number, mask: bool) -> Total {
    let way = polar(-vector);
    if (!mask || !way.exists) {
        return total;
    }
    return total_of(subtract_wide(wide_total(total), inverse_term(way)));
}

// A sum of unit vectors; a vector in its direction, of any length.
fn unit_sum(total: Total) -> Wide { return shift_right(wide_total(total), u32(FALLOFF_BITS)); }
fn unit_direction(total: Total) -> Vector { return narrow(wide_total(total)); }

// o / d: the unit vector, from 30 digits to FRACTION + FALLOFF_BITS and from pure numbers to the unit of length.
fn inverse_term(way: Polar) -> Wide {
    return pole_term(way.unit, rule.format.unit + i32(FRACTION) - 30 + FALLOFF_BITS);
}

// o / d^2: the unit vector over the distance. The upper word of the product of unit and root is this with 28 digits if
// the length is 2^(32 - halving - shift) in units of 2^-FRACTION.
fn inverse_square_term(way: Polar) -> Wide {
    let over_distance = mul_high(magnitude(way.unit), vec3<u32>(way.root));
    let power = 2 * rule.format.unit + way.shift + i32(way.halving) - 20 + FALLOFF_BITS;
    return pole_term(with_signs(way.unit < Vector(0), over_distance), power);
}

// A vector times 2^power, limited to the digits that leave room for one term per boid.
fn pole_term(word: Vector, power: i32) -> Wide {
    if (power < 0) {
        return shift_right(widen(word), u32(min(-power, 62)));
    }
    return shift_left(widen(word), min(u32(power), rule.format.separation_digits - 30u));
}

// The vector whose lower and upper words a total holds, and the inverse.
fn wide_total(total: Total) -> Wide { return Wide(bitcast<vec3<u32>>(total.sum), total.rest); }
fn total_of(wide: Wide) -> Total { return Total(bitcast<Vector>(wide.low), wide.high); }

// The separation S, with FALLOFF_BITS more digits if f has a pole.
fn full_separation(total: Total) -> Wide {
    if (FALLOFF != FALLOFF_NONE) {
        return wide_total(total);
    }
    return add_wide(widen_coarse(total.sum), widen(total.rest));
}

// The separation S; a vector in its direction, of any length; and its mean. `with_self` is 1 if the boid counts itself.
fn separation_sum(total: Total) -> Wide {
    if (FALLOFF != FALLOFF_NONE) {
        return shift_right(full_separation(total), u32(FALLOFF_BITS));
    }
    return full_separation(total);
}

fn separation_direction(total: Total) -> Vector { return narrow(full_separation(total)); }

fn separation_mean(total: Total, count: Number, with_self: u32) -> Wide {
    let all = u32(count) + with_self;
    if (FALLOFF == FALLOFF_NONE) {
        return widen(mean(total.sum, total.rest, rule.format.position_shift, all));
    }
    return divide_wide(separation_sum(total), all);
}

fn offset_mean(total: Total, count: Number, with_self: u32, position: Vector) -> Vector {
    let all = u32(count) + with_self;
    let mean_of_coarse = mean(total.sum, total.rest, rule.format.position_shift, all);
    if (EXACT_COHESION) {
        return mean_of_coarse;
    }
    // Coarse offsets begin at the boid's coarse position: its quantisation offset from the position is added.
    let coarse = shift_right_word(position, rule.format.position_shift);
    var quantisation = (coarse << vec3<u32>(rule.format.position_shift)) - position;
    if (with_self != 0u) {
        quantisation -= mean(quantisation, Vector(0), 0u, all);
    }
    return plus(mean_of_coarse, quantisation);
}

// The mean of the neighbours' velocities, including the own velocity if `with_self` is 1.
fn velocity_mean(total: Total, count: Number, with_self: u32, velocity: Vector) -> Vector {
    var sum = total;
    if (with_self != 0u) {
        sum = add_totals(sum, velocity_part(velocity_total(units_of(rule.format), velocity)));
    }
    return mean(sum.sum, sum.rest, rule.format.velocity_shift, u32(count) + with_self);
}

// A sum of differences between coarse offsets, as a vector.
fn widen_coarse(sum: Vector) -> Wide { return shift_left(widen(sum), rule.format.position_shift); }

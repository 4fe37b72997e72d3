// Operations of the sums over neighbours in f32: twin of the defaults in flock/src/number.rs.
// number/fixed_sense.wgsl defines the same names for integers. In f32 the coarse positions are the positions.

// A sum of vectors over neighbours.
alias Total = Vector;
// Scales of coarse positions and velocities: none in f32, and WGSL has no empty struct.
alias Units = u32;

fn units_of(format: Format) -> Units { return 0u; }

// True to take a branch that only a lane with a true mask needs. Always true: most devices execute both ways of a
// branch, and masked lanes add zero.
fn any_lane(mask: bool) -> bool { return true; }

fn coarse_position(units: Units, position: Vector) -> Vector { return position; }

fn heading_of(velocity: Vector) -> Vector { return velocity; }

fn square_of(offset: Vector) -> Number { return dot(offset, offset); }

// Component of an offset along the heading.
fn ahead_of(heading: Vector, offset: Vector) -> Number { return dot(heading, offset); }

// Square that the component ahead must reach for the boid to be seen.
fn share_of(cosine_square: Number, heading_square: Number, square: Number) -> Number {
    return cosine_square * heading_square * square;
}

// A unit vector perpendicular to a heading; zero for a zero heading.
fn sideways_of(heading: Vector, heading_square: Number) -> Vector {
    let level = heading.x * heading.x + heading.y * heading.y;
    var side = Vector(-heading.y, heading.x, 0.0);
    if (level <= heading_square * 0.000001) {
        side = Vector(heading.z, 0.0, -heading.x);
    }
    let square = dot(side, side);
    if (square < TINY_SQUARE) {
        return Vector();
    }
    return side * (1.0 / sqrt(square));
}

// The side of the heading on which an offset lies: a vector across it of length |o| (1 - sin), longest at the axis. For
// a boid exactly ahead it points opposite to `sideways`, so that the observer gives way to a fixed side. Zero for an
// offset that is not ahead.
fn aside(senses: Senses, me: Observer, other: Neighbour) -> Vector {
    var along = 0.0;
    if (0.0 < me.heading_square) {
        along = dot(me.heading, other.offset) / me.heading_square;
    }
    let across = other.offset - me.heading * along;
    let across_square = dot(across, across);
    let width = sqrt(across_square);
    // Within about 10^-5 rad of the heading the direction is rounding error.
    let exactly = across_square <= other.square * 1e-10;
    let unit = across * (1.0 / select(width, 1.0, exactly));
    let direction = select(unit, -me.sideways, exactly);
    return select(Vector(), direction * (sqrt(other.square) - width), 0.0 < along);
}

fn add_totals(a: Total, b: Total) -> Total { return a + b; }
fn subtract_totals(a: Total, b: Total) -> Total { return a - b; }
// The total if the mask is set, else zero.
fn mask_total(a: Total, mask: bool) -> Total { return select(Total(), a, mask); }

// Contribution of an offset or a velocity to a total.
fn offset_total(senses: Senses, me: Observer, position: Vector, offset: Vector) -> Total { return offset; }
fn velocity_total(units: Units, velocity: Vector) -> Total { return velocity; }

// The part of a total that enters a mean: all of it.
fn offset_part(total: Total) -> Total { return total; }
fn velocity_part(total: Total) -> Total { return total; }

// Subtracts o f(d) if the mask is set; nothing if d counts as zero and f has a pole.
fn add_separation(total: Total, senses: Senses, me: Observer, other: Neighbour, mask: bool) -> Total {
    var term = other.offset;
    if (FALLOFF != FALLOFF_NONE) {
        let near = max(other.square, TINY_SQUARE);
        let factor = select(1.0 / near, 1.0 / sqrt(near), FALLOFF == FALLOFF_INVERSE);
        term = other.offset * select(factor, 0.0, other.square < TINY_SQUARE);
    }
    return total - select(Vector(), term, mask);
}

// Adds the unit vector of a vector with a given square if the mask is set; nothing if the vector counts as zero.
fn add_unit(total: Total, vector: Vector, square: Number, mask: bool) -> Total {
    let factor = select(1.0 / sqrt(max(square, TINY_SQUARE)), 0.0, square < TINY_SQUARE);
    return total + select(Vector(), vector * factor, mask);
}

// A sum of unit vectors; a vector in its direction, of any length.
fn unit_sum(total: Total) -> Wide { return total; }
fn unit_direction(total: Total) -> Vector { return total; }

// The separation S; a vector in its direction, of any length; and its mean. `with_self` is 1 if the boid counts itself.
fn separation_sum(total: Total) -> Wide { return total; }
fn separation_direction(total: Total) -> Vector { return total; }
fn separation_mean(total: Total, count: Number, with_self: u32) -> Wide { return total / (count + f32(with_self)); }

fn offset_mean(total: Total, count: Number, with_self: u32, position: Vector) -> Vector {
    return total / (count + f32(with_self));
}

// The mean of the neighbours' velocities, including the own velocity if `with_self` is 1.
fn velocity_mean(total: Total, count: Number, with_self: u32, velocity: Vector) -> Vector {
    if (with_self != 0u) {
        return (total + velocity) / (count + 1.0);
    }
    return total / count;
}

// A sum of differences between coarse offsets, as a vector.
fn widen_coarse(sum: Vector) -> Wide { return sum; }

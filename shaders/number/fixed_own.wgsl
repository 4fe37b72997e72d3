// What formulas ask of integers: twin of flock/src/formula/integers.rs. A word of d digits stands for word * 2^-d.
//
// Nothing branches on a word: where it comes from a uniform, lavapipe up to Mesa 22.3 crashes looking for what to compile
// anew. Shifts are constants.

alias OwnSum = Wide;

// Shifted right by so many digits, rounded to the nearest, halves up; left where negative, cut to a word.
fn own_shifted(a: Number, by: i32) -> Number {
    let right = u32(clamp(by, 1, 31));
    let left = u32(clamp(-by, 0, 31));
    let rounded = (a >> right) + ((a >> (right - 1u)) & 1);
    let cut = select((a >> 31u) ^ MOST, a << left, ((a << left) >> left) == a);
    return select(select(cut, rounded, by > 0), 0, by > 31);
}

// The same of a sum or product, of whose components the first counts.
fn own_word(value: Wide, by: i32) -> Number {
    if (by > 62) {
        return 0;
    }
    if (by > 0) {
        return saturate_wide(shift_right(value, u32(by))).x;
    }
    return own_shifted(saturate_wide(value).x, by);
}

fn own_product(a: Number, b: Number, shift: i32) -> Number {
    return own_word(mul_wide(Vector(a, 0, 0), Vector(b, 0, 0)), shift);
}

// Truncated towards zero before it is shifted; the dividend is shifted left before.
fn own_quotient(a: Number, b: Number, shift: i32) -> Number {
    let negative = (a ^ b) < 0;
    let dividend = magnitude(Vector(a, 0, 0)).x;
    let divisor = magnitude(Vector(b, 0, 0)).x;
    let left = u32(clamp(-shift, 0, 31));
    let high = select(dividend >> (32u - max(left, 1u)), 0u, left == 0u);
    let fits = high < divisor;
    let quotient = select(0xffffffffu, own_divided(select(0u, high, fits), dividend << left, max(divisor, 1u)), fits);
    let positive = Wide(vec3<u32>(quotient, 0u, 0u), Vector(0));
    let opposite = subtract_wide(Wide(), positive);
    let value = Wide(select(positive.low, opposite.low, negative), select(positive.high, opposite.high, negative));
    return select(own_word(value, max(shift, 0)), 0, b == 0);
}

// Two words, the upper of them below the divisor, by one: Knuth's algorithm D with two digits of 16 bits, which
// takes no loop of binary digits.
fn own_divided(high: u32, low: u32, by: u32) -> u32 {
    let up = countLeadingZeros(by);
    let divisor = by << up;
    let above = (high << up) | select(low >> (32u - max(up, 1u)), 0u, up == 0u);
    let below = low << up;
    let first = own_digit(above, below >> 16u, divisor);
    let left = ((above << 16u) | (below >> 16u)) - first * divisor;
    return (first << 16u) + own_digit(left, below & 0xffffu, divisor);
}

// A digit: estimated by the divisor's upper one, at most two too large.
fn own_digit(above: u32, next: u32, divisor: u32) -> u32 {
    let upper = divisor >> 16u;
    let lower = divisor & 0xffffu;
    var digit = above / upper;
    var rest = above - digit * upper;
    for (var k = 0; k < 2; k++) {
        let large = digit > 0xffffu || digit * lower > ((rest << 16u) | next);
        let less = select(0u, 1u, rest <= 0xffffu && large);
        digit -= less;
        rest += less * upper;
    }
    return digit;
}

// a 2^-shift is brought to m / 2^32 in [1/4, 1) by an even number of digits; its root is m times the reciprocal root.
fn own_root(a: Number, shift: i32) -> Number {
    let x = u32(max(a, 1));
    var up = i32(countLeadingZeros(x));
    up -= (32 - up - shift) & 1;
    let m = select(x << u32(max(up, 0)), x >> 1u, up < 0);
    // In 2^-30.
    let root = mul_high_word(m, reciprocal_root(m));
    return select(own_shifted(i32(root), 30 - (32 - up - shift) / 2), 0, a <= 0);
}

fn own_absolute(a: Number) -> Number { return max(a, negate(a)); }
fn own_floor(a: Number, digits: i32, to: i32) -> Number { return own_shifted(a >> u32(clamp(digits, 0, 31)), -to); }

fn own_fraction(a: Number, digits: i32, to: i32) -> Number {
    let below = clamp(digits, 0, 31);
    return own_shifted(a & i32((1u << u32(below)) - 1u), below - to);
}

fn own_length(v: Vector) -> Number { return length_of(polar(v)); }

// With 30 digits.
fn own_direction(v: Vector) -> Vector { return polar(v).unit; }

// From 0 to below 1, with 24 digits.
fn own_random(word: u32) -> Number { return Number(word >> 8u); }

fn own_time(steps: Number, time_step: Number, digits: i32) -> Number {
    return own_product(steps, time_step, i32(FRACTION) - digits);
}

fn own_cut(v: Vector, low: Vector, high: Vector) -> Vector { return clamp(v, low, high); }

// From a boid to another, between positions as they are; what is near by coarse ones may be a little farther.
fn own_offset(me: Boid, other: Neighbour) -> Vector { return nearest_image(minus(other.position, me.position)); }
fn own_radius(radius: Number) -> Number { return radius; }
fn own_near(other: Neighbour, offset: Vector, radius: Number) -> bool { return within(offset, radius); }

fn own_add(sum: OwnSum, v: Vector) -> OwnSum { return add_wide(sum, widen(v)); }

fn own_total(sum: OwnSum, shift: vec3<i32>) -> Vector {
    let x = Wide(vec3<u32>(sum.low.x), Vector(sum.high.x));
    let y = Wide(vec3<u32>(sum.low.y), Vector(sum.high.y));
    let z = Wide(vec3<u32>(sum.low.z), Vector(sum.high.z));
    return Vector(own_word(x, shift.x), own_word(y, shift.y), own_word(z, shift.z));
}

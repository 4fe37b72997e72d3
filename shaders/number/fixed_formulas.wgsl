// Operations of formulas in integers: twin of flock/src/fixed/sense.rs. A word of d digits stands for word * 2^-d.
//
// Nothing branches on a word: if it comes from a uniform, lavapipe up to Mesa 22.3 crashes as it decides whether to
// recompile. Shifts are constants.

alias FormulaSum = Wide;

// Shifts right by `by` digits, rounded to nearest, halves up; shifts left if negative, saturating.
fn formula_shifted(a: Number, by: i32) -> Number {
    let right = u32(clamp(by, 1, 31));
    let left = u32(clamp(-by, 0, 31));
    let rounded = (a >> right) + ((a >> (right - 1u)) & 1);
    let cut = select((a >> 31u) ^ MAX, a << left, ((a << left) >> left) == a);
    return select(select(cut, rounded, by > 0), 0, by > 31);
}

// Shifts the first component of a sum or product, like `formula_shifted`.
fn formula_word(value: Wide, by: i32) -> Number {
    if (by > 62) {
        return 0;
    }
    if (by > 0) {
        return saturate_wide(shift_right(value, u32(by))).x;
    }
    return formula_shifted(saturate_wide(value).x, by);
}

fn formula_product(a: Number, b: Number, shift: i32) -> Number {
    return formula_word(mul_wide(Vector(a, 0, 0), Vector(b, 0, 0)), shift);
}

// Shifts the dividend left before the division, or the quotient, truncated towards zero, right after it.
fn formula_quotient(a: Number, b: Number, shift: i32) -> Number {
    let value = shifted_quotient(a, b, u32(clamp(-shift, 0, 31)));
    return select(formula_word(value, max(shift, 0)), 0, b == 0);
}

// a 2^-shift is scaled to m / 2^32 in [1/4, 1) by an even number of digits; its root is m times the reciprocal root.
fn formula_root(a: Number, shift: i32) -> Number {
    let x = u32(max(a, 1));
    var up = i32(countLeadingZeros(x));
    up -= (32 - up - shift) & 1;
    let m = select(x << u32(max(up, 0)), x >> 1u, up < 0);
    // In units of 2^-30.
    let root = mul_high_word(m, reciprocal_root(m));
    return select(formula_shifted(i32(root), 30 - (32 - up - shift) / 2), 0, a <= 0);
}

fn formula_absolute(a: Number) -> Number { return max(a, negate(a)); }
fn formula_floor(a: Number, digits: i32, to: i32) -> Number { return formula_shifted(a >> u32(clamp(digits, 0, 31)), -to); }

fn formula_fraction(a: Number, digits: i32, to: i32) -> Number {
    if (digits > 31) {
        // The floor of a word so small is 0, or -1.
        return formula_shifted(a, digits - to) + select(0, i32(1u << u32(clamp(to, 0, 30))), a < 0);
    }
    let below = max(digits, 0);
    return formula_shifted(a & i32((1u << u32(below)) - 1u), below - to);
}

fn formula_length(v: Vector) -> Number { return length_of(polar(v)); }

// Unit vector with 30 digits.
fn formula_direction(v: Vector) -> Vector { return polar(v).unit; }

fn formula_index(a: Number, shift: i32) -> u32 { return u32(max(formula_shifted(a, shift), 0)); }

// A random number in [0, 1) with 24 digits.
fn formula_random(word: u32) -> Number { return Number(word >> 8u); }

fn formula_time(steps: Number, time_step: Number, digits: i32) -> Number {
    return formula_product(steps, time_step, i32(FRACTION) - digits);
}

fn formula_cut(v: Vector, low: Vector, high: Vector) -> Vector { return clamp(v, low, high); }

// Offset to another boid between exact positions; nearness is tested on coarse ones, so it may be slightly longer.
fn formula_offset(me: Boid, other: Neighbour) -> Vector { return nearest_image(minus(other.position, me.position)); }
fn formula_radius(radius: Number) -> Number { return radius; }
fn formula_near(other: Neighbour, offset: Vector, radius: Number) -> bool { return within(offset, radius); }

fn formula_add(sum: FormulaSum, v: Vector) -> FormulaSum { return add_wide(sum, widen(v)); }

fn formula_total(sum: FormulaSum, shift: vec3<i32>) -> Vector {
    let x = Wide(vec3<u32>(sum.low.x), Vector(sum.high.x));
    let y = Wide(vec3<u32>(sum.low.y), Vector(sum.high.y));
    let z = Wide(vec3<u32>(sum.low.z), Vector(sum.high.z));
    return Vector(formula_word(x, shift.x), formula_word(y, shift.y), formula_word(z, shift.z));
}

// 1e-6 with 30 digits, in `formula_turned`: see flock/src/formula/evaluate.rs.
const FORMULA_UPRIGHT_SQUARE: Number = 1074;
const FORMULA_OPPOSITE: Number = 1074;

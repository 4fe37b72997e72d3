// Twin of Wide in flock/src/fixed.rs: vectors with two words per component, for sums of requests.

struct Wide {
    low: vec3<u32>,
    high: Vector,
}

// Components of a narrow vector are at most 2^WIDE_BITS.
const WIDE_BITS: u32 = 29u;
// A weighted vector with more than this many additional binary digits is shortened to it.
const MAX_SHIFT: u32 = 17u;

fn widen(v: Vector) -> Wide { return Wide(bitcast<vec3<u32>>(v), v >> vec3<u32>(31u)); }

fn add_wide(a: Wide, b: Wide) -> Wide {
    let low = a.low + b.low;
    return Wide(low, a.high + b.high + select(Vector(0), Vector(1), low < a.low));
}

fn subtract_wide(a: Wide, b: Wide) -> Wide {
    return Wide(a.low - b.low, a.high - b.high - select(Vector(0), Vector(1), a.low < b.low));
}

// The full product of each component.
fn mul_wide(a: Vector, b: Vector) -> Wide {
    let high = bitcast<Vector>(mul_high(bitcast<vec3<u32>>(a), bitcast<vec3<u32>>(b)));
    // For each negative factor the unsigned product is too large by 2^32 times the other factor.
    let sign = vec3<u32>(31u);
    return Wide(bitcast<vec3<u32>>(a * b), high - ((a >> sign) & b) - ((b >> sign) & a));
}

// Divides by 2^shift, rounded to nearest, halves up; `shift` below 63.
fn shift_right(value: Wide, shift: u32) -> Wide {
    if (shift == 0u) {
        return value;
    }
    let digit = shift - 1u;
    let half = select(vec2<u32>(1u << (digit & 31u), 0u), vec2<u32>(0u, 1u << (digit & 31u)), digit > 31u);
    let sum = add_wide(value, Wide(vec3<u32>(half.x), Vector(i32(half.y))));
    if (shift < 32u) {
        let carried = bitcast<vec3<u32>>(sum.high) << vec3<u32>(32u - shift);
        return Wide((sum.low >> vec3<u32>(shift)) | carried, sum.high >> vec3<u32>(shift));
    }
    return Wide(bitcast<vec3<u32>>(sum.high >> vec3<u32>(shift - 32u)), sum.high >> vec3<u32>(31u));
}

// Multiplies by 2^shift; `shift` below 64.
fn shift_left(value: Wide, shift: u32) -> Wide {
    if (shift == 0u) {
        return value;
    }
    if (shift < 32u) {
        let carried = bitcast<Vector>(value.low >> vec3<u32>(32u - shift));
        return Wide(value.low << vec3<u32>(shift), (value.high << vec3<u32>(shift)) | carried);
    }
    return Wide(vec3<u32>(0u), bitcast<Vector>(value.low << vec3<u32>(shift - 32u)));
}

// Saturates to words.
fn saturate_wide(value: Wide) -> Vector {
    let words = bitcast<Vector>(value.low);
    return select(most_of(value.high), words, value.high == (words >> vec3<u32>(31u)));
}

// A vector divided by a power of two, and the exponent.
struct Shortened {
    vector: Vector,
    shift: u32,
}

// Divides a vector by the least power of two that brings every component down to 2^WIDE_BITS, rounded.
fn shortened(value: Wide) -> Shortened {
    // Only the top bit of each magnitude matters. For a negative component it equals the complement's.
    let sign = value.high >> vec3<u32>(31u);
    let low = value.low ^ bitcast<vec3<u32>>(sign);
    let high = bitcast<vec3<u32>>(value.high ^ sign);
    let low_bits = low.x | low.y | low.z;
    let high_bits = high.x | high.y | high.z;
    if (high_bits == 0u && (low_bits >> WIDE_BITS) == 0u) {
        return Shortened(bitcast<Vector>(value.low), 0u);
    }
    let zeros = select(countLeadingZeros(high_bits), 32u + countLeadingZeros(low_bits), high_bits == 0u);
    let shift = 64u - WIDE_BITS - zeros;
    return Shortened(bitcast<Vector>(shift_right(value, shift).low), shift);
}

// Shortens a vector too long for words, preserving its direction.
fn narrow(value: Wide) -> Vector { return shortened(value).vector; }

// Multiplies by a pure number, rounded to nearest.
fn weigh(value: Wide, weight: Number) -> Wide {
    if (weight == 0) {
        return Wide();
    }
    let s = shortened(value);
    if (weight == ONE && s.shift == 0u) {
        return value;
    }
    return shift_left(shift_right(mul_wide(s.vector, Vector(weight)), FRACTION), min(s.shift, MAX_SHIFT));
}

// Divides by a count, rounded to nearest, halves away from zero. Long division of magnitudes: first the upper words,
// then the lower ones in blocks of as many binary digits as fit beside the remainder. Each block is divided by a
// product with the reciprocal of the count.
fn divide_wide(value: Wide, all: u32) -> Wide {
    let count = vec3<u32>(max(all, 1u));
    let negative = value.high < Vector(0);
    let positive = subtract_wide(Wide(), value);
    let low = select(value.low, positive.low, negative);
    let high = bitcast<vec3<u32>>(select(value.high, positive.high, negative));
    let rounded = low + (count >> vec3<u32>(1u));
    let above = high + select(vec3<u32>(0u), vec3<u32>(1u), rounded < low);
    let inverse = inverse_of(count.x);
    let upper = quotients(above, count.x, inverse);
    var remainder = above - upper * count;
    var digits_below = rounded;
    var lower = vec3<u32>(0u);
    var left = 32u;
    while (left > 0u) {
        let digits = min(min(left, countLeadingZeros(count.x)), 31u);
        let dividend = (remainder << vec3<u32>(digits)) | (digits_below >> vec3<u32>(32u - digits));
        let part = quotients(dividend, count.x, inverse);
        lower = (lower << vec3<u32>(digits)) + part;
        remainder = dividend - part * count;
        digits_below = digits_below << vec3<u32>(digits);
        left -= digits;
    }
    let quotient = Wide(lower, bitcast<Vector>(upper));
    let opposite = subtract_wide(Wide(), quotient);
    return Wide(select(quotient.low, opposite.low, negative), select(quotient.high, opposite.high, negative));
}

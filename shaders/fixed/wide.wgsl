// Twin of flock/src/fixed/wide.rs: vectors of two words a component, for sums of requests.

struct Wide {
    low: vec3<u32>,
    high: vec3<i32>,
}

// Components of a narrow vector reach at most 2 to this power.
const ROOM: u32 = 29u;
// A weighted vector longer than this many more binary digits is shortened to it.
const MOST_SHIFT: u32 = 17u;

fn widen(v: vec3<i32>) -> Wide {
    return Wide(bitcast<vec3<u32>>(v), v >> vec3<u32>(31u));
}

fn add_wide(a: Wide, b: Wide) -> Wide {
    let low = a.low + b.low;
    return Wide(low, a.high + b.high + select(vec3<i32>(0), vec3<i32>(1), low < a.low));
}

fn subtract_wide(a: Wide, b: Wide) -> Wide {
    return Wide(a.low - b.low, a.high - b.high - select(vec3<i32>(0), vec3<i32>(1), a.low < b.low));
}

// The whole product of each component with a word.
fn mul_wide(a: vec3<i32>, b: i32) -> Wide {
    return mul_wide_each(a, vec3<i32>(b));
}

fn mul_wide_each(a: vec3<i32>, b: vec3<i32>) -> Wide {
    let high = bitcast<vec3<i32>>(mul_high(bitcast<vec3<u32>>(a), bitcast<vec3<u32>>(b)));
    // The product of the words as they stand is 2^32 times the other factor too large for each negative one.
    let sign = vec3<u32>(31u);
    return Wide(bitcast<vec3<u32>>(a * b), high - ((a >> sign) & b) - ((b >> sign) & a));
}

// Divided by 2^by and rounded to the nearest, halves up; `by` below 63.
fn shift_right(value: Wide, by: u32) -> Wide {
    if (by == 0u) {
        return value;
    }
    let place = by - 1u;
    let half = select(vec2<u32>(1u << (place & 31u), 0u), vec2<u32>(0u, 1u << (place & 31u)), place > 31u);
    let sum = add_wide(value, Wide(vec3<u32>(half.x), vec3<i32>(i32(half.y))));
    if (by < 32u) {
        let carried = bitcast<vec3<u32>>(sum.high) << vec3<u32>(32u - by);
        return Wide((sum.low >> vec3<u32>(by)) | carried, sum.high >> vec3<u32>(by));
    }
    return Wide(bitcast<vec3<u32>>(sum.high >> vec3<u32>(by - 32u)), sum.high >> vec3<u32>(31u));
}

// Times 2^by; `by` below 64.
fn shift_left(value: Wide, by: u32) -> Wide {
    if (by == 0u) {
        return value;
    }
    if (by < 32u) {
        let carried = bitcast<vec3<i32>>(value.low >> vec3<u32>(32u - by));
        return Wide(value.low << vec3<u32>(by), (value.high << vec3<u32>(by)) | carried);
    }
    return Wide(vec3<u32>(0u), bitcast<vec3<i32>>(value.low << vec3<u32>(by - 32u)));
}

// Cut to words.
fn saturate_wide(value: Wide) -> vec3<i32> {
    let words = bitcast<vec3<i32>>(value.low);
    return select(most_of(value.high), words, value.high == (words >> vec3<u32>(31u)));
}

// A vector shortened by a power of two, and that power's exponent.
struct Shortened {
    vector: vec3<i32>,
    shift: u32,
}

// The vector divided by the least power of two that brings every component down to 2^ROOM, rounded.
fn shortened(value: Wide) -> Shortened {
    // Of the magnitudes all that counts is the highest bit. A negative component's is taken of its complement.
    let sign = value.high >> vec3<u32>(31u);
    let low = value.low ^ bitcast<vec3<u32>>(sign);
    let high = bitcast<vec3<u32>>(value.high ^ sign);
    let low_bits = low.x | low.y | low.z;
    let high_bits = high.x | high.y | high.z;
    if (high_bits == 0u && (low_bits >> ROOM) == 0u) {
        return Shortened(bitcast<vec3<i32>>(value.low), 0u);
    }
    let zeros = select(countLeadingZeros(high_bits), 32u + countLeadingZeros(low_bits), high_bits == 0u);
    let shift = 64u - ROOM - zeros;
    return Shortened(bitcast<vec3<i32>>(shift_right(value, shift).low), shift);
}

// One too long for words keeps its direction.
fn narrow(value: Wide) -> vec3<i32> {
    return shortened(value).vector;
}

// Times a pure number, rounded to the nearest.
fn weigh(value: Wide, weight: i32) -> Wide {
    if (weight == 0) {
        return Wide();
    }
    let s = shortened(value);
    if (weight == ONE && s.shift == 0u) {
        return value;
    }
    return shift_left(shift_right(mul_wide(s.vector, weight), FRACTION), min(s.shift, MOST_SHIFT));
}

// Divided by a count, rounded to the nearest, halves away from zero.
fn divided(value: Wide, all: u32) -> Wide {
    let count = vec3<u32>(max(all, 1u));
    let negative = value.high < vec3<i32>(0);
    let positive = subtract_wide(Wide(), value);
    let low = select(value.low, positive.low, negative);
    let high = bitcast<vec3<u32>>(select(value.high, positive.high, negative));
    let rounded = low + (count >> vec3<u32>(1u));
    let above = high + select(vec3<u32>(0u), vec3<u32>(1u), rounded < low);
    let inverse = inverse_of(count.x);
    let upper = quotients(above, count.x, inverse);
    var rest = above - upper * count;
    var digits_of = rounded;
    var lower = vec3<u32>(0u);
    var left = 32u;
    while (left > 0u) {
        // As many digits at once as the rest leaves room for.
        let digits = min(min(left, countLeadingZeros(count.x)), 31u);
        let dividend = (rest << vec3<u32>(digits)) | (digits_of >> vec3<u32>(32u - digits));
        let part = quotients(dividend, count.x, inverse);
        lower = (lower << vec3<u32>(digits)) + part;
        rest = dividend - part * count;
        digits_of = digits_of << vec3<u32>(digits);
        left -= digits;
    }
    let quotient = Wide(lower, bitcast<vec3<i32>>(upper));
    let turned = subtract_wide(Wide(), quotient);
    return Wide(select(quotient.low, turned.low, negative), select(quotient.high, turned.high, negative));
}

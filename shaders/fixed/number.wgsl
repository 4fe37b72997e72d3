// Twin of flock/src/fixed.rs and flock/src/fixed/word.rs: numbers with FRACTION binary digits after the point, in words.
// Sums and products saturate. Products of two words are put together from halves.

alias Number = i32;

const FRACTION: u32 = 20u;
const ONE: i32 = 1048576;
const MOST: i32 = 2147483647;

// What stands in place of the number of others perceived for a boid on its perch.
const RESTING: Number = -1;

fn add(a: i32, b: i32) -> i32 {
    let sum = a + b;
    return select(sum, (a >> 31u) ^ MOST, ((a ^ sum) & (b ^ sum)) < 0);
}

fn subtract(a: i32, b: i32) -> i32 {
    let rest = a - b;
    return select(rest, (a >> 31u) ^ MOST, ((a ^ b) & (a ^ rest)) < 0);
}

// Rounded to the nearest, halves up.
fn multiply(a: i32, b: i32) -> i32 {
    return times(vec3<i32>(a, 0, 0), b).x;
}

// Cut towards zero; by zero it saturates.
fn divide(a: i32, b: i32) -> i32 {
    let negative = (a ^ b) < 0;
    let most = select(MOST, -MOST - 1, negative);
    let divisor = magnitude(vec3<i32>(b, 0, 0)).x;
    if (divisor == 0u) {
        return select(MOST, -MOST - 1, a < 0);
    }
    let dividend = magnitude(vec3<i32>(a, 0, 0)).x;
    var quotient = dividend / divisor;
    var rest = dividend - quotient * divisor;
    if (quotient >> (31u - FRACTION) != 0u) {
        return most;
    }
    // The divisor is at most 2^31, so that twice the rest fits.
    for (var digit = 0u; digit < FRACTION; digit++) {
        rest = rest << 1u;
        let one = rest >= divisor;
        quotient = (quotient << 1u) | select(0u, 1u, one);
        rest -= select(0u, divisor, one);
    }
    return select(bitcast<i32>(quotient), bitcast<i32>(0u - quotient), negative);
}

fn magnitude(v: vec3<i32>) -> vec3<u32> {
    let words = bitcast<vec3<u32>>(v);
    return select(words, vec3<u32>(0u) - words, v < vec3<i32>(0));
}

// The upper words of products.
fn mul_high(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    let half = vec3<u32>(16u);
    let mask = vec3<u32>(0xffffu);
    let a_low = a & mask;
    let a_high = a >> half;
    let b_low = b & mask;
    let b_high = b >> half;
    let low = a_low * b_low;
    // At most (2^16 - 1)^2 + 2^16 - 1: no carry is lost.
    let middle = a_high * b_low + (low >> half);
    let other = a_low * b_high + (middle & mask);
    return a_high * b_high + (middle >> half) + (other >> half);
}

// The same of one word each.
fn mul_high_word(a: u32, b: u32) -> u32 {
    return mul_high(vec3<u32>(a, 0u, 0u), vec3<u32>(b, 0u, 0u)).x;
}

// Divided by 2^by and rounded to the nearest, halves up; `by` below 31 and the value below 2^30 in magnitude.
fn shift_right_word(value: vec3<i32>, by: u32) -> vec3<i32> {
    return (value + vec3<i32>(half_of(by))) >> vec3<u32>(by);
}

// Half of 2^by, for rounding; zero where nothing is cut off.
fn half_of(by: u32) -> i32 {
    return (1 << by) >> 1u;
}

// (value * 2^shift + low) / count, rounded to the nearest, halves away from zero; `low` has either sign, and the result
// must fit a word.
fn mean(value: vec3<i32>, low: vec3<i32>, shift: u32, all: u32) -> vec3<i32> {
    let count = vec3<u32>(max(all, 1u));
    let mask = vec3<u32>((1u << shift) - 1u);
    // The digits above and below the shift, then their magnitude.
    let high = value + (low >> vec3<u32>(shift));
    let negative = high < vec3<i32>(0);
    var digits_below = bitcast<vec3<u32>>(low) & mask;
    let turned = select(vec3<i32>(-1) - high, -high, digits_below == vec3<u32>(0u));
    let whole = bitcast<vec3<u32>>(select(high, turned, negative));
    digits_below = select(digits_below, (vec3<u32>(0u) - digits_below) & mask, negative);
    let inverse = inverse_of(count.x);
    var quotient = quotients(whole, count.x, inverse);
    var rest = whole - quotient * count;
    var left = shift;
    while (left > 0u) {
        // As many digits at once as the rest leaves room for.
        let digits = min(left, countLeadingZeros(count.x));
        left -= digits;
        let next = (digits_below >> vec3<u32>(left)) & vec3<u32>((1u << digits) - 1u);
        let dividend = (rest << vec3<u32>(digits)) | next;
        let part = quotients(dividend, count.x, inverse);
        quotient = (quotient << vec3<u32>(digits)) + part;
        rest = dividend - part * count;
    }
    quotient += select(vec3<u32>(0u), vec3<u32>(1u), rest >= count - rest);
    return signed_as(negative, quotient);
}

// What turns divisions by a count above 0 into products: they are slow on many devices.
fn inverse_of(count: u32) -> u32 {
    return 0xffffffffu / count;
}

// Words divided by a count whose inverse is known: the product is the quotient, or one less.
fn quotients(words: vec3<u32>, count: u32, inverse: u32) -> vec3<u32> {
    let below = mul_high(words, vec3<u32>(inverse));
    let rest = words - below * count;
    return below + select(vec3<u32>(0u), vec3<u32>(1u), rest >= vec3<u32>(count));
}

// Magnitudes with their signs again.
fn signed_as(negative: vec3<bool>, magnitudes: vec3<u32>) -> vec3<i32> {
    return bitcast<vec3<i32>>(select(magnitudes, vec3<u32>(0u) - magnitudes, negative));
}

// 2^30 / sqrt(x) for x = m / 2^32 in [1/4, 1), below 2^31: two straight lines, then three steps of Newton's method.
fn reciprocal_root(m: u32) -> u32 {
    var r = 1919561469u - mul_high_word(869718939u, m);
    if (m < 0x80000000u) {
        r = 2714665957u - mul_high_word(2459933838u, m);
    }
    for (var k = 0; k < 3; k++) {
        // x r^2 in 2^-28, within 5 % of one.
        let square = mul_high_word(m, mul_high_word(r, r));
        let factor = 805306368u - square;
        r = mul_high_word(r, factor << 2u) << 1u;
    }
    return min(r, 0x7fffffffu);
}

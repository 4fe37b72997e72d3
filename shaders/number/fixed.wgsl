// Integers: twin of flock/src/fixed.rs, flock/src/fixed/word.rs and flock/src/fixed/direction.rs. number/f32.wgsl
// defines the same names for f32.
//
// A number is a 32-bit word with FRACTION binary digits after the point. Sums and products saturate. WGSL has no 64-bit
// integers: products of two words are built from 16-bit halves.
//!include number/vector.wgsl
//!include number/fixed_wide.wgsl

alias Number = i32;

// A sum over a block of boids, two words per component; low.w counts the boids, high.w is unused.
struct Partial {
    low: vec4<u32>,
    high: vec4<i32>,
}

const FRACTION: u32 = 20u;
const ONE: Number = 1048576;
const MAX: i32 = 2147483647;
// Stored in place of a perching boid's neighbour count.
const RESTING: Number = -1;
// Squared sine up to which a unit vector counts as upright, and fraction of the speed up to which a component of a
// vector counts as zero.
const UPRIGHT_SQUARE: Number = 1;
const PARALLEL: Number = 105;

fn add(a: Number, b: Number) -> Number {
    let sum = a + b;
    return select(sum, (a >> 31u) ^ MAX, ((a ^ sum) & (b ^ sum)) < 0);
}

fn subtract(a: Number, b: Number) -> Number {
    let difference = a - b;
    return select(difference, (a >> 31u) ^ MAX, ((a ^ b) & (a ^ difference)) < 0);
}

// Product, rounded to nearest, halves up.
fn multiply(a: Number, b: Number) -> Number { return times(Vector(a, 0, 0), b).x; }

fn negate(a: Number) -> Number { return subtract(0, a); }

fn floor_of(a: Number) -> Number { return (a >> FRACTION) << FRACTION; }

// Quotient, truncated towards zero; division by zero saturates.
fn divide(a: Number, b: Number) -> Number {
    return select(saturate_wide(shifted_quotient(a, b, FRACTION)).x, select(MAX, -MAX - 1, a < 0), b == 0);
}

// a 2^left / b, truncated towards zero, in the first component; saturates at 2^32 - 1 in magnitude. `left` is below 32.
fn shifted_quotient(a: Number, b: Number, left: u32) -> Wide {
    let dividend = magnitude(Vector(a, 0, 0)).x;
    let divisor = magnitude(Vector(b, 0, 0)).x;
    let high = select(dividend >> (32u - max(left, 1u)), 0u, left == 0u);
    let fits = high < divisor;
    let words = divided(select(0u, high, fits), dividend << left, max(divisor, 1u));
    let positive = Wide(vec3<u32>(select(0xffffffffu, words, fits), 0u, 0u), Vector(0));
    let opposite = subtract_wide(Wide(), positive);
    let negative = (a ^ b) < 0;
    return Wide(select(positive.low, opposite.low, negative), select(positive.high, opposite.high, negative));
}

// Divides two words, the upper below the divisor, by one word: Knuth's algorithm D with two digits of 16 bits, without
// a loop over binary digits.
fn divided(high: u32, low: u32, by: u32) -> u32 {
    let up = countLeadingZeros(by);
    let divisor = by << up;
    let above = (high << up) | select(low >> (32u - max(up, 1u)), 0u, up == 0u);
    let below = low << up;
    let first = divided_digit(above, below >> 16u, divisor);
    let left = ((above << 16u) | (below >> 16u)) - first * divisor;
    return (first << 16u) + divided_digit(left, below & 0xffffu, divisor);
}

// One digit: estimated by the divisor's upper digit, then corrected, as it is at most two too large.
fn divided_digit(above: u32, next: u32, divisor: u32) -> u32 {
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

fn magnitude(v: Vector) -> vec3<u32> {
    let words = bitcast<vec3<u32>>(v);
    return select(words, vec3<u32>(0u) - words, v < Vector(0));
}

// Applies signs to magnitudes.
fn with_signs(negative: vec3<bool>, magnitudes: vec3<u32>) -> Vector {
    return bitcast<Vector>(select(magnitudes, vec3<u32>(0u) - magnitudes, negative));
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

fn mul_high_word(a: u32, b: u32) -> u32 { return mul_high(vec3<u32>(a, 0u, 0u), vec3<u32>(b, 0u, 0u)).x; }

// Half of 2^shift, for rounding; zero where nothing is cut off.
fn half_of(shift: u32) -> i32 { return (1 << shift) >> 1u; }

// Divides by 2^shift, rounded to nearest, halves up; `shift` below 31 and the value below 2^30 in magnitude.
fn shift_right_word(value: Vector, shift: u32) -> Vector {
    return (value + Vector(half_of(shift))) >> vec3<u32>(shift);
}

// (value * 2^shift + low) / count, rounded to nearest, halves away from zero; `low` has either sign, and the result
// must fit a word. Long division of magnitudes as in `divide_wide`.
fn mean(value: Vector, low: Vector, shift: u32, all: u32) -> Vector {
    let count = vec3<u32>(max(all, 1u));
    let mask = vec3<u32>((1u << shift) - 1u);
    // The digits above and below the shift, then their magnitude.
    let high = value + (low >> vec3<u32>(shift));
    let negative = high < Vector(0);
    var digits_below = bitcast<vec3<u32>>(low) & mask;
    let complement = select(Vector(-1) - high, -high, digits_below == vec3<u32>(0u));
    let whole = bitcast<vec3<u32>>(select(high, complement, negative));
    digits_below = select(digits_below, (vec3<u32>(0u) - digits_below) & mask, negative);
    let inverse = inverse_of(count.x);
    var quotient = quotients(whole, count.x, inverse);
    var remainder = whole - quotient * count;
    var left = shift;
    while (left > 0u) {
        let digits = min(left, countLeadingZeros(count.x));
        left -= digits;
        let next = (digits_below >> vec3<u32>(left)) & vec3<u32>((1u << digits) - 1u);
        let dividend = (remainder << vec3<u32>(digits)) | next;
        let part = quotients(dividend, count.x, inverse);
        quotient = (quotient << vec3<u32>(digits)) + part;
        remainder = dividend - part * count;
    }
    quotient += select(vec3<u32>(0u), vec3<u32>(1u), remainder >= count - remainder);
    return with_signs(negative, quotient);
}

// The reciprocal of a count above 0: a product with it replaces a division, which is slow on many devices.
fn inverse_of(count: u32) -> u32 { return 0xffffffffu / count; }

// Divides words by a count with a given reciprocal: the product is the quotient, or one less.
fn quotients(words: vec3<u32>, count: u32, inverse: u32) -> vec3<u32> {
    let estimate = mul_high(words, vec3<u32>(inverse));
    let remainder = words - estimate * count;
    return estimate + select(vec3<u32>(0u), vec3<u32>(1u), remainder >= vec3<u32>(count));
}

// 2^30 / sqrt(x) for x = m / 2^32 in [1/4, 1), below 2^31: two linear pieces, then three Newton steps.
fn reciprocal_root(m: u32) -> u32 {
    let lower = m < 0x80000000u;
    var r = select(1919561469u, 2714665957u, lower) - mul_high_word(select(869718939u, 2459933838u, lower), m);
    for (var k = 0; k < 3; k++) {
        // x r^2 in units of 2^-28, within 5 % of one.
        let square = mul_high_word(m, mul_high_word(r, r));
        let factor = 805306368u - square;
        r = mul_high_word(r, factor << 2u) << 1u;
    }
    return min(r, 0x7fffffffu);
}

// The square root of a pure number from 0 to 1; zero for negative input.
fn unit_root(x: Number) -> Number {
    if (x <= 0) {
        return 0;
    }
    let even = countLeadingZeros(u32(x)) & 0xfffffffeu;
    let m = u32(x) << even;
    let root = mul_high_word(m, reciprocal_root(m));
    let down = 30u - FRACTION + even / 2u - (32u - FRACTION) / 2u;
    return i32((root + (1u << (down - 1u))) >> down);
}

fn finite_words(words: vec3<u32>) -> bool { return true; }

fn plus(a: Vector, b: Vector) -> Vector {
    let sum = a + b;
    return select(sum, most_of(a), ((a ^ sum) & (b ^ sum)) < Vector(0));
}

fn minus(a: Vector, b: Vector) -> Vector {
    let difference = a - b;
    return select(difference, most_of(a), ((a ^ b) & (a ^ difference)) < Vector(0));
}

// Product, rounded to nearest, halves up.
fn times(a: Vector, b: Number) -> Vector { return times_each(a, Vector(b)); }

fn times_each(a: Vector, b: Vector) -> Vector { return saturate_wide(shift_right(mul_wide(a, b), FRACTION)); }

// The word farthest from zero with the sign of each component.
fn most_of(a: Vector) -> Vector { return (a >> vec3<u32>(31u)) ^ Vector(MAX); }

// Keeps positions in the range where differences of any two fit.
fn confine(position: Vector) -> Vector {
    let far = Vector(MAX >> 1u);
    return clamp(position, -far, far);
}

// Fractions from numerators over 2^24.
fn fractions(numerators: vec3<i32>) -> Vector { return shift_right_word(numerators, 24u - FRACTION); }

// The largest magnitude of a component.
fn largest(v: Vector) -> Number {
    let magnitudes = max(v, minus(Vector(0), v));
    return max(max(magnitudes.x, magnitudes.y), magnitudes.z);
}

// A vector's unit vector and length, before rounding to numbers.
struct Polar {
    // False for the zero vector.
    exists: bool,
    // With 30 fraction digits.
    unit: Vector,
    // 2^30 / sqrt(x), where the length is sqrt(x) 2^(32 - halving - shift).
    root: u32,
    x: u32,
    halving: u32,
    // Binary digits by which the vector was shifted up; -1 if shifted down by one.
    shift: i32,
}

fn polar(v: Vector) -> Polar {
    let magnitudes = magnitude(v);
    let all = magnitudes.x | magnitudes.y | magnitudes.z;
    // The highest bit moves to 2^30: three squares then add up below 2^32.
    let shift = i32(countLeadingZeros(all)) - 1;
    let halved = (magnitudes >> vec3<u32>(1u)) + (magnitudes & vec3<u32>(1u));
    let shifted = select(magnitudes << vec3<u32>(u32(max(shift, 0))), halved, shift < 0);
    let square = mul_high(shifted, shifted);
    let sum = square.x + square.y + square.z;
    let halving = select(0u, 1u, sum < 0x40000000u);
    let x = sum << (2u * halving);
    let root = reciprocal_root(x);
    let parts = mul_high(shifted, vec3<u32>(root)) << vec3<u32>(halving);
    // The zero vector gives all zeros.
    let exists = all != 0u;
    let unit = with_signs(v < Vector(0), parts);
    return Polar(exists, unit, select(0u, root, exists), x, select(0u, halving, exists), select(0, shift, exists));
}

// The unit vector with FRACTION digits.
fn unit_vector(p: Polar) -> Vector { return shift_right_word(p.unit, 30u - FRACTION); }

// The length in the vector's own unit, rounded, saturating at the largest word.
fn length_of(p: Polar) -> Number {
    // sqrt(x) in units of 2^-30, then times 2^(32 - halving - shift).
    let scaled = mul_high_word(p.x, p.root);
    let down = p.shift + i32(p.halving) - 2;
    let by = u32(max(down, 1));
    let rounded = (scaled + (1u << (by - 1u))) >> by;
    let up = u32(max(-down, 0));
    return i32(select(select(scaled << up, 0x7fffffffu, scaled > (0x7fffffffu >> up)), rounded, down > 0));
}

fn direction(v: Vector) -> Direction {
    let p = polar(v);
    return Direction(p.exists, unit_vector(p), length_of(p));
}

// True if a vector is shorter than a radius; exact.
fn within(v: Vector, radius: Number) -> bool {
    let squares = mul_wide(v, v);
    let x = Wide(vec3<u32>(squares.low.x), Vector(squares.high.x));
    let y = Wide(vec3<u32>(squares.low.y), Vector(squares.high.y));
    let z = Wide(vec3<u32>(squares.low.z), Vector(squares.high.z));
    let sum = add_wide(add_wide(x, y), z);
    let most = mul_wide(Vector(radius, 0, 0), Vector(radius));
    // Below 2^64: compared without signs.
    let high = bitcast<u32>(sum.high.x);
    let most_high = bitcast<u32>(most.high.x);
    return high < most_high || (high == most_high && sum.low.x < most.low.x);
}

// The unit vector of a nonzero offset shorter than a radius; otherwise zero.
fn toward(offset: Vector, radius: Number) -> Vector {
    if (!within(offset, radius)) {
        return Vector(0);
    }
    return unit_vector(polar(offset));
}

// Rounds down, and clamps to -most..=most.
fn whole_cells(cells: Vector, most: u32) -> vec3<i32> {
    return clamp(cells >> vec3<u32>(FRACTION), Vector(-i32(most)), Vector(i32(most)));
}

fn partial_of(v: Vector) -> Partial {
    let wide = widen(v);
    return Partial(vec4<u32>(wide.low, 1u), vec4<i32>(wide.high, 0));
}

fn add_partials(a: Partial, b: Partial) -> Partial {
    let low = a.low + b.low;
    let carry = select(Vector(0), Vector(1), low.xyz < a.low.xyz);
    return Partial(low, a.high + b.high + vec4<i32>(carry, 0));
}

fn count_of(partial: Partial) -> u32 { return partial.low.w; }

fn wide_of(partial: Partial) -> Wide { return Wide(partial.low.xyz, partial.high.xyz); }

fn mean_of(partial: Partial) -> Vector { return saturate_wide(divide_wide(wide_of(partial), count_of(partial))); }

// f32: twin of flock/src/number/float.rs. number/fixed.wgsl defines the same names for integers.
//
// `add`, `subtract`, `multiply` and `divide` take numbers; `plus`, `minus` and `times` take vectors; `_wide` names take
// sums of requests. In f32 each of them is one operator.
//!include number/vector.wgsl

alias Number = f32;
// A sum of requests. An alias of the alias: naga writes each helper function twice for two types that are one in HLSL.
alias Wide = Vector;
// A sum over a block of boids; w counts the boids.
alias Partial = vec4<f32>;

const ONE: Number = 1.0;
// Stored in place of a perching boid's neighbour count.
const RESTING: Number = -1.0;
// Lengths below this count as zero; and the square.
const TINY: Number = 0x1p-50f;
const TINY_SQUARE: Number = 0x1p-100f;
// Squared sine up to which a unit vector counts as upright, and fraction of the speed up to which a component of a
// vector counts as zero.
const UPRIGHT_SQUARE: Number = 1e-6;
const PARALLEL: Number = 1e-4;

fn add(a: Number, b: Number) -> Number { return a + b; }
fn subtract(a: Number, b: Number) -> Number { return a - b; }
fn multiply(a: Number, b: Number) -> Number { return a * b; }
fn divide(a: Number, b: Number) -> Number { return a / b; }
fn negate(a: Number) -> Number { return -a; }
fn floor_of(a: Number) -> Number { return floor(a); }

// True if a vector with these bits has no infinity and no NaN.
fn finite_words(words: vec3<u32>) -> bool { return all((words & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u)); }

fn plus(a: Vector, b: Vector) -> Vector { return a + b; }
fn minus(a: Vector, b: Vector) -> Vector { return a - b; }
fn times(a: Vector, b: Number) -> Vector { return a * b; }
fn times_each(a: Vector, b: Vector) -> Vector { return a * b; }

fn widen(v: Vector) -> Wide { return v; }
fn narrow(v: Wide) -> Vector { return v; }
fn add_wide(a: Wide, b: Wide) -> Wide { return a + b; }
fn weigh(v: Wide, weight: Number) -> Wide { return v * weight; }

// Positions need no clamping: differences of any two fit.
fn confine(position: Vector) -> Vector { return position; }

// Fractions from numerators over 2^24.
fn fractions(numerators: vec3<i32>) -> Vector { return Vector(numerators) * 0x1p-24f; }

// The square root of a pure number from 0 to 1.
fn unit_root(x: Number) -> Number { return sqrt(x); }

// The largest magnitude of a component.
fn largest(v: Vector) -> Number { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }

// Divides by the largest component first, so that no square overflows or underflows.
fn direction(v: Vector) -> Direction {
    let most = largest(v);
    if (most < TINY) {
        return Direction();
    }
    let scaled = v / most;
    let length = sqrt(dot(scaled, scaled));
    return Direction(true, scaled / length, length * most);
}

// True if a vector is shorter than a radius.
fn within(v: Vector, radius: Number) -> bool { return dot(v, v) < radius * radius; }

// The unit vector of a nonzero offset shorter than a radius; otherwise zero.
fn toward(offset: Vector, radius: Number) -> Vector {
    let square = dot(offset, offset);
    if (radius * radius <= square || square < TINY_SQUARE) {
        return Vector();
    }
    return offset * (1.0 / sqrt(square));
}

// Rounds down, and clamps to -most..=most.
fn whole_cells(cells: Vector, most: u32) -> vec3<i32> {
    return vec3<i32>(floor(clamp(cells, Vector(-f32(most)), Vector(f32(most)))));
}

fn partial_of(v: Vector) -> Partial { return Partial(v, 1.0); }
fn add_partials(a: Partial, b: Partial) -> Partial { return a + b; }
fn count_of(partial: Partial) -> u32 { return u32(partial.w); }
fn wide_of(partial: Partial) -> Wide { return partial.xyz; }
fn mean_of(partial: Partial) -> Vector { return partial.xyz / max(partial.w, 1.0); }

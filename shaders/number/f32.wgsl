// f32: twin of flock/src/float.rs. number/fixed.wgsl defines the same names for integers.
//
// `add`, `subtract`, `multiply` and `divide` take numbers; `plus`, `minus` and `times` take vectors; `_wide` names take
// sums of requests. In f32 each of them is one operator.
//!include number/vector.wgsl

alias Number = f32;
// A sum of requests. An alias of the alias: of two types that are one in HLSL, naga writes each helper function twice.
alias Wide = Vector;
// A sum over a block of boids; w counts them.
alias Partial = vec4<f32>;

const ONE: Number = 1.0;
// Stands in place of the neighbour count of a boid on its perch.
const RESTING: Number = -1.0;
// A length below this counts as zero; and its square.
const TINY: Number = 0x1p-50f;
const TINY_SQUARE: Number = 0x1p-100f;
// The square of a sine up to which a unit vector counts as upright, and the part of a speed up to which a vector's
// component counts as none.
const UPRIGHT_SQUARE: Number = 1e-6;
const PARALLEL: Number = 1e-4;

fn add(a: Number, b: Number) -> Number { return a + b; }
fn subtract(a: Number, b: Number) -> Number { return a - b; }
fn multiply(a: Number, b: Number) -> Number { return a * b; }
fn divide(a: Number, b: Number) -> Number { return a / b; }
fn negate(a: Number) -> Number { return -a; }
fn floor_of(a: Number) -> Number { return floor(a); }

// Whether vectors with these bits have no infinity and no NaN.
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

// Numerators over 2^24.
fn fractions(numerators: vec3<i32>) -> Vector { return Vector(numerators) * 0x1p-24f; }

// The square root of a pure number from 0 to 1.
fn unit_root(x: Number) -> Number { return sqrt(x); }

// The largest magnitude of a component.
fn largest(v: Vector) -> Number { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }

// Divided by the largest component first, so that no square overflows or underflows.
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

// The unit vector of an offset shorter than a radius; zero for others, and for zero.
fn toward(offset: Vector, radius: Number) -> Vector {
    let square = dot(offset, offset);
    if (radius * radius <= square || square < TINY_SQUARE) {
        return Vector();
    }
    return offset * (1.0 / sqrt(square));
}

// Rounded down, and clamped to -most..most.
fn whole_cells(cells: Vector, most: u32) -> vec3<i32> {
    return vec3<i32>(floor(clamp(cells, Vector(-f32(most)), Vector(f32(most)))));
}

// The fraction within a cell, in 1024ths.
fn cell_fractions(cells: Vector) -> vec3<u32> {
    return vec3<u32>(clamp((cells - floor(cells)) * 1024.0, Vector(0.0), Vector(1023.0)));
}

fn partial_of(v: Vector) -> Partial { return Partial(v, 1.0); }
fn add_partials(a: Partial, b: Partial) -> Partial { return a + b; }
fn count_of(partial: Partial) -> u32 { return u32(partial.w); }
fn wide_of(partial: Partial) -> Wide { return partial.xyz; }
fn mean_of(partial: Partial) -> Vector { return partial.xyz / max(partial.w, 1.0); }

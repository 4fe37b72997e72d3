// Operations of formulas in f32: twin of the defaults in flock/src/number.rs. Digits and shifts are unused.

alias FormulaSum = Vector;

fn formula_product(a: Number, b: Number, shift: i32) -> Number { return a * b; }

fn formula_quotient(a: Number, b: Number, shift: i32) -> Number {
    let exists = TINY <= abs(b);
    return select(0.0, a / select(1.0, b, exists), exists);
}

fn formula_root(a: Number, shift: i32) -> Number { return sqrt(select(0.0, a, 0.0 < a)); }
fn formula_absolute(a: Number) -> Number { return abs(a); }
fn formula_floor(a: Number, digits: i32, to: i32) -> Number { return floor(a); }
fn formula_fraction(a: Number, digits: i32, to: i32) -> Number { return a - floor(a); }
fn formula_length(v: Vector) -> Number { return direction(v).length; }
fn formula_direction(v: Vector) -> Vector { return direction(v).unit; }

fn formula_index(a: Number, shift: i32) -> u32 { return u32(max(a, 0.0) + 0.5); }

// A random number in [0, 1).
fn formula_random(word: u32) -> Number { return Number(word >> 8u) * 0x1p-24f; }
fn formula_time(steps: Number, time_step: Number, digits: i32) -> Number { return steps * time_step; }
fn formula_cut(v: Vector, low: Vector, high: Vector) -> Vector { return v; }

// Offset to another boid, and the value per radius for the test of nearness: its square.
fn formula_offset(me: Boid, other: Neighbour) -> Vector { return other.offset; }
fn formula_radius(radius: Number) -> Number { return radius * radius; }
fn formula_near(other: Neighbour, offset: Vector, square: Number) -> bool { return other.square < square; }

fn formula_add(sum: FormulaSum, v: Vector) -> FormulaSum { return sum + v; }
fn formula_total(sum: FormulaSum, shift: vec3<i32>) -> Vector { return sum; }

// In `formula_turned`: see flock/src/formula/evaluate.rs.
const FORMULA_UPRIGHT_SQUARE: Number = 1e-6;
const FORMULA_OPPOSITE: Number = 1e-6;

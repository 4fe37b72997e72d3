// Operations of formulas in both number types.
//!include number/{number}_formulas.wgsl

// An entry of a table with `side` rows and columns, stored from slot `first` on; indices are clamped to the last.
fn formula_table(row: u32, column: u32, first: u32, side: u32) -> Number {
    let slot = first + min(row, side - 1u) * side + min(column, side - 1u);
    return rule.formula_values[slot / 4u][slot % 4u];
}

// An integer modulo 2^22, for ids and steps.
fn formula_whole(number: u32) -> Number { return Number(number & 0x3fffffu); }

// Binary digits of a component of a unit vector.
const DIRECTION_DIGITS: i32 = 30;

// A unit vector times a component of one.
fn formula_scaled(v: Vector, by: Number) -> Vector {
    let digits = DIRECTION_DIGITS;
    return Vector(formula_product(v.x, by, digits), formula_product(v.y, by, digits), formula_product(v.z, by, digits));
}

fn formula_dot(a: Vector, b: Vector) -> Number {
    let x = formula_product(a.x, b.x, DIRECTION_DIGITS);
    let y = formula_product(a.y, b.y, DIRECTION_DIGITS);
    return add(add(x, y), formula_product(a.z, b.z, DIRECTION_DIGITS));
}

// The unit vector `to` mirrored at the unit vector `origin`.
fn formula_mirrored(origin: Vector, to: Vector) -> Vector {
    let along = formula_scaled(origin, formula_dot(origin, to));
    return plus(along, minus(along, to));
}

// A vector perpendicular to a unit vector: level, or in the x-z plane if the unit vector is upright.
fn formula_perpendicular(unit: Vector) -> Vector {
    let x = formula_product(unit.x, unit.x, DIRECTION_DIGITS);
    let level = add(x, formula_product(unit.y, unit.y, DIRECTION_DIGITS));
    let aside = Vector(negate(unit.y), unit.x, 0);
    return select(aside, Vector(unit.z, 0, negate(unit.x)), level <= FORMULA_UPRIGHT_SQUARE);
}

// The unit vector `origin` turned towards the unit vector `to`, at most by the angle of this cosine and sine; `origin`
// if `to` is zero. Twin of `turned` in flock/src/formula/evaluate.rs.
fn formula_turned(origin: Vector, to: Vector, cosine: Number, sine: Number) -> Vector {
    let ahead = formula_dot(origin, to);
    let aside = minus(to, formula_scaled(origin, ahead));
    let back = ahead < 0;
    let opposite = back & (largest(aside) <= FORMULA_OPPOSITE);
    let side = formula_direction(select(aside, formula_perpendicular(origin), opposite));
    let most = plus(formula_scaled(origin, cosine), formula_scaled(side, sine));
    let aslant = sine < add(largest(aside), largest(aside));
    let beyond = (ahead < cosine) & (back | aslant);
    return select(origin, select(to, most, beyond), 0 < largest(to));
}

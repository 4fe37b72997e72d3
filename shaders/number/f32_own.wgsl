// What formulas ask of f32: twin of the defaults in flock/src/formula/evaluate.rs.

fn own_quotient(a: Number, b: Number) -> Number {
    let exists = TINY <= abs(b);
    return select(0.0, a / select(1.0, b, exists), exists);
}

fn own_root(a: Number) -> Number { return sqrt(select(0.0, a, 0.0 < a)); }
fn own_fraction(a: Number) -> Number { return a - floor(a); }

// From 0 to below 1.
fn own_random(word: u32) -> Number { return Number(word >> 8u) * 0x1p-24f; }

// A number that is known modulo 2^22: an id, or a step.
fn own_whole(number: u32) -> Number { return Number(number & 0x3fffffu); }

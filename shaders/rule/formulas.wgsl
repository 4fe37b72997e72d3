// Operations of formulas in both number types.
//!include number/{number}_formulas.wgsl

// An entry of a table with `side` rows and columns, stored from slot `first` on; indices are clamped to the last.
fn formula_table(row: u32, column: u32, first: u32, side: u32) -> Number {
    let slot = first + min(row, side - 1u) * side + min(column, side - 1u);
    return rule.formula_values[slot / 4u][slot % 4u];
}

// An integer modulo 2^22, for ids and steps.
fn formula_whole(number: u32) -> Number { return Number(number & 0x3fffffu); }

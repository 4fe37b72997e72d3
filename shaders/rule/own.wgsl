// What formulas ask of both number types.
//!include number/{number}_own.wgsl

// A number of a table with so many rows and columns, whose first is in a slot; an index beyond the last is the last.
fn own_table(row: u32, column: u32, first: u32, side: u32) -> Number {
    let slot = first + min(row, side - 1u) * side + min(column, side - 1u);
    return rule.own[slot / 4u][slot % 4u];
}

// A number that is known modulo 2^22: an id, or a step.
fn own_whole(number: u32) -> Number { return Number(number & 0x3fffffu); }

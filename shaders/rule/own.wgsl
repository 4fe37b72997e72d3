// What formulas ask of both number types.
//!include number/{number}_own.wgsl

// A number that is known modulo 2^22: an id, or a step.
fn own_whole(number: u32) -> Number { return Number(number & 0x3fffffu); }

// Where an entry of an array lies that is cut into parts of 2^shift entries.

fn part_of(entry: u32, shift: u32) -> u32 {
    return entry >> shift;
}

fn within_part(entry: u32, shift: u32) -> u32 {
    return entry & ((1u << shift) - 1u);
}

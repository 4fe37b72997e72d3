// What a subgroup has summed up together, in f32.

// The sums of all lanes.
fn all_lanes(sums: Sums) -> Sums {
    return Sums(
        subgroupAdd(sums.separation),
        subgroupAdd(sums.separation_count),
        subgroupAdd(sums.alignment),
        subgroupAdd(sums.alignment_count),
        subgroupAdd(sums.cohesion),
        subgroupAdd(sums.cohesion_count),
        sums.line_of_sight,
    );
}

// Adds sums as they are seen from another place.
fn add_together(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Observer, seen_there: Sums) {
    let way = other.position - me.position;
    if (FALLOFF == FALLOFF_NONE) {
        (*sums).separation += seen_there.separation - way * seen_there.separation_count;
    }
    (*sums).separation_count += seen_there.separation_count;
    (*sums).alignment += seen_there.alignment;
    (*sums).alignment_count += seen_there.alignment_count;
    (*sums).cohesion += seen_there.cohesion + way * seen_there.cohesion_count;
    (*sums).cohesion_count += seen_there.cohesion_count;
}

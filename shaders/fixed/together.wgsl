// What a subgroup has summed up together, in integers.

// The sums of all lanes.
fn all_lanes(sums: Sums) -> Sums {
    return Sums(
        Total(subgroupAdd(sums.separation.sum), subgroupAdd(sums.separation.rest)),
        subgroupAdd(sums.separation_count),
        Total(subgroupAdd(sums.alignment.sum), subgroupAdd(sums.alignment.rest)),
        subgroupAdd(sums.alignment_count),
        Total(subgroupAdd(sums.cohesion.sum), subgroupAdd(sums.cohesion.rest)),
        subgroupAdd(sums.cohesion_count),
        sums.line_of_sight,
    );
}

// Adds sums as they are seen from another place.
fn add_together(senses: Senses, sums: ptr<function, Sums>, me: Observer, other: Observer, seen_there: Sums) {
    let way = other.place - me.place;
    let rest = other.position - me.position - (way << senses.place);
    if (FALLOFF == FALLOFF_NONE) {
        (*sums).separation.sum += seen_there.separation.sum - way * seen_there.separation_count;
        (*sums).separation.rest += seen_there.separation.rest - rest * seen_there.separation_count;
    }
    (*sums).separation_count += seen_there.separation_count;
    (*sums).alignment.sum += seen_there.alignment.sum;
    (*sums).alignment.rest += seen_there.alignment.rest;
    (*sums).alignment_count += seen_there.alignment_count;
    (*sums).cohesion.sum += seen_there.cohesion.sum + way * seen_there.cohesion_count;
    if (EXACT_PULL) {
        (*sums).cohesion.rest += seen_there.cohesion.rest + rest * seen_there.cohesion_count;
    }
    (*sums).cohesion_count += seen_there.cohesion_count;
}

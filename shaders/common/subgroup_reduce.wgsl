// Subgroup sums: each lane adds clusters for all lanes, as seen from one position, and the lanes' sums are added.
//!include number/{number}_subgroup.wgsl

// The sums over all lanes. Clusters never contribute to the line of sight.
fn reduced(sums: Sums) -> Sums {
    return Sums(
        subgroup_add(sums.separation),
        subgroupAdd(sums.separation_count),
        subgroup_add(sums.alignment),
        subgroupAdd(sums.alignment_count),
        subgroup_add(sums.cohesion),
        subgroupAdd(sums.cohesion_count),
        sums.line_of_sight,
    );
}

// Adds sums whose offsets start at another position.
fn add_moved_sums(units: Units, sums: ptr<function, Sums>, me: Observer, other: Observer, seen_there: Sums) {
    let way = difference_total(units, me.position, other.position);
    if (FALLOFF == FALLOFF_NONE) {
        let moved = scale_total(way, seen_there.separation_count);
        (*sums).separation = add_totals((*sums).separation, subtract_totals(seen_there.separation, moved));
    }
    (*sums).separation_count += seen_there.separation_count;
    (*sums).alignment = add_totals((*sums).alignment, seen_there.alignment);
    (*sums).alignment_count += seen_there.alignment_count;
    let moved = scale_total(way, seen_there.cohesion_count);
    (*sums).cohesion = add_totals((*sums).cohesion, offset_part(add_totals(seen_there.cohesion, moved)));
    (*sums).cohesion_count += seen_there.cohesion_count;
}

// Sums over the lanes of a subgroup, in f32.

fn subgroup_add(total: Total) -> Total { return subgroupAdd(total); }

// Sums over the lanes of a subgroup, in integers.

fn subgroup_add(total: Total) -> Total { return Total(subgroupAdd(total.sum), subgroupAdd(total.rest)); }

// Where each of those who came to a cell belongs among the sorted.

// Nobody looks for neighbours, and the boids keep their places.
override ALONE: bool = false;

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> members: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> arrivals: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;

struct Ranked {
    // Where it lies among the arrivals.
    source: u32,
    place: u32,
}

// The k-th of them: by cell, within the cell by id. In a crowd that would be too many comparisons: there they are
// sorted before (merge.wgsl), and a round of this pass says so.
fn ranked(k: u32) -> Ranked {
    if (ALONE) {
        return Ranked(k, k);
    }
    let member = members[k];
    if (moment.round > 0u) {
        return Ranked(member.y, k);
    }
    let arrival = arrivals[member.y];
    let begin = starts[arrival.z];
    let end = starts[arrival.z + 1u];
    // It asks at its end, as the loops of the kernels do: the cell has a member.
    var rank = 0u;
    var other = begin;
    loop {
        rank += select(0u, 1u, members[other].x < member.x);
        other++;
        if (other >= end) {
            break;
        }
    }
    return Ranked(member.y, begin + rank);
}

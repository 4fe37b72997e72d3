// Sorts the boids of each cell by place and id: merges runs of 4^round, four into one. Each boid finds its place among
// those of the other three. No two are alike, so it is the same whoever came first.
//!include common/dispatch.wgsl

@group(0) @binding(0) var<uniform> moment: Moment;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// The list, in turns here and there: place on the curve, id, arrival, cell.
@group(0) @binding(2) var<storage, read_write> positions: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> velocities: array<vec4<u32>>;
// Id and arrival, sorted.
@group(0) @binding(4) var<storage, read_write> members: array<vec2<u32>>;

fn listed(k: u32) -> vec4<u32> {
    if ((moment.round & 1u) == 0u) {
        return positions[k];
    }
    return velocities[k];
}

// How many from begin to end, a sorted run, come before one.
fn before(one: vec4<u32>, begin: u32, end: u32) -> u32 {
    var low = begin;
    var high = end;
    while (low < high) {
        let middle = low + (high - low) / 2u;
        let other = listed(middle);
        if (other.x < one.x || (other.x == one.x && other.y < one.y)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low - begin;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = moment.first + linear(group, groups, local);
    if (k >= moment.end) {
        return;
    }
    let one = listed(k);
    let begin = starts[one.w];
    let count = starts[one.w + 1u] - begin;
    let shift = 2u * moment.round;
    let run = (k - begin) >> shift;
    let first = run & ~3u;
    var place = begin + (first << shift) + ((k - begin) & ((1u << shift) - 1u));
    for (var other = first; other < first + 4u; other++) {
        let low = min(other << shift, count);
        let high = min(low + (1u << shift), count);
        if (other != run) {
            place += before(one, begin + low, begin + high);
        }
    }
    if (moment.round + 1u == moment.rounds) {
        members[place] = one.yz;
    } else if ((moment.round & 1u) == 0u) {
        velocities[place] = one;
    } else {
        positions[place] = one;
    }
}

// Sorts the boids of each cell by Morton code and id: merges runs of 4^round boids, four into one. Each boid finds its
// index among the other three runs by binary search. Keys are unique, so the order does not depend on the arrivals.
//!include common/dispatch.wgsl

@group(0) @binding(0) var<storage, read> starts: array<u32>;
// The list, alternately in either buffer: Morton code, id, arrival, cell.
@group(0) @binding(1) var<storage, read_write> positions: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> velocities: array<vec4<u32>>;
// Id and arrival, sorted.
@group(0) @binding(3) var<storage, read_write> members: array<vec2<u32>>;

fn listed(k: u32) -> vec4<u32> {
    if ((dispatch.round & 1u) == 0u) {
        return positions[k];
    }
    return velocities[k];
}

// Number of boids in the sorted run begin..end that precede `one`.
fn count_before(one: vec4<u32>, begin: u32, end: u32) -> u32 {
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
fn main(at: Invocation) {
    let k = element_of(at);
    if (k >= dispatch.end) {
        return;
    }
    let one = listed(k);
    let begin = starts[one.w];
    let count = starts[one.w + 1u] - begin;
    let shift = 2u * dispatch.round;
    let run = (k - begin) >> shift;
    let first = run & ~3u;
    var index = begin + (first << shift) + ((k - begin) & ((1u << shift) - 1u));
    for (var other = first; other < first + 4u; other++) {
        let low = min(other << shift, count);
        let high = min(low + (1u << shift), count);
        if (other != run) {
            index += count_before(one, begin + low, begin + high);
        }
    }
    if (dispatch.round + 1u == dispatch.rounds) {
        members[index] = one.yz;
    } else if ((dispatch.round & 1u) == 0u) {
        velocities[index] = one;
    } else {
        positions[index] = one;
    }
}

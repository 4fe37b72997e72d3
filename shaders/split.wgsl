// Splits the boids of a part: its own boids in the inner cells move to the beginning, its other own boids to the end,
// and its halo is dropped. For sums over the halo only the halo is written, at the end.
//!include number/{number}.wgsl
//!include common/dispatch.wgsl
//!include common/grid.wgsl
//!include written/Split.wgsl

@group(0) @binding(0) var<storage, read> positions: array<vec4<Number>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<Number>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;
// The ids of the halo, ascending.
@group(0) @binding(3) var<storage, read> halo: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_positions: array<vec4<Number>>;
@group(0) @binding(5) var<storage, read_write> new_velocities: array<vec4<Number>>;
@group(0) @binding(6) var<storage, read_write> members: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> split: Split;

const INSIDE: u32 = 0u;
const OUTSIDE: u32 = 1u;
const LEFT_OUT: u32 = 2u;

// Number of this workgroup's boids on each side, and their first indices.
var<workgroup> counts: array<atomic<u32>, 2>;
var<workgroup> begins: array<u32, 2>;

// Only one atomic per workgroup and side. Its order is undone by the sort that follows, or by the ids.
@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    let i = element_of(at);
    var side = LEFT_OUT;
    if (i < dispatch.end) {
        side = side_of(positions[i].xyz, tags[i].x);
    }
    var slot = 0u;
    if (side != LEFT_OUT) {
        slot = atomicAdd(&counts[side], 1u);
    }
    workgroupBarrier();
    if (at.local == INSIDE) {
        begins[INSIDE] = atomicAdd(&split.inside, atomicLoad(&counts[INSIDE]));
    } else if (at.local == OUTSIDE) {
        begins[OUTSIDE] = atomicAdd(&split.outside, atomicLoad(&counts[OUTSIDE]));
    }
    workgroupBarrier();
    if (side == LEFT_OUT) {
        return;
    }
    let k = begins[side] + slot;
    let to = select(split.boids - 1u - k, k, side == INSIDE);
    new_positions[to] = positions[i];
    new_velocities[to] = velocities[i];
    members[to] = tags[i];
}

fn side_of(position: Vector, id: u32) -> u32 {
    let of_halo = in_halo(id);
    if (split.only_halo != 0u) {
        return select(LEFT_OUT, OUTSIDE, of_halo);
    }
    let cell = cell_of(position);
    let inside = all(cell >= split.first.xyz) && all(cell < split.end.xyz);
    return select(select(OUTSIDE, INSIDE, inside), LEFT_OUT, of_halo);
}

fn in_halo(id: u32) -> bool {
    var low = 0u;
    var high = split.halo;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (halo[middle] < id) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low < split.halo && halo[low] == id;
}

// Twin of flock/src/hash.rs: adds up the hashes of the boids. A sum modulo 2^64 does not depend on the order of the
// atomics. A few workgroups take all boids, so that few contend for the sum.
//!include number/{number}.wgsl
//!include common/dispatch.wgsl
//!include common/boid.wgsl
//!include common/long.wgsl
//!include written/HashSum.wgsl

@group(0) @binding(0) var<storage, read> positions: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> hash_sum: HashSum;

// The low word, then the high word.
var<workgroup> sums: array<vec2<u32>, GROUP>;

@compute @workgroup_size(GROUP)
fn main(at: Invocation) {
    var own = vec2<u32>(0u);
    var all_finite = true;
    for (var i = element_of(at); i < dispatch.end; i += at.groups.x * GROUP) {
        own = add_long(own, hash_of_boid(positions[i], velocities[i].xyz, tags[i]));
        all_finite = all_finite && finite_words(positions[i].xyz) && finite_words(velocities[i].xyz);
    }
    sums[at.local] = own;
    workgroupBarrier();
    for (var half = GROUP / 2u; half > 0u; half = half / 2u) {
        if (at.local < half) {
            sums[at.local] = add_long(sums[at.local], sums[at.local + half]);
        }
        workgroupBarrier();
    }
    if (!all_finite) {
        atomicOr(&hash_sum.not_finite, 1u);
    }
    if (at.local == 0u) {
        let low = atomicAdd(&hash_sum.sum[0], sums[0].x);
        atomicAdd(&hash_sum.sum[1], add_long(vec2<u32>(low, 0u), sums[0]).y);
    }
}

// HalfSipHash-1-3 of ten words.
fn hash_of_boid(position: vec4<u32>, velocity: vec3<u32>, tag: vec2<u32>) -> vec2<u32> {
    var v = vec4<u32>(0u, 0xeeu, 0x6c796765u, 0x74656462u);
    v = absorb(v, tag.x);
    v = absorb(v, position.x);
    v = absorb(v, position.y);
    v = absorb(v, position.z);
    v = absorb(v, velocity.x);
    v = absorb(v, velocity.y);
    v = absorb(v, velocity.z);
    v = absorb(v, position.w);
    v = absorb(v, group_of(tag.y));
    v = absorb(v, bitcast<u32>(rest_of(tag.y)));
    v = absorb(v, 10u << 26u);
    v.z ^= 0xeeu;
    v = sip_round(sip_round(sip_round(v)));
    let low = v.y ^ v.w;
    v.y ^= 0xddu;
    v = sip_round(sip_round(sip_round(v)));
    return vec2<u32>(low, v.y ^ v.w);
}

fn absorb(state: vec4<u32>, word: u32) -> vec4<u32> {
    var v = state;
    v.w ^= word;
    v = sip_round(v);
    v.x ^= word;
    return v;
}

fn sip_round(state: vec4<u32>) -> vec4<u32> {
    var v = state;
    v.x += v.y;
    v.z += v.w;
    v.y = rotate_left(v.y, 5u) ^ v.x;
    v.w = rotate_left(v.w, 8u) ^ v.z;
    v.x = rotate_left(v.x, 16u) + v.w;
    v.z += v.y;
    v.w = rotate_left(v.w, 7u) ^ v.x;
    v.y = rotate_left(v.y, 13u) ^ v.z;
    v.z = rotate_left(v.z, 16u);
    return v;
}

fn rotate_left(word: u32, by: u32) -> u32 { return (word << by) | (word >> (32u - by)); }

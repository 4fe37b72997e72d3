// Twin of flock/src/state.rs, and the layout of a boid in the buffers:
//
//   position  x, y, z, bias
//   velocity  vx, vy, vz, neighbours perceived at the last step, or -1 while it rests
//   tag       id, group | rest << GROUP_BITS
//!include written/constants.wgsl

const TAKEN_OFF: i32 = -1;

struct Boid {
    position: Vector,
    velocity: Vector,
    bias: Number,
    id: u32,
    group: u32,
    rest: i32,
}

fn unpack(position: vec4<Number>, velocity: vec4<Number>, tag: vec2<u32>) -> Boid {
    return Boid(position.xyz, velocity.xyz, position.w, tag.x, group_of(tag.y), rest_of(tag.y));
}

// The group in a word of group and rest.
fn group_of(word: u32) -> u32 { return word & ((1u << GROUP_BITS) - 1u); }

// The rest in a word of group and rest.
fn rest_of(word: u32) -> i32 { return bitcast<i32>(word) >> GROUP_BITS; }

// Packs group and rest into one word.
fn pack_tag(boid: Boid) -> u32 { return boid.group | (bitcast<u32>(boid.rest) << GROUP_BITS); }

// True for a perching boid, which no other boid perceives.
fn resting(boid: Boid) -> bool { return boid.rest > 0; }

// Twin of flock/src/random.rs: pcg4d of Jarzynski and Olano, JCGT 9(3), 2020.
//!include written/constants.wgsl

// Four random words that depend on the key alone: seed, step, boid and stream.
fn draw(seed: u32, step: u32, id: u32, stream: u32) -> vec4<u32> {
    var v = vec4<u32>(seed, step, id, stream) * 1664525u + 1013904223u;
    v = mix_words(v);
    v = v ^ (v >> vec4<u32>(16u));
    return mix_words(v);
}

fn mix_words(words: vec4<u32>) -> vec4<u32> {
    var v = words;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// The odd numerator, over 2^24, of a number in (-1, 1).
fn signed(word: u32) -> i32 { return 2 * i32(word >> 8u) + 1 - 16777216; }

// An integer in 0..=most, for `most` below 2^16.
fn up_to(word: u32, most: u32) -> u32 { return ((word >> 16u) * (most + 1u)) >> 16u; }

// Crowds in f32.

// Words of four a crowd.
const CROWD_WORDS: u32 = 4u;

struct Crowd {
    // The corners of the box around them; w of the first: how many fly. Who rests is not among them.
    low: vec4<f32>,
    high: vec4<f32>,
    // Sum of the places, from the low corner.
    offset: vec4<f32>,
    velocity: vec4<f32>,
}

fn crowd_of(position: vec4<f32>, velocity: vec4<f32>) -> Crowd {
    if (velocity.w < 0.0) {
        return Crowd();
    }
    return Crowd(vec4<f32>(position.xyz, 1.0), position, vec4<f32>(0.0), vec4<f32>(velocity.xyz, 0.0));
}

fn united(a: Crowd, b: Crowd) -> Crowd {
    if (a.low.w == 0.0) {
        return b;
    }
    if (b.low.w == 0.0) {
        return a;
    }
    let low = min(a.low.xyz, b.low.xyz);
    let from_low = a.offset.xyz + (a.low.xyz - low) * a.low.w + b.offset.xyz + (b.low.xyz - low) * b.low.w;
    return Crowd(
        vec4<f32>(low, a.low.w + b.low.w),
        max(a.high, b.high),
        vec4<f32>(from_low, 0.0),
        a.velocity + b.velocity,
    );
}

fn crowd_at(number: u32) -> Crowd {
    let at = number * CROWD_WORDS;
    return Crowd(arrivals[at], arrivals[at + 1u], arrivals[at + 2u], arrivals[at + 3u]);
}

fn words_of(crowd: Crowd) -> array<vec4<f32>, CROWD_WORDS> {
    return array<vec4<f32>, CROWD_WORDS>(crowd.low, crowd.high, crowd.offset, crowd.velocity);
}

// Crowds in integers. Sums wrap around: what a boid adds them up to fits a word.

// Words of four a crowd.
const CROWD_WORDS: u32 = 6u;

struct Crowd {
    // The corners of the box around them; w of the first: how many fly. Who rests is not among them.
    low: vec4<i32>,
    high: vec4<i32>,
    // Sums of their places, in coarse units, and of their positions.
    place: vec4<i32>,
    position: vec4<i32>,
    // Sums of their velocities, in coarse units, and of what those leave.
    pace: vec4<i32>,
    rest: vec4<i32>,
}

fn crowd_of(position: vec4<i32>, velocity: vec4<i32>) -> Crowd {
    if (velocity.w < 0) {
        return Crowd();
    }
    let corner = vec4<i32>(position.xyz, 1);
    let place = (position.xyz + vec3<i32>(half_of(rule.format.place))) >> vec3<u32>(rule.format.place);
    let coarse = (velocity.xyz + vec3<i32>(half_of(rule.format.pace))) >> vec3<u32>(rule.format.pace);
    let most = vec3<i32>(rule.format.most_pace);
    let rest = velocity.xyz - (coarse << vec3<u32>(rule.format.pace));
    return Crowd(
        corner,
        corner,
        vec4<i32>(place, 0),
        vec4<i32>(position.xyz, 0),
        vec4<i32>(clamp(coarse, -most, most), 0),
        vec4<i32>(rest, 0),
    );
}

fn united(a: Crowd, b: Crowd) -> Crowd {
    if (a.low.w == 0) {
        return b;
    }
    if (b.low.w == 0) {
        return a;
    }
    return Crowd(
        vec4<i32>(min(a.low.xyz, b.low.xyz), a.low.w + b.low.w),
        max(a.high, b.high),
        a.place + b.place,
        a.position + b.position,
        a.pace + b.pace,
        a.rest + b.rest,
    );
}

fn crowd_at(number: u32) -> Crowd {
    let at = number * CROWD_WORDS;
    return Crowd(
        arrivals[at],
        arrivals[at + 1u],
        arrivals[at + 2u],
        arrivals[at + 3u],
        arrivals[at + 4u],
        arrivals[at + 5u],
    );
}

fn words_of(crowd: Crowd) -> array<vec4<i32>, CROWD_WORDS> {
    return array<vec4<i32>, CROWD_WORDS>(
        crowd.low,
        crowd.high,
        crowd.place,
        crowd.position,
        crowd.pace,
        crowd.rest,
    );
}

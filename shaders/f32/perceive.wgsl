// Twin of flock/src/perceive.rs: the sums over the neighbours of one boid.

// What the rule needs of it; constant when the pipeline is made, so that nothing unused is computed.
override DETAILED: bool = true;
override EXCLUSIVE: bool = true;
override FALLOFF: u32 = 0u;
override SEPARATES: bool = true;
override ALIGNS: bool = true;
override COHERES: bool = true;
override LOOKS_AHEAD: bool = true;
// Whoever is within reach is seen.
override ALIGNS_WITH_ALL: bool = false;
override COHERES_WITH_ALL: bool = false;

struct Sums {
    separation: vec3<f32>,
    separation_count: f32,
    alignment: vec3<f32>,
    alignment_count: f32,
    cohesion: vec3<f32>,
    cohesion_count: f32,
    line_of_sight: vec3<f32>,
}

// The part of the rule that the sums need, read once: drivers do not take it out of the loop by themselves.
struct Senses {
    separation: View,
    alignment: View,
    cohesion: View,
    line_of_sight: View,
    reach_square: f32,
    size: vec3<f32>,
    half_size: vec3<f32>,
}

fn senses_of_rule() -> Senses {
    return Senses(
        rule.separation,
        rule.alignment,
        rule.cohesion,
        rule.line_of_sight,
        rule.reach_square,
        rule.size.xyz,
        rule.half_size.xyz,
    );
}

struct Observer {
    position: vec3<f32>,
    velocity: vec3<f32>,
    speed_square: f32,
    // A unit vector perpendicular to the velocity, for a boid exactly ahead.
    sideways: vec3<f32>,
}

fn observer(senses: Senses, position: vec3<f32>, velocity: vec3<f32>, detailed: bool) -> Observer {
    if (!detailed) {
        return Observer(position, velocity, 0.0, vec3<f32>(0.0));
    }
    let speed_square = dot(velocity, velocity);
    let level = velocity.x * velocity.x + velocity.y * velocity.y;
    var side = vec3<f32>(-velocity.y, velocity.x, 0.0);
    if (level <= speed_square * 0.000001) {
        side = vec3<f32>(velocity.z, 0.0, -velocity.x);
    }
    let square = dot(side, side);
    var sideways = vec3<f32>(0.0);
    if (square >= TINY_SQUARE) {
        sideways = side * (1.0 / sqrt(square));
    }
    return Observer(position, velocity, speed_square, sideways);
}

// Whether a view holds an offset.
fn sees(view: View, angle_too: bool, me: Observer, offset: vec3<f32>, square: f32) -> bool {
    let near = square < view.radius_square;
    if (!angle_too) {
        return near;
    }
    let ahead = dot(me.velocity, offset);
    let share = view.cosine_square * me.speed_square * square;
    let forward = 0.0 <= ahead;
    let wide = ahead * ahead;
    let within = select(forward | (wide <= share), forward & (share <= wide), view.acute != 0u);
    return near & (within | (view.all_round != 0u));
}

// From a boid to a position: the nearest image where the world wraps.
fn offset_to(senses: Senses, me: Observer, position: vec3<f32>) -> vec3<f32> {
    let offset = position - me.position;
    if (WRAPS) {
        return image(offset, senses.size, senses.half_size);
    }
    return offset;
}

fn square_of(offset: vec3<f32>) -> f32 {
    return dot(offset, offset);
}

// Adds one other boid, the square of whose offset is given too, where it is near: within reach, and another. Without
// a branch, for most devices would take both ways; who is not perceived adds zeros.
fn add_boid(
    senses: Senses,
    sums: ptr<function, Sums>,
    me: Observer,
    near: bool,
    position: vec3<f32>,
    velocity: vec4<f32>,
    offset: vec3<f32>,
    square: f32,
) {
    let none = vec3<f32>(0.0);
    let flies = near & (0.0 <= velocity.w);
    var left = flies;
    if (SEPARATES) {
        if (EXCLUSIVE) {
            // Inside the radius is enough to be left out, seen or not.
            left = flies & (senses.separation.radius_square <= square);
        }
        let seen = flies & sees(senses.separation, DETAILED, me, offset, square);
        (*sums).separation -= select(none, weaken(offset, square), seen);
        (*sums).separation_count += select(0.0, 1.0, seen);
    }
    if (ALIGNS) {
        let seen = left & (ALIGNS_WITH_ALL || sees(senses.alignment, DETAILED, me, offset, square));
        (*sums).alignment += select(none, velocity.xyz, seen);
        (*sums).alignment_count += select(0.0, 1.0, seen);
    }
    if (COHERES) {
        let seen = left & (COHERES_WITH_ALL || sees(senses.cohesion, DETAILED, me, offset, square));
        (*sums).cohesion += select(none, offset, seen);
        (*sums).cohesion_count += select(0.0, 1.0, seen);
    }
    if (DETAILED && LOOKS_AHEAD) {
        let seen = flies & sees(senses.line_of_sight, true, me, offset, square);
        (*sums).line_of_sight -= select(none, aside(me, offset, square), seen);
    }
}

// Adds an object that only separation perceives.
fn add_object(senses: Senses, sums: ptr<function, Sums>, me: Observer, position: vec3<f32>) {
    let offset = nearest_image(position - me.position);
    let square = dot(offset, offset);
    if (sees(senses.separation, true, me, offset, square)) {
        (*sums).separation -= weaken(offset, square);
        (*sums).separation_count += 1.0;
    }
}

// o f(d), nothing where d counts as zero and f has a pole.
fn weaken(offset: vec3<f32>, square: f32) -> vec3<f32> {
    if (FALLOFF == FALLOFF_NONE) {
        return offset;
    }
    let near = max(square, TINY_SQUARE);
    let factor = select(1.0 / near, 1.0 / sqrt(near), FALLOFF == FALLOFF_INVERSE);
    return offset * select(factor, 0.0, square < TINY_SQUARE);
}

// The part of the offset perpendicular to the velocity; for one exactly ahead, d in the fixed direction opposite to
// sideways, so that the boid gives way sideways.
fn aside(me: Observer, offset: vec3<f32>, square: f32) -> vec3<f32> {
    var along = 0.0;
    if (0.0 < me.speed_square) {
        along = dot(me.velocity, offset) / me.speed_square;
    }
    let across = offset - me.velocity * along;
    // Within about 10^-6 rad of the heading counts as exactly ahead.
    if (dot(across, across) <= square * 1e-12) {
        return -(me.sideways * sqrt(square));
    }
    return across;
}

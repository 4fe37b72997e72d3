// Twin of flock/src/rule.rs: the parameters of a step. Vectors are x, y, z and an unused w.

const EDGES_OPEN: u32 = 0u;
const EDGES_TURN: u32 = 1u;
const EDGES_WRAP: u32 = 2u;
const RESPONSE_PROPORTIONAL: u32 = 0u;
const RESPONSE_LIMITED: u32 = 1u;
const RESPONSE_STEER: u32 = 2u;
const FALLOFF_NONE: u32 = 0u;
const FALLOFF_INVERSE: u32 = 1u;
const FALLOFF_INVERSE_SQUARE: u32 = 2u;
const MAX_SPHERES: u32 = 16u;

// A field of view.
struct View {
    // Zero sees nothing.
    radius_square: f32,
    cosine_square: f32,
    // The half angle is at most 90 degrees.
    acute: u32,
    all_round: u32,
}

// A request's weight and shape.
struct Shape {
    weight: f32,
    max_force: f32,
    response: u32,
    include_self: u32,
    whole_flock: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

struct Rule {
    separation: View,
    alignment: View,
    cohesion: View,
    line_of_sight: View,
    separate: Shape,
    align: Shape,
    cohere: Shape,
    world_min: vec4<f32>,
    world_max: vec4<f32>,
    size: vec4<f32>,
    half_size: vec4<f32>,
    turn_low: vec4<f32>,
    turn_high: vec4<f32>,
    home: vec4<f32>,
    attractor: vec4<f32>,
    seed: u32,
    flat: u32,
    edges: u32,
    turn: f32,
    reach_square: f32,
    average: u32,
    means: u32,
    line_of_sight_weight: f32,
    home_weight: f32,
    home_half_extent: f32,
    attractor_weight: f32,
    attractor_avoid: u32,
    noise_weight: f32,
    obstacle_weight: f32,
    obstacle_margin: f32,
    obstacle_count: u32,
    predator_weight: f32,
    predator_radius_square: f32,
    predator_sight_square: f32,
    predator_count: u32,
    attack_weight: f32,
    chase_weight: f32,
    knot_weight: f32,
    predator_max_speed: f32,
    inertia: f32,
    gain: f32,
    normalize_goal: u32,
    time_step: f32,
    min_speed: f32,
    max_speed: f32,
    bias_dynamic: u32,
    max_bias: f32,
    bias_step: f32,
    perch_height: f32,
    perch_steps: u32,
    boids: u32,
    // Position and radius each.
    obstacles: array<vec4<f32>, MAX_SPHERES>,
}

// The offset's nearest image where the world wraps; the offset itself elsewhere.
fn nearest_image(offset: vec3<f32>) -> vec3<f32> {
    if (rule.edges != EDGES_WRAP) {
        return offset;
    }
    return image(offset, rule.size.xyz, rule.half_size.xyz);
}

// The offset's nearest image in a world of this size that wraps.
fn image(offset: vec3<f32>, size: vec3<f32>, half_size: vec3<f32>) -> vec3<f32> {
    return select(select(offset, offset + size, offset < -half_size), offset - size, half_size < offset);
}

// A position brought back into the world where it wraps.
fn wrap(position: vec3<f32>) -> vec3<f32> {
    if (rule.edges != EDGES_WRAP) {
        return position;
    }
    return vec3<f32>(
        wrap_axis(position.x, rule.world_min.x, rule.world_max.x, rule.size.x),
        wrap_axis(position.y, rule.world_min.y, rule.world_max.y, rule.size.y),
        wrap_axis(position.z, rule.world_min.z, rule.world_max.z, rule.size.z),
    );
}

fn wrap_axis(p: f32, low: f32, high: f32, size: f32) -> f32 {
    if ((low <= p && p < high) || size <= 0.0) {
        return p;
    }
    let q = p - size * floor((p - low) / size);
    // Rounding may land on the far edge, which is the near one.
    if (q < low || high <= q) {
        return low;
    }
    return q;
}

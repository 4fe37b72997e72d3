// Twin of flock/src/rule.rs: the parameters of a step, in the number type of the pass. Vectors are x, y, z and an unused
// w.

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
    radius_square: Number,
    cosine_square: Number,
    // The half angle is at most 90 degrees.
    acute: u32,
    all_round: u32,
}

// A request's weight and shape.
struct Shape {
    weight: Number,
    max_force: Number,
    response: u32,
    include_self: u32,
    whole_flock: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

// How integers lay out a flock's lengths and velocities: twin of flock/src/fixed/layout.rs. All zero in f32.
struct Format {
    // Lengths and velocities are multiplied by 2 to this power.
    unit: i32,
    // A coarse unit of length is 2 to this power of the last digit of a position.
    position_shift: u32,
    // A coarse unit of velocity is 2 to this power of the last digit of a velocity.
    velocity_shift: u32,
    // No component of a coarse velocity is larger.
    max_velocity: i32,
    // The most binary digits that o f(d) may have where f has a pole.
    separation_digits: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

//!include rule/table.wgsl

// What is the same for every boid of a step.

const MAX_PREDATORS: u32 = 64u;

struct Predator {
    // x, y, z and an unused w each.
    position: vec4<Number>,
    velocity: vec4<Number>,
}

struct StepContext {
    // Where home is, if it wanders; w unused.
    home: vec4<Number>,
    // The flock's mean position; w = 1 where there is one.
    mean_position: vec4<Number>,
    mean_velocity: vec4<Number>,
    predators: array<Predator, MAX_PREDATORS>,
}

// What is the same for every boid of a step.

const MAX_PREDATORS: u32 = 64u;

struct Predator {
    // x, y, z and an unused w each.
    position: vec4<f32>,
    velocity: vec4<f32>,
}

struct Surroundings {
    // The flock's mean position, and w = 1 where there is one.
    mean_position: vec4<f32>,
    mean_velocity: vec4<f32>,
    predators: array<Predator, MAX_PREDATORS>,
}

// How the flock is drawn: in f32 and users' units, whatever it is computed in.

struct Scale {
    // The world's centre; w unused.
    middle: vec4<f32>,
    // Users' units of length in a number of 1.
    length: f32,
    boids: u32,
    unused_0: u32,
    unused_1: u32,
}

// From the number type of the flock to the drawing's: f32 in users' units.

struct Scale {
    // The world's centre; w unused.
    middle: vec4<f32>,
    // Where right and left scouts go, of length 1; w unused.
    right: vec4<f32>,
    left: vec4<f32>,
    // Users' units of length in the last digit of an integer; not used in f32.
    length: f32,
    boids: u32,
    unused_0: u32,
    unused_1: u32,
}

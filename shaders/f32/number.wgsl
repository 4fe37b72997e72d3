// Twin of flock/src/number.rs: the number type of this folder, f32.

alias Number = f32;

// What stands in place of the number of others perceived for a boid on its perch.
const RESTING: Number = -1.0;

// Twin of flock/src/number.rs: the number type of this folder, f32.

alias Number = f32;
// What stretches of the flock are summed up in.
alias Total = vec4<f32>;

// What stands in place of the number of others perceived for a boid on its perch.
const RESTING: Number = -1.0;

// The sum of two totals.
fn plus(a: Total, b: Total) -> Total {
    return a + b;
}

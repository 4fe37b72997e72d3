// What stretches of the flock are summed up in: vectors, and a count.

alias Partial = vec4<f32>;

// The sum of two.
fn join(a: Partial, b: Partial) -> Partial {
    return a + b;
}

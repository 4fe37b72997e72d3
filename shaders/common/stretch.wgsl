// Boids that one invocation sums up.
const STRETCH: u32 = 64u;

fn stretches_of(boids: u32) -> u32 {
    return (boids + STRETCH - 1u) / STRETCH;
}

// Boids that one invocation sums up.
const BLOCK_BOIDS: u32 = 64u;

fn blocks_of(boids: u32) -> u32 {
    return (boids + BLOCK_BOIDS - 1u) / BLOCK_BOIDS;
}

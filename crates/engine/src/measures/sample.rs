//! The sample of boids for measures that would otherwise compare all pairs.

use flock::random::{draw, stream};

/// The most boids of a sample: their half a million pairs take a few milliseconds.
const MAX: usize = 1024;

/// The ids of a sample in ascending order: all ids up to 1024, else one drawn from each of 1024 blocks of ids. The draw
/// depends only on the number of boids, so that equal states have equal measures.
pub(super) fn of(boids: usize) -> Vec<usize> {
    if boids <= MAX {
        return (0..boids).collect();
    }
    // In 64 bits: a usize of 32 bits would overflow.
    let start = |block: usize| (block as u64 * boids as u64 / MAX as u64) as usize;
    let drawn = |block: usize| {
        let [word, ..] = draw(boids as u32, 0, block as u32, stream::MEASURES);
        let (first, next) = (start(block), start(block + 1));
        first + ((u64::from(word) * (next - first) as u64) >> 32) as usize
    };
    (0..MAX).map(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_of_ids_gives_one_and_a_small_flock_all() {
        assert_eq!(of(5), [0, 1, 2, 3, 4]);
        for boids in [1025, 5000, 1_000_003] {
            let ids = of(boids);
            assert_eq!((ids.len(), of(boids)), (MAX, ids.clone()));
            assert!(ids.is_sorted_by(|a, b| a < b) && ids[MAX - 1] < boids, "{boids}");
        }
        // Not a fixed stride, which could resonate with ids that were placed in rows.
        let gaps: std::collections::HashSet<usize> = of(100_000).windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.len() > 50, "{}", gaps.len());
    }
}

//! What boids request by terms of one's own: a pass before the step, of its own, so that no loop over neighbours is slower for
//! it. The sums are over the boids around in the order of memory, as all sums are.

use flock::formula::{CHUNK, Evaluator, Formulas, Neighbour, Prepared};
use flock::{Boid, Number, Requests, Vec3};
use rayon::prelude::*;

use super::sorted::Sorted;
use super::walk::{Row, Walk};

/// Boids that one task evaluates.
const BLOCK: usize = 8 * CHUNK;

/// Writes what each boid of the sorted flock requests.
pub fn requests<T: Formulas + Number + Requests>(
    flock: &Sorted<'_, T>,
    prepared: &Prepared<T>,
    step: u64,
    (boids, ids): (&[Boid<T>], &[u32]),
    requests: &mut [Vec3<T>],
) {
    let tasks = requests.par_chunks_mut(BLOCK).enumerate().with_max_len(1);
    tasks.for_each(|(block, requests)| {
        let mut evaluator = Evaluator::new(flock.rule, prepared, step as u32);
        for (chunk, requests) in requests.chunks_mut(CHUNK).enumerate() {
            let first = block * BLOCK + chunk * CHUNK;
            let here = first..first + requests.len();
            let others = |k: usize, visit: &mut dyn FnMut(Neighbour<T>)| {
                let me = first + k;
                let row = Row::of(flock, flock.cells[me]);
                for part in Walk::new(flock, &row, me..me + 1).filter(|part| !part.own) {
                    for (boid, id) in boids[part.range.clone()].iter().zip(&ids[part.range]) {
                        if !boid.resting() {
                            visit(Neighbour::of(boid, *id));
                        }
                    }
                }
            };
            evaluator.requests(&boids[here.clone()], &ids[here], requests, others);
        }
    });
}

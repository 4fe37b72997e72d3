//! What boids request by terms of one's own: a pass before the step, of its own, so that no loop over neighbours is slower for
//! it. The sums are over the boids around in the order of memory, as all sums are.

use flock::formula::{CHUNK, Evaluator, Formulas, Perceiver, Prepared};
use flock::{Boid, Number, Requests, Vec3};
use rayon::prelude::*;

use super::sorted::Sorted;
use super::walk::{Row, Walk};

/// Candidates that are compared before any is taken.
const NEAR: usize = 64;

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
    let width = flock.grid.dims[0];
    let tasks = requests.par_chunks_mut(BLOCK).enumerate().with_max_len(1);
    tasks.for_each(|(block, requests)| {
        let mut evaluator = Evaluator::new(flock.rule, prepared, step as u32);
        for (chunk, requests) in requests.chunks_mut(CHUNK).enumerate() {
            let first = block * BLOCK + chunk * CHUNK;
            let here = first..first + requests.len();
            let mut row = Row::of(flock, flock.cells[first]);
            let others = |k: usize, me: &mut Perceiver<'_, T>| {
                let here = first + k;
                let cell = flock.cells[here];
                if cell < row.first || cell >= row.first + width {
                    row = Row::of(flock, cell);
                }
                for part in Walk::new(flock, &row, here..here + 1).filter(|part| !part.own) {
                    for first in part.range.clone().step_by(NEAR) {
                        let range = first..part.range.end.min(first + NEAR);
                        let (mut near, mut count) = ([0; NEAR], 0);
                        for index in range {
                            // No branch: it would be guessed wrong every few times.
                            near[count] = index;
                            count += usize::from(me.perceives(flock.candidates[index].position));
                        }
                        // A perched boid is a candidate far away, which in integers is somewhere.
                        for index in near[..count].iter().copied().filter(|index| !boids[*index].resting()) {
                            me.take(&boids[index], ids[index]);
                        }
                    }
                }
            };
            evaluator.requests(&boids[here.clone()], &ids[here], requests, others);
        }
    });
}

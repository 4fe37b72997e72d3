//! Counts candidates and neighbours of every boid exactly. Cells are as wide as the reach even where an engine divides
//! them, so that the figures of engines are comparable.

use flock::{Fixed, Grid, Number, Parameters, Rule, Vec3};
use rayon::prelude::*;
use serde::Serialize;

use cpu::{Numeric, State};

/// Numbers of candidates and neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Census {
    /// Mean number of other boids in a boid's own cell and the adjacent ones.
    pub candidates: f64,
    /// Largest number of candidates.
    pub most_candidates: u64,
    /// Mean number of others nearer than the largest radius of any rule.
    pub neighbours: f64,
    /// Largest number of neighbours.
    pub most_neighbours: u64,
    /// Mean number of boids in an occupied cell.
    pub occupancy: f64,
    /// Boids in the fullest cell.
    pub fullest_cell: u32,
    /// Cells of the grid.
    pub cells: u32,
}

/// Counts a flock for an engine of this number type. Without a rule that uses neighbours there are no candidates, no
/// neighbours and one cell.
pub fn census(parameters: &Parameters, numeric: Numeric, state: &State) -> Census {
    match numeric {
        Numeric::F32 => of::<f32>(parameters, state),
        Numeric::F64 => of::<f64>(parameters, state),
        Numeric::Fixed => of::<Fixed>(parameters, state),
    }
}

fn of<T: Number>(parameters: &Parameters, state: &State) -> Census {
    let rule = state.rule::<T>(parameters);
    let boids = state.boids.len();
    let grid = Grid::new(&rule, boids as u32);
    if boids == 0 || rule.reach_square <= T::ZERO {
        let (occupancy, fullest_cell) = (boids as f64, boids as u32);
        return Census { occupancy, fullest_cell, cells: grid.cells(), ..Census::default() };
    }
    let cells: Vec<u32> =
        state.boids.par_iter().map(|boid| grid.cell(rule.take_boid(boid).position.into())).collect();
    let mut starts = vec![0_u32; grid.cells() as usize + 1];
    for cell in &cells {
        starts[*cell as usize + 1] += 1;
    }
    let fullest_cell = starts.iter().copied().max().unwrap_or(0);
    let occupied = starts.iter().filter(|count| **count > 0).count();
    for cell in 1..starts.len() {
        starts[cell] += starts[cell - 1];
    }
    let mut sorted = vec![0_u32; boids];
    let mut next = starts.clone();
    for (boid, cell) in (0..).zip(&cells) {
        sorted[next[*cell as usize] as usize] = boid;
        next[*cell as usize] += 1;
    }
    let binned = Binned { exact: state.rule(parameters), grid, state, cells, starts, sorted };
    let counts = binned.sorted.par_iter().map(|boid| binned.count(*boid));
    let [candidates, neighbours] = counts.reduce(Counts::default, merge);
    Census {
        candidates: candidates.0 as f64 / boids as f64,
        most_candidates: candidates.1,
        neighbours: neighbours.0 as f64 / boids as f64,
        most_neighbours: neighbours.1,
        occupancy: boids as f64 / occupied.max(1) as f64,
        fullest_cell,
        cells: binned.grid.cells(),
    }
}

/// A flock sorted by cell.
struct Binned<'a, T> {
    /// For distances in f64, not rounded to the engine's number type.
    exact: Rule<f64>,
    grid: Grid<T>,
    state: &'a State,
    /// The cell of each boid.
    cells: Vec<u32>,
    /// Index of the first boid of each cell in `sorted`.
    starts: Vec<u32>,
    /// Ids in the order of cells.
    sorted: Vec<u32>,
}

/// Sums and maxima over some boids, of their candidates and neighbours.
type Counts = [(u64, u64); 2];

fn merge(a: Counts, b: Counts) -> Counts {
    [0, 1].map(|k| (a[k].0 + b[k].0, a[k].1.max(b[k].1)))
}

impl<T: Number> Binned<'_, T> {
    /// The candidates and neighbours of one boid.
    fn count(&self, boid: u32) -> Counts {
        let here = Vec3::from(self.state.boids[boid as usize].position);
        let cell = self.cells[boid as usize];
        let width = self.grid.dims[0];
        let x = cell % width;
        let (mut candidates, mut neighbours) = (0, 0);
        for row in self.grid.rows(cell).as_slice() {
            for k in 0..width.min(3) {
                let x = if width <= 3 { k } else { (x + k + width - 1) % width };
                let cell = (row + x) as usize;
                for other in &self.sorted[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                    if *other == boid {
                        continue;
                    }
                    candidates += 1;
                    let there = Vec3::from(self.state.boids[*other as usize].position);
                    let offset = self.exact.nearest_image(there - here);
                    neighbours += u64::from(offset.dot(offset) < self.exact.reach_square);
                }
            }
        }
        [candidates, neighbours].map(|count| (count, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::parameters::Edges;

    fn parameters(boids: u32, dimensions: u32, edges: Edges) -> Parameters {
        let mut p = Parameters::default();
        (p.flock.boids, p.flock.dimensions, p.world.edges) = (boids, dimensions, edges);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (3.0, 9.0, 13.0);
        p
    }

    /// Mean and maximum of neighbours, by all pairs.
    fn brute(p: &Parameters, state: &State) -> (f64, u64) {
        let rule = state.rule::<f64>(p);
        let at = |k: usize| Vec3::from(state.boids[k].position);
        let near = |a: usize, b: usize| {
            let offset = rule.nearest_image(at(b) - at(a));
            a != b && offset.dot(offset) < rule.reach_square
        };
        let all = 0..state.boids.len();
        let counts: Vec<u64> =
            all.clone().map(|a| all.clone().filter(|b| near(a, *b)).count() as u64).collect();
        let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        (mean, counts.into_iter().max().unwrap_or(0))
    }

    #[test]
    fn neighbours_are_those_of_all_pairs() {
        for dimensions in [2, 3] {
            for edges in [Edges::Open, Edges::Turn, Edges::Wrap] {
                let p = parameters(700, dimensions, edges);
                let state = State::start(&p);
                for numeric in [Numeric::F32, Numeric::F64, Numeric::Fixed] {
                    let counted = census(&p, numeric, &state);
                    assert_eq!((counted.neighbours, counted.most_neighbours), brute(&p, &state), "{p:?}");
                    assert!(counted.neighbours > 1.0 && counted.neighbours <= counted.candidates);
                    assert!(counted.candidates < 699.0 && counted.most_candidates <= 699);
                    assert!(1.0 <= counted.occupancy && counted.occupancy <= f64::from(counted.fullest_cell));
                }
            }
        }
    }

    #[test]
    fn a_flock_in_few_cells_counts_each_boid_once() {
        // Two cells per axis: a walk that wrapped twice would count boids twice.
        let mut p = parameters(200, 3, Edges::Wrap);
        p.cohesion.radius = 45.0;
        let counted = census(&p, Numeric::F32, &State::start(&p));
        assert_eq!((counted.candidates, counted.most_candidates), (199.0, 199));
    }

    #[test]
    fn there_are_no_candidates_without_rules_that_use_neighbours() {
        let mut p = parameters(50, 3, Edges::Open);
        (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (0.0, 0.0, 0.0);
        let counted = census(&p, Numeric::F32, &State::start(&p));
        assert_eq!((counted.candidates, counted.neighbours, counted.fullest_cell), (0.0, 0.0, 50));
        assert_eq!(census(&p, Numeric::F32, &State::default()), Census { cells: 1, ..Census::default() });
    }
}

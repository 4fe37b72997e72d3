//! Counts candidates and neighbours of every boid exactly. Cells are as wide as the reach even where an engine divides
//! them, so that the figures of engines are comparable.

use flock::grid::beside;
use flock::{Grid, Parameters, Rule};
use rayon::prelude::*;
use serde::Serialize;

use engine::State;
use engine::measures::{Family, measure_only};

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

/// Counts a flock, in f64 whatever its engine computes in. Without a rule that uses neighbours there are no candidates,
/// no neighbours and one cell.
pub fn census(parameters: &Parameters, state: &State) -> Census {
    let rule = state.rule::<f64>(parameters);
    let boids = state.boids.len();
    let (grid, cells, counts) = bins(&rule, state);
    if boids == 0 || rule.reach_square <= 0.0 {
        let (occupancy, fullest_cell) = (boids as f64, boids as u32);
        return Census { occupancy, fullest_cell, cells: grid.cells(), ..Census::default() };
    }
    // Candidates of a boid in this cell, without the boid itself.
    let candidates = |cell: &u32| {
        let (rows, width) = (grid.rows(*cell), grid.dims[0]);
        let cells =
            rows.as_slice().iter().flat_map(|row| beside(cell % width, width, 1).map(move |x| row + x));
        cells.map(|cell| u64::from(counts[cell as usize])).sum::<u64>() - 1
    };
    let both = cells.par_iter().map(candidates).map(|count| (count, count));
    let (candidates, most_candidates) = both.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    // The measure counts boids within the radius of cohesion.
    let mut reaching = *parameters;
    reaching.cohesion.radius = rule.reach;
    let measures = measure_only(&reaching, state, &[Family::Neighbours]);
    Census {
        candidates: candidates as f64 / boids as f64,
        most_candidates,
        neighbours: measures.neighbours_mean,
        most_neighbours: measures.neighbours_max as u64,
        occupancy: boids as f64 / counts.iter().filter(|count| **count > 0).count().max(1) as f64,
        fullest_cell: counts.iter().copied().max().unwrap_or(0),
        cells: grid.cells(),
    }
}

/// The grid of a flock, the cell of each boid, and the number of boids per cell.
pub(super) fn bins(rule: &Rule<f64>, state: &State) -> (Grid<f64>, Vec<u32>, Vec<u32>) {
    let grid = Grid::new(rule, state.boids.len() as u32);
    let cell = |boid| grid.cell(rule.quantise(boid).position.into());
    let cells: Vec<u32> = state.boids.par_iter().map(cell).collect();
    let mut counts = vec![0; grid.cells() as usize];
    cells.iter().for_each(|cell| counts[*cell as usize] += 1);
    (grid, cells, counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::Vec3;
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
                let counted = census(&p, &state);
                assert_eq!((counted.neighbours, counted.most_neighbours), brute(&p, &state), "{p:?}");
                assert!(counted.neighbours > 1.0 && counted.neighbours <= counted.candidates);
                assert!(counted.candidates < 699.0 && counted.most_candidates <= 699);
                assert!(1.0 <= counted.occupancy && counted.occupancy <= f64::from(counted.fullest_cell));
            }
        }
    }

    #[test]
    fn there_are_no_candidates_without_rules_that_use_neighbours() {
        let mut p = parameters(50, 3, Edges::Open);
        (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (0.0, 0.0, 0.0);
        let counted = census(&p, &State::start(&p));
        assert_eq!((counted.candidates, counted.neighbours, counted.fullest_cell), (0.0, 0.0, 50));
        assert_eq!(census(&p, &State::default()), Census { cells: 1, ..Census::default() });
        // Two cells per axis: a walk that wrapped twice would count boids twice.
        let mut p = parameters(200, 3, Edges::Wrap);
        p.cohesion.radius = 45.0;
        let counted = census(&p, &State::start(&p));
        assert_eq!((counted.candidates, counted.most_candidates), (199.0, 199));
    }
}

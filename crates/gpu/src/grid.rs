//! The grid that the shaders sort the boids into: the cells of [`flock::grid`], halved along x.
//!
//! The cells that a boid searches along x are one span of memory, however narrow the cells: halving them leaves out a
//! sixth of the candidates. Along y and z, halving would add rows.

use flock::Rule;
use flock::grid::Grid;

use super::layout::{self, AROUND};
use super::number::{OnGpu, words};

/// The grid for a rule and a number of boids.
pub fn of<T: OnGpu>(rule: &Rule<T>, boids: u32) -> Grid<T> {
    Grid::divided(rule, boids, [AROUND, 1, 1])
}

/// The grid as a uniform.
pub fn uniform<T: OnGpu>(grid: &Grid<T>) -> layout::Grid {
    let ([x, y, z], [i, j, k]) = (grid.dims, grid.shift);
    layout::Grid {
        origin: words(grid.origin.to_array(), 0),
        inverse: words(grid.inverse.to_array(), 0),
        dims: [x, y, z, grid.cells()],
        fold: [i, j, k, 0],
    }
}

/// Maximum number of cells that are searched for a boid's neighbours.
pub fn visited<T: OnGpu>(grid: &Grid<T>) -> u32 {
    grid.dims.iter().zip(grid.parts).map(|(dim, parts)| (*dim).min(2 * parts + 1)).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::grid::LIMIT;
    use flock::parameters::Edges;
    use flock::{Parameters, Vec3};
    use proptest::prelude::*;

    /// Twin of `cell_of` in `shaders/common/grid.wgsl`.
    fn cell_of(rule: &Rule<f32>, grid: &layout::Grid, position: [f32; 3]) -> [u32; 3] {
        let p = rule.wrap(Vec3::from(position)).to_array();
        let most = LIMIT as f32;
        let [origin, inverse] = [grid.origin, grid.inverse].map(|words| words.map(f32::from_bits));
        std::array::from_fn(|k| {
            let scaled = ((p[k] - origin[k]) * inverse[k]).clamp(-most, most);
            (scaled.floor() as i32 + grid.fold[k] as i32) as u32 % grid.dims[k]
        })
    }

    #[test]
    fn the_shader_folds_as_the_flock_does() {
        let rule = world(3, Edges::Open, [40.0, 70.0, 30.0], -20.0, 2.0);
        let grid = of(&rule, 5000);
        for k in 0..5000 {
            let p = [k as f32 * 0.13 - 300.0, k as f32 * -0.21, (k * k) as f32 * 0.001];
            assert_eq!(cell_of(&rule, &uniform(&grid), p), grid.coordinates(p.into()));
        }
    }

    /// Twin of `span` in `shaders/common/grid.wgsl`.
    fn span(from_x: u32, to_x: u32, dim: u32, k: u32) -> std::ops::Range<u32> {
        let whole = dim <= 2 * AROUND + 1;
        let begin = if whole { 0 } else { from_x.saturating_sub(AROUND) };
        let end = if whole { dim } else { (to_x + AROUND + 1).min(dim) };
        match k {
            0 => 0..(to_x + AROUND + 1).saturating_sub(dim).min(begin),
            1 => begin..end,
            _ => dim.saturating_sub(AROUND.saturating_sub(from_x)).max(end)..dim,
        }
    }

    /// Twin of the loops in the kernels: the cells visited, row by row, for boids in the cells from `cell` to `to_x` of
    /// a row.
    fn walk_together(grid: &layout::Grid, cell: [u32; 3], to_x: u32) -> Vec<u32> {
        let dims = grid.dims;
        let near = |axis: usize, k: u32| {
            if dims[axis] <= 3 { k } else { (cell[axis] + k + dims[axis] - 1) % dims[axis] }
        };
        let first = u32::from(to_x + AROUND < dims[0]);
        let last = 1 + u32::from(cell[0] < AROUND);
        let mut cells = Vec::new();
        for z in 0..dims[2].min(3) {
            for y in 0..dims[1].min(3) {
                let row = (near(2, z) * dims[1] + near(1, y)) * dims[0];
                cells.extend((first..=last).flat_map(|k| span(cell[0], to_x, dims[0], k)).map(|x| row + x));
            }
        }
        cells
    }

    fn walk(grid: &layout::Grid, cell: [u32; 3]) -> Vec<u32> {
        walk_together(grid, cell, cell[0])
    }

    #[test]
    fn boids_that_search_together_visit_the_cells_of_each_in_the_same_order() {
        for (dim, height, depth) in [
            (1, 1, 1),
            (2, 3, 1),
            (3, 4, 2),
            (4, 5, 4),
            (5, 1, 1),
            (6, 2, 3),
            (7, 1, 1),
            (8, 4, 1),
            (11, 7, 5),
        ] {
            let grid = layout::Grid { dims: [dim, height, depth, 0], ..layout::Grid::default() };
            for from_x in 0..dim {
                for to_x in from_x..dim {
                    let cell = |x| [x, height / 2, depth - 1];
                    let together = walk_together(&grid, cell(from_x), to_x);
                    let mut missed = together.clone();
                    for x in from_x..=to_x {
                        let alone = walk(&grid, cell(x));
                        let own = together.iter().copied().filter(|cell| alone.contains(cell));
                        assert_eq!(own.collect::<Vec<_>>(), alone, "{x} of {from_x} to {to_x} in {dim}");
                        missed.retain(|cell| !alone.contains(cell));
                    }
                    assert!(missed.is_empty(), "visited for no boid: {from_x} to {to_x} in {dim}");
                }
            }
        }
    }

    fn index(grid: &layout::Grid, cell: [u32; 3]) -> u32 {
        (cell[2] * grid.dims[1] + cell[1]) * grid.dims[0] + cell[0]
    }

    fn world(dimensions: u32, edges: Edges, sides: [f64; 3], corner: f64, reach: f64) -> Rule<f32> {
        let mut p = Parameters::default();
        p.flock.dimensions = dimensions;
        p.world.edges = edges;
        p.world.min = [corner; 3];
        p.world.max = sides.map(|side| corner + side);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (reach, 0.5 * reach, reach);
        Rule::new(&p)
    }

    fn edges() -> impl Strategy<Value = Edges> {
        prop_oneof![Just(Edges::Open), Just(Edges::Turn), Just(Edges::Wrap)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn every_cell_within_reach_is_visited_once(
            flat in any::<bool>(),
            edges in edges(),
            sides in prop::array::uniform3(0.01_f64..500.0),
            corner in prop_oneof![Just(0.0), -1e4_f64..1e4],
            share in prop_oneof![0.001_f64..0.1, 0.1..3.0],
            boids in prop_oneof![Just(1_u32), 1_u32..2_000_000],
            far in prop_oneof![Just(1.0_f64), 1.0..1e4],
            at in prop::array::uniform3(-0.1_f64..1.1),
            off in prop::array::uniform3(-1.0_f64..1.0),
        ) {
            let reach = share * sides[0].max(sides[1]);
            let rule = world(if flat { 2 } else { 3 }, edges, sides, corner, reach);
            let found = of(&rule, boids);
            let grid = uniform(&found);
            prop_assert!(grid.dims[3] <= AROUND * boids.max(4096));
            let spread = if edges == Edges::Open { far } else { 1.0 };
            let mut a: [f32; 3] = std::array::from_fn(|k| (corner + at[k] * sides[k] * spread) as f32);
            let mut b: [f32; 3] = std::array::from_fn(|k| (f64::from(a[k]) + off[k] * reach) as f32);
            if flat {
                (a[2], b[2]) = (0.0, 0.0);
            }
            // A world that wraps has no far side.
            if edges == Edges::Wrap {
                b = rule.wrap(Vec3::from(b)).to_array();
            }
            let cells = walk(&grid, cell_of(&rule, &grid, a));
            let mut once = cells.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), cells.len(), "a cell twice: {:?}", cells);
            prop_assert_eq!(cells.len() as u32, visited(&found));
            prop_assert!(cells.iter().all(|cell| *cell < grid.dims[3]));
            let offset = rule.nearest_image(Vec3::from(b) - Vec3::from(a));
            if offset.dot(offset) < rule.reach_square {
                let theirs = index(&grid, cell_of(&rule, &grid, b));
                prop_assert!(cells.contains(&theirs), "{:?} in {} of {:?}", b, theirs, grid);
            }
        }
    }

    #[test]
    fn a_grid_without_margin_would_lose_neighbours() {
        // The control of the test above: the search finds the fault if cells are smaller than the reach.
        let rule = world(3, Edges::Open, [100.0; 3], 0.0, 1.0);
        let mut grid = uniform(&of(&rule, 100_000));
        grid.inverse = grid.inverse.map(|word| (f32::from_bits(word) * 1.2).to_bits());
        let lost = (0..1000).any(|k| {
            let a = [0.13 * k as f32, 0.0, 0.0];
            let b = [a[0] + 0.99, 0.0, 0.0];
            !walk(&grid, cell_of(&rule, &grid, a)).contains(&index(&grid, cell_of(&rule, &grid, b)))
        });
        assert!(lost);
    }

    #[test]
    fn outliers_beyond_all_cells_are_still_found() {
        let rule = world(3, Edges::Open, [10.0; 3], 0.0, 0.001);
        let grid = uniform(&of(&rule, 10_000));
        for far in [1e5_f32, 1e6, 1e9, -1e9, f32::MAX] {
            let a = cell_of(&rule, &grid, [far, 0.0, 5.0]);
            let b = cell_of(&rule, &grid, [far, 0.0005, 5.0]);
            assert!(walk(&grid, a).contains(&index(&grid, b)));
        }
    }
}

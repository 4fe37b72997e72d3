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

    /// The cells that the kernels visit for a boid in a cell: each once.
    fn walk(grid: &layout::Grid, cell: [u32; 3]) -> Vec<u32> {
        let near = |axis: usize, around: u32| -> Vec<u32> {
            let dim = grid.dims[axis];
            if dim <= 2 * around + 1 {
                return (0..dim).collect();
            }
            (0..=2 * around).map(|k| (cell[axis] + dim + k - around) % dim).collect()
        };
        let [along_x, along_y, along_z] = [near(0, AROUND), near(1, 1), near(2, 1)];
        let mut cells = Vec::new();
        for z in &along_z {
            for y in &along_y {
                cells.extend(along_x.iter().map(|x| index(grid, [*x, *y, *z])));
            }
        }
        cells
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
        fn every_cell_within_reach_is_visited(
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
}

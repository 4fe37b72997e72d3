//! The cells that the boids are sorted into.
//!
//! Space is cut into cubes a little larger than the reach, so that whoever is within reach of a boid lies in its cell
//! or one beside it. Cell coordinates are taken modulo a box of as many cells as there is use for: cells of far parts
//! of space then share their members, who are told apart by their distance. So no bounds are needed, the open world
//! has no end, and no boid is lost.
//!
//! In a wrapping world the box is the world, its cells stretched so that they divide it, and the modulo is the wrap.

use flock::parameters::Edges;

use super::layout;

/// Fewer cells than this are not worth sparing.
const FEWEST: u32 = 4096;
/// Cells told apart on either side of the origin, a power of two, at least and at most.
const LIMITS: (f64, f64) = (8192.0, 65536.0);
/// Coordinates are rounded twice, by 2⁻²⁴ of their size each, for both boids of a pair; as much again is to spare.
const ROUNDING: f64 = 1.0 / 2_097_152.0;

/// The grid of a rule, for so many boids and with at most so many cells.
#[must_use]
pub fn new(rule: &flock::Rule<f32>, boids: u32, most_cells: u32) -> layout::Grid {
    let axes = if rule.flat { 2 } else { 3 };
    let size = rule.size.to_array().map(f64::from);
    let (low, high) = (rule.world_min.to_array(), rule.world_max.to_array());
    let reach = f64::from(rule.reach);
    let cap = boids.max(FEWEST).min(most_cells).max(1);
    if reach <= 0.0 {
        return assemble([0.0; 3], [0.0; 3], [1; 3], LIMITS.0);
    }
    let widest = size[..axes].iter().fold(0.0, |most: f64, s| most.max(s / reach));
    let limit = (2.0 * widest).clamp(LIMITS.0, LIMITS.1).log2().ceil().exp2();
    let cell = reach * (1.0 + limit * ROUNDING);

    let mut dims = [1_u32; 3];
    for axis in 0..axes {
        let cells = size[axis] / cell;
        let dim = match rule.edges {
            Edges::Wrap => cells.floor().min(0.5 * limit),
            // Boids overshoot the edges by some cells.
            Edges::Turn => cells.ceil() + 2.0,
            Edges::Open => f64::from(cap).powf(1.0 / axes as f64).floor(),
        };
        dims[axis] = (dim.max(1.0) as u32).min(cap);
    }
    while dims.iter().map(|dim| u64::from(*dim)).product::<u64>() > u64::from(cap) {
        if let Some(most) = dims.iter_mut().max() {
            *most = most.div_ceil(2);
        }
    }
    let mut origin = [0.0; 3];
    let mut inverse = [0.0; 3];
    for axis in 0..axes {
        let wraps = rule.edges == Edges::Wrap && size[axis] > 0.0;
        inverse[axis] = if wraps { f64::from(dims[axis]) / size[axis] } else { 1.0 / cell };
        let middle = 0.5 * (f64::from(low[axis]) + f64::from(high[axis]));
        origin[axis] = if wraps { f64::from(low[axis]) } else { middle };
    }
    assemble(origin, inverse, dims, limit)
}

fn assemble(origin: [f64; 3], inverse: [f64; 3], dims: [u32; 3], limit: f64) -> layout::Grid {
    let [x, y, z] = origin.map(|c| c as f32);
    let [u, v, w] = inverse.map(|c| c as f32);
    let fold = dims.map(|dim| (limit as u32).div_ceil(dim) * dim);
    layout::Grid {
        origin: [x, y, z, limit as f32],
        inverse: [u, v, w, 0.0],
        dims: [dims[0], dims[1], dims[2], dims.iter().product()],
        fold: [fold[0], fold[1], fold[2], 0],
    }
}

/// Most cells that a boid's neighbours are looked for in.
#[must_use]
pub fn visited(grid: &layout::Grid) -> u32 {
    grid.dims[..3].iter().map(|dim| (*dim).min(3)).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::{Parameters, Rule, Vec3};
    use proptest::prelude::*;

    /// Twin of `cell_of` in `shaders/common/grid.wgsl`.
    fn cell_of(rule: &Rule<f32>, grid: &layout::Grid, position: [f32; 3]) -> [u32; 3] {
        let p = rule.wrap(Vec3::from(position)).to_array();
        let most = grid.origin[3];
        std::array::from_fn(|k| {
            let scaled = ((p[k] - grid.origin[k]) * grid.inverse[k]).clamp(-most, most);
            (scaled.floor() as i32 + grid.fold[k] as i32) as u32 % grid.dims[k]
        })
    }

    /// Twin of the walk in `shaders/step.wgsl`: the cells visited, row by row.
    fn walk(grid: &layout::Grid, cell: [u32; 3]) -> Vec<u32> {
        let dims = grid.dims;
        let near = |axis: usize, k: u32| {
            if dims[axis] <= 3 { k } else { (cell[axis] + k + dims[axis] - 1) % dims[axis] }
        };
        let (width, low) = (dims[0].min(3), near(0, 0));
        let before_end = width.min(dims[0] - low);
        let mut cells = Vec::new();
        for z in 0..dims[2].min(3) {
            for y in 0..dims[1].min(3) {
                let row = (near(2, z) * dims[1] + near(1, y)) * dims[0];
                cells.extend(row + low..row + low + before_end);
                cells.extend(row..row + width - before_end);
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
        fn whoever_is_within_reach_is_visited_once(
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
            let grid = new(&rule, boids, 1 << 25);
            prop_assert!(grid.dims[3] <= boids.max(FEWEST));
            let spread = if edges == Edges::Open { far } else { 1.0 };
            let mut a: [f32; 3] = std::array::from_fn(|k| (corner + at[k] * sides[k] * spread) as f32);
            let mut b: [f32; 3] = std::array::from_fn(|k| (f64::from(a[k]) + off[k] * reach) as f32);
            if flat {
                (a[2], b[2]) = (0.0, 0.0);
            }
            // Opposite sides of a wrapping world meet.
            if edges == Edges::Wrap {
                b = rule.wrap(Vec3::from(b)).to_array();
            }
            let cells = walk(&grid, cell_of(&rule, &grid, a));
            let mut once = cells.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), cells.len(), "a cell twice: {:?}", cells);
            prop_assert_eq!(cells.len() as u32, visited(&grid));
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
        // The control of the test above: the same search finds the fault when cells are smaller than the reach.
        let rule = world(3, Edges::Open, [100.0; 3], 0.0, 1.0);
        let mut grid = new(&rule, 100_000, 1 << 25);
        grid.inverse = grid.inverse.map(|c| c * 1.2);
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
        let grid = new(&rule, 10_000, 1 << 25);
        for far in [1e5_f32, 1e6, 1e9, -1e9, f32::MAX] {
            let a = cell_of(&rule, &grid, [far, 0.0, 5.0]);
            let b = cell_of(&rule, &grid, [far, 0.0005, 5.0]);
            assert!(walk(&grid, a).contains(&index(&grid, b)));
        }
    }

    #[test]
    fn memory_bounds_the_cells() {
        let rule = world(3, Edges::Turn, [1000.0; 3], 0.0, 0.1);
        assert!(new(&rule, u32::MAX, 5_000_000).dims[3] <= 5_000_000);
        assert!(new(&rule, 1, 1).dims[3] == 1);
    }
}

use super::*;
use crate::parameters::Parameters;
use crate::random::draw;

/// A random world: any edges, reaches from far below to far above its size, two or three dimensions.
fn world(case: u32) -> Parameters {
    let words = draw(1, 0, case, 0);
    let mut p = Parameters::default();
    p.flock.dimensions = 2 + words[0] % 2;
    p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][words[1] as usize % 3];
    for k in 0..3 {
        p.world.min[k] = f64::from(words[2] >> (8 * k) & 0xff) - 128.0;
        p.world.max[k] = p.world.min[k] + 0.5 + f64::from(words[3] >> (8 * k) & 0xff);
    }
    p.separation.weight = 0.0;
    p.alignment.weight = 0.0;
    p.line_of_sight.weight = 0.0;
    p.cohesion.weight = 1.0;
    p.cohesion.radius = libm::exp2(f64::from(words[0] >> 8 & 0xfff) / 4096.0 * 16.0 - 6.0);
    p
}

/// A position in the world, or far out of it where there are no edges; the second close to the first.
fn pair(rule: &Rule<f32>, case: u32, k: u32) -> [Vec3<f32>; 2] {
    let part = |words: [u32; 4]| Vec3::from([0, 1, 2].map(|k| (words[k] >> 8) as f32 / (1 << 24) as f32));
    let share = part(draw(2, k, case, 0));
    let stretch = if rule.edges == Edges::Wrap { 1.0 } else { libm::exp2f((k % 32) as f32 - 8.0) };
    let mut a = rule.world_min
        + Vec3::new(rule.size.x * share.x, rule.size.y * share.y, rule.size.z * share.z) * stretch;
    // Near a border of the world or of a cell as often as not.
    if k.is_multiple_of(2) {
        a.x = if k.is_multiple_of(4) { rule.world_min.x } else { rule.world_max.x };
    }
    let near = part(draw(3, k, case, 0)).map(|c| (2.0 * c - 1.0) * rule.reach * 1.01);
    let near = if k.is_multiple_of(3) {
        Vec3::new(near.x.signum() * rule.reach * 0.999_999_9, 0.0, 0.0)
    } else {
        near
    };
    let near = if rule.flat { Vec3::new(near.x, near.y, 0.0) } else { near };
    [rule.wrap(a), rule.wrap(a + near)]
}

/// Number of times that a boid at `a` meets one at `b`.
fn meetings(grid: &Grid<f32>, a: Vec3<f32>, b: Vec3<f32>) -> usize {
    let (home, other) = (grid.coordinates(a), grid.cell(b));
    let spans = Spans::new(grid.dims[0], grid.parts[0], core::iter::once(home[0]));
    grid.rows(grid.cell(a))
        .as_slice()
        .iter()
        .flat_map(|row| spans.as_slice().iter().map(move |s| row + s[0]..row + s[1]))
        .filter(|cells| cells.contains(&other))
        .count()
}

/// Numbers of pairs within reach not met exactly once, and of all, in grids with cells `narrow` times as wide.
fn missed(narrow: f32, parts: [u32; 3]) -> (usize, usize) {
    let (mut missed, mut near) = (0, 0);
    for case in 0..400 {
        let rule = Rule::<f32>::new(&world(case));
        let mut grid = Grid::divided(&rule, case * 50, parts);
        grid.inverse = grid.inverse * (1.0 / narrow);
        for k in 0..200 {
            let [a, b] = pair(&rule, case, k);
            let offset = rule.nearest_image(b - a);
            if offset.dot(offset) < rule.reach_square {
                near += 1;
                missed += usize::from(meetings(&grid, a, b) != 1);
            }
        }
    }
    (missed, near)
}

#[test]
fn all_within_reach_are_met_once() {
    for parts in [[1, 1, 1], [2, 2, 2], [5, 5, 5], [2, 1, 1], [1, 2, 1]] {
        let (missed, near) = missed(1.0, parts);
        assert!(near > 20_000, "only {near} pairs are near");
        assert_eq!(missed, 0, "of {near}, in parts {parts:?}");
    }
}

#[test]
fn cells_too_narrow_would_be_noticed() {
    for parts in [[1, 1, 1], [2, 2, 2], [2, 1, 1]] {
        assert!(missed(0.97, parts).0 > 100, "{parts:?}");
    }
}

#[test]
fn cells_are_as_many_as_allowed_and_wide_enough() {
    for case in 0..2000 {
        let rule = Rule::<f64>::new(&world(case));
        let grid = Grid::divided(&rule, case, [[1, 1, 1], [2, 1, 1], [2, 2, 1]][case as usize % 3]);
        assert!(u64::from(grid.cells()) <= u64::from(case).max(FEW) * u64::from(grid.parts[0]));
        for (k, inverse) in grid.inverse.to_array().into_iter().enumerate() {
            assert!(
                grid.dims[k] > 0 && inverse * rule.reach <= f64::from(grid.parts[k]) / (1.0 + SLACK) + 1e-12
            );
        }
        if rule.edges == Edges::Wrap {
            let cells = rule.size.x * grid.inverse.x / f64::from(grid.dims[0]);
            assert!((cells - cells.round()).abs() < 1e-9, "the seam cuts a cell");
        }
    }
}

#[test]
fn a_rule_that_reaches_nobody_and_numbers_that_are_none_have_a_cell() {
    let mut p = world(0);
    p.cohesion.weight = 0.0;
    assert_eq!(Grid::new(&Rule::<f32>::new(&p), 1000).dims, [1; 3]);
    let rule = Rule::<f32>::new(&world(1));
    let grid = Grid::new(&rule, 1000);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        assert!(grid.cell(Vec3::new(x, x, x)) < grid.cells());
    }
}

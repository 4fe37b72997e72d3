use super::*;

const CELLS: usize = 4096;
use flock::Parameters;
use flock::Vec3;
use flock::random::draw;
use std::collections::BTreeSet;
use std::vec::Vec;

fn rule(edges: Edges, dimensions: u32, size: f64, radius: f64) -> Rule<Fixed> {
    let mut p = Parameters::default();
    p.flock.dimensions = dimensions;
    p.world.edges = edges;
    p.world.min = [-size, -size * 0.7, -size * 0.5];
    p.world.max = [size, size, size];
    p.separation.radius = radius / 2.0;
    p.alignment.radius = radius;
    p.cohesion.radius = radius;
    Rule::new(&p)
}

/// Looks up a cell like the sort.
fn at(cells: &Cells, place: Vec3<Fixed>) -> (usize, bool) {
    let (cell, place) = cells.cell::<false>(place.to_array().map(|c| c.0));
    (cell, place & BEYOND != 0)
}

/// Places inside the world and around it, in coarse units.
fn places(rule: &Rule<Fixed>, count: u32, beyond: i32) -> Vec<Vec3<Fixed>> {
    let low = Fixed::coarse_position(rule.world_min, &rule.format).to_array();
    let size = rule.coarse_size.to_array();
    let one = |k: u32| {
        let words = draw(5, 6, k, 7);
        let at = |axis: usize| {
            let (size, word) = (i64::from(size[axis].0), i64::from(words[axis]));
            let spread = size * i64::from(100 + 2 * beyond) / 100;
            Fixed(low[axis].0 - (size * i64::from(beyond) / 100) as i32 + ((word * spread) >> 32) as i32)
        };
        Vec3 { x: at(0), y: at(1), z: if rule.flat { Fixed(0) } else { at(2) } }
    };
    (0..count).map(one).collect()
}

/// The offset as the rule sees it.
fn square(rule: &Rule<Fixed>, a: Vec3<Fixed>, b: Vec3<Fixed>) -> Fixed {
    let (size, half) = (rule.coarse_size.to_array(), rule.coarse_half_size.to_array());
    let offset: [Fixed; 3] = from_fn(|k| {
        let o = (b - a).to_array()[k];
        match rule.edges {
            Edges::Wrap if half[k] < o => o - size[k],
            Edges::Wrap if o < -half[k] => o + size[k],
            _ => o,
        }
    });
    Fixed::square(offset.into())
}

#[test]
fn all_within_reach_lie_in_the_cells_around() {
    for (edges, beyond) in [(Edges::Open, 0), (Edges::Open, 40), (Edges::Turn, 3), (Edges::Wrap, 0)] {
        for (dimensions, size, radius) in [(2, 100.0, 9.0), (2, 640.0, 3.0), (3, 50.0, 11.0), (3, 1.0, 0.9)] {
            let rule = rule(edges, dimensions, size, radius);
            let cells = Cells::new(&rule, CELLS);
            assert!(cells.count() <= CELLS && (cells.count() > 1 || size < 2.0));
            let places = places(&rule, 400, beyond);
            for a in &places {
                let mut around = BTreeSet::new();
                cells.around(at(&cells, *a).0, |first, end| {
                    assert!((first..end).all(|cell| around.insert(cell)), "a cell comes twice");
                });
                for b in &places {
                    let near = square(&rule, *a, *b) < rule.reach_square;
                    let (cell, _) = at(&cells, *b);
                    assert!(cell < cells.count());
                    assert!(!near || around.contains(&cell), "{edges:?} {dimensions} {size}: {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn all_within_reach_lie_in_the_cells_that_are_touched() {
    let (mut inner, mut all, mut fewer) = (0, 0, 0);
    for (edges, size, radius, most) in [
        (Edges::Turn, 640.0, 40.0, 16_384),
        (Edges::Turn, 640.0, 40.0, 3000),
        (Edges::Open, 100.0, 9.0, 4096),
        (Edges::Turn, 30.0, 12.0, 70),
    ] {
        let rule = rule(edges, 2, size, radius);
        let cells = Cells::new(&rule, most);
        let widths = cells.widths((rule.reach.0 >> rule.format.position_shift) as u32);
        let places = places(&rule, 800, 5);
        for a in &places {
            all += 1;
            let mut around = 0;
            cells.around(at(&cells, *a).0, |first, end| around += end - first);
            let Some(touched) = cells.touched([a.x.0, a.y.0]) else { continue };
            let widths = &widths[touched.row_part][..touched.rows];
            let runs = widths.iter().zip(0..).map(|(width, row)| {
                let end = |part: u32| (touched.first + row * cells.columns() + (part >> PART_BITS)) as usize;
                let width = u32::from(*width);
                end(touched.part - width)..=end(touched.part + width)
            });
            let runs: Vec<_> = runs.collect();
            inner += 1;
            fewer += usize::from(runs.iter().map(|run| run.end() - run.start() + 1).sum::<usize>() < around);
            for b in places.iter().filter(|b| square(&rule, *a, **b) < rule.reach_square) {
                let cell = at(&cells, *b).0;
                assert!(runs.iter().any(|run| run.contains(&cell)), "{size} {most}: {a:?} {b:?}");
            }
        }
    }
    assert!(
        inner > all / 2 && inner < all && fewer > inner / 2,
        "{inner} of {all}, {fewer} with fewer cells"
    );
}

#[test]
fn cells_are_finer_where_there_is_room() {
    let rule = rule(Edges::Turn, 2, 40.0, 9.0);
    let counts = [4096, 300, 100].map(|most| Cells::new(&rule, most).count());
    assert!(counts[0] > 300 && counts[1] <= 300 && counts[1] > counts[2], "{counts:?}");
}

#[test]
fn packed_offsets_between_cells_side_by_side_tell_who_is_within_reach() {
    use crate::engine::packed::{pack, unpack};
    for (size, radius, narrow) in [(640.0, 40.0, true), (100.0, 9.0, true), (500.0, 0.3, false)] {
        let rule = rule(Edges::Turn, 2, size, radius);
        let cells = Cells::new(&rule, CELLS);
        assert_eq!(cells.narrow, narrow, "{size} {radius}");
        let places = places(&rule, 800, if narrow { 60 } else { 0 });
        let (inside, strayed): (Vec<Vec3<Fixed>>, Vec<Vec3<Fixed>>) =
            places.into_iter().partition(|place| !at(&cells, *place).1);
        assert!(!narrow || !strayed.is_empty());
        for a in inside.iter().filter(|_| narrow) {
            let mut runs = Vec::new();
            cells.around(at(&cells, *a).0, |first, end| runs.push(first..end));
            for b in inside.iter().filter(|b| runs.iter().any(|run| run.contains(&at(&cells, **b).0))) {
                let word = |v: &Vec3<Fixed>| pack(v.x.0, v.y.0);
                let (x, y) = unpack(word(b).wrapping_sub(word(a)));
                let near = ((x * x) as u32 + (y * y) as u32) < rule.reach_square.0 as u32;
                assert_eq!(near, square(&rule, *a, *b) < rule.reach_square, "{a:?} {b:?}");
                assert!(!near || (x, y) == (b.x.0 - a.x.0, b.y.0 - a.y.0));
            }
        }
    }
}

mod arrangements;

use flock::parameters::{Edges, Start};
use flock::{Boid, Vec3};

use super::*;

/// The same measures by all pairs.
fn by_all_pairs(p: &Parameters, state: &State) -> [f64; 7] {
    let rule = Rule::<f64>::new(p);
    let n = state.boids.len();
    let distance = |a: usize, b: usize| {
        let o = Vec3::from(state.boids[b].position) - Vec3::from(state.boids[a].position);
        let o = rule.nearest_image(o);
        o.dot(o).sqrt()
    };
    let mut nearest = Vec::new();
    let mut counts = Vec::new();
    let mut group: Vec<usize> = (0..n).collect();
    for a in 0..n {
        let others = || (0..n).filter(|b| *b != a);
        nearest.push(others().map(|b| distance(a, b)).fold(f64::INFINITY, f64::min));
        counts.push(others().filter(|b| distance(a, *b) < p.cohesion.radius).count());
        for b in others().filter(|b| distance(a, *b) < p.cohesion.radius) {
            let (from, to) = (group[b], group[a]);
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    nearest.sort_by(f64::total_cmp);
    let mut sizes: Vec<usize> = (0..n).map(|g| group.iter().filter(|x| **x == g).count()).collect();
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable();
    [
        nearest.iter().sum::<f64>() / n as f64,
        nearest[n.div_ceil(2) - 1],
        nearest[(9 * n).div_ceil(10) - 1],
        counts.iter().sum::<usize>() as f64 / n as f64,
        *counts.iter().max().expect("boids") as f64,
        sizes.len() as f64,
        *sizes.last().expect("boids") as f64,
    ]
}

fn looked_up(m: &Measures) -> [f64; 7] {
    [
        m.nearest_mean,
        m.nearest_p50,
        m.nearest_p90,
        m.neighbours_mean,
        m.neighbours_max,
        m.groups,
        m.largest_group,
    ]
}

#[test]
fn the_tree_finds_what_all_pairs_find() {
    for (edges, dimensions, start, radius) in [
        (Edges::Open, 3, Start::Uniform, 9.0),
        (Edges::Open, 2, Start::Disc, 4.0),
        (Edges::Wrap, 3, Start::Uniform, 12.0),
        (Edges::Wrap, 2, Start::Uniform, 3.0),
        // Wider than the world: the nearest image counts, once.
        (Edges::Wrap, 2, Start::Uniform, 60.0),
        (Edges::Open, 3, Start::Point, 1.0),
        (Edges::Open, 3, Start::Uniform, 0.0),
    ] {
        let mut p = Parameters::default();
        (p.flock.boids, p.flock.dimensions, p.flock.start) = (400, dimensions, start);
        (p.world.edges, p.cohesion.radius) = (edges, radius);
        let state = State::start(&p);
        let (found, expected) = (looked_up(&measure(&p, &state)), by_all_pairs(&p, &state));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{p:?}: {found} for {expected}");
        }
    }
}

#[test]
fn a_square_lattice_has_known_measures() {
    let mut p = Parameters::default();
    p.flock.dimensions = 2;
    p.cohesion.radius = 1.1;
    let at = |k: u32| [f64::from(k % 30), f64::from(k / 30), 0.0];
    let boid = |k: u32| Boid { position: at(k), velocity: [-1.0, 0.0, 0.0], group: k % 3, ..Boid::default() };
    let state = State { boids: (0..900).map(boid).collect(), ..State::default() };
    let m = measure(&p, &state);
    assert_eq!((m.nearest_mean, m.nearest_p10, m.nearest_p90), (1.0, 1.0, 1.0));
    // 4 each except at the rim: 4 − 4/30 in the mean.
    assert!((m.neighbours_mean - (4.0 - 4.0 / 30.0)).abs() < 1e-12 && m.neighbours_max == 4.0);
    assert_eq!((m.groups, m.largest_group, m.split), (1.0, 900.0, 0.0));
    // Equally many right and left scouts: right is preferred, and all fly left.
    assert_eq!((m.polarization, m.heading, m.heading_error, m.share_left), (1.0, 180.0, 180.0, 1.0));
    // They prefer two directions: all fly along one, which is 45° from the mean of both.
    (p.scouts.pull, p.scouts.right_direction, p.scouts.left_direction) =
        (1.0, [0.0, 2.0, 0.0], [-3.0, 0.0, 0.0]);
    let m = measure(&p, &state);
    assert!((m.heading_error - 45.0).abs() < 1e-9, "{}", m.heading_error);
    assert_eq!((m.share_right, m.share_left), (0.0, 1.0));
    p.cohesion.radius = 0.9;
    assert_eq!(measure(&p, &state).groups, 900.0);
}

#[test]
fn a_family_alone_has_the_values_that_it_has_among_all() {
    let mut p = Parameters::default();
    (p.flock.boids, p.scouts.right, p.cohesion.radius) = (300, 0.2, 20.0);
    let state = State::start(&p);
    let all: Vec<f64> = measure(&p, &state).values().collect();
    assert!(all.iter().filter(|value| value.is_nan()).count() <= 2, "{all:?}");
    for family in Measures::FAMILIES {
        let alone = measure_only(&p, &state, &[*family]);
        for ((own, value), all) in Measures::FAMILIES.iter().zip(alone.values()).zip(&all) {
            let expected = if own == family { *all } else { f64::NAN };
            assert_eq!(value.to_bits(), expected.to_bits(), "{family:?}");
        }
    }
}

#[test]
fn a_flock_in_two_halves_has_split() {
    let p = Parameters::default();
    let place = |k: u32| [if k < 150 { 0.0 } else { 50.0 } + f64::from(k % 50) * 0.1, 0.0, 0.0];
    let boid = |k| Boid { position: place(k), ..Boid::default() };
    let state = State { boids: (0..200).map(boid).collect(), ..State::default() };
    let m = measure(&p, &state);
    assert_eq!((m.groups, m.largest_group, m.split), (2.0, 150.0, 1.0));
    assert!(m.heading.is_nan() && m.heading_error.is_nan() && m.polarization == 0.0);
}

#[test]
fn flocks_of_zero_and_one_have_no_means() {
    let mut p = Parameters::default();
    p.flock.boids = 0;
    let m = measure(&p, &State::start(&p));
    assert!(m.polarization.is_nan() && m.nearest_mean.is_nan() && m.neighbours_mean.is_nan());
    assert_eq!((m.groups, m.largest_group), (0.0, 0.0));
    p.flock.boids = 1;
    let m = measure(&p, &State::start(&p));
    assert!(m.nearest_p50.is_nan() && m.gyration == 0.0 && m.elongation == 0.0);
    assert_eq!((m.groups, m.neighbours_mean), (1.0, 0.0));
}

/// The six ends of an ellipsoid's axes, turned by a right-handed rotation with rational entries.
fn ends(axes: [f64; 3]) -> Vec<[f64; 3]> {
    let turn = [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|row| row.map(|c: f64| c / 3.0));
    let end = |k: usize| turn.map(|row| row[k % 3] * axes[k % 3] * [1.0, -1.0][k / 3]);
    (0..6).map(end).collect()
}

#[test]
fn a_shape_has_nine_digits_or_is_absent_however_thin() {
    let mut p = Parameters::default();
    p.world.edges = Edges::Open;
    for k in 0..60 {
        let thin = 10_f64.powf(-f64::from(k) / 8.0);
        let boids = ends([1.0, 0.7, 0.7 * thin]).into_iter();
        let boid = |position: [f64; 3]| Boid { position, velocity: [1.0; 3], ..Boid::default() };
        let m = measure(&p, &State { boids: boids.map(boid).collect(), ..State::default() });
        let found = [m.aspect_1, m.aspect_2];
        assert_eq!(found.map(f64::is_nan), [k > 18; 2], "{thin}: {found:?}");
        for (found, expected) in found.into_iter().zip([1.0 / thin, 1.0 / (0.7 * thin)]) {
            assert!(found.is_nan() || (found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
        }
    }
}

#[test]
fn elongation_is_of_the_two_longest_axes_in_any_orientation_however_thin() {
    let elongation = |places: &[[f64; 3]], edges| {
        let mut p = Parameters::default();
        p.world.edges = edges;
        let boid = |position: &[f64; 3]| Boid { position: *position, velocity: [1.0; 3], ..Boid::default() };
        measure(&p, &State { boids: places.iter().map(boid).collect(), ..State::default() }).elongation
    };
    let open = |places: &[[f64; 3]]| elongation(places, Edges::Open);
    for axes in [[4.0, 3.0, 1.0], [1.0, 1e-2, 1e-3], [1.0, 1e-4, 1e-5], [1.0, 3e-6, 3e-6]] {
        let (found, expected) = (open(&ends(axes)), 1.0 - axes[1] / axes[0]);
        assert!((found - expected).abs() < 1e-9, "{axes:?}: {found}, not {expected}");
    }
    for count in [3, 11, 1000] {
        let line = |k: i32| [1.0, 2.3, -0.7].map(|c| 50.0 + 0.1 * c * f64::from(k));
        assert_eq!(open(&(0..count).map(line).collect::<Vec<_>>()), 1.0, "{count}");
    }
    let next = f64::from_bits(12.3_f64.to_bits() + 1);
    for edges in [Edges::Open, Edges::Wrap] {
        assert_eq!(elongation(&[[99.9, 1.0 / 3.0, 77.7]; 7], edges), 0.0);
        // A point up to rounding.
        assert_eq!(elongation(&[[12.3, 5.0, 5.0], [next, 5.0, 5.0]], edges), 0.0);
        assert_eq!(elongation(&[[12.3, 5.0, 5.0], [12.301, 5.0, 5.0]], edges), 1.0);
    }
}

/// On one point, or on two: all pairs one by one would take far too long.
#[test]
fn dense_flocks_are_measured_in_time() {
    let mut p = Parameters::default();
    (p.flock.boids, p.flock.start) = (100_000, Start::Point);
    let mut state = State::start(&p);
    assert_eq!(measure(&p, &state).neighbours_mean, 99_999.0);
    for boid in &mut state.boids[..50_000] {
        boid.position[0] += 1.01 * p.cohesion.radius;
    }
    let m = measure(&p, &state);
    assert_eq!((m.groups, m.neighbours_mean, m.split), (2.0, 49_999.0, 1.0));
}

#[test]
fn the_nearest_others_are_those_of_brute_force() {
    for edges in [Edges::Open, Edges::Wrap] {
        let mut p = Parameters::default();
        (p.flock.boids, p.world.edges, p.world.max) = (150, edges, [30.0; 3]);
        let mut state = State::start(&p);
        // Equally distant ones are taken by their ids.
        state
            .boids
            .iter_mut()
            .for_each(|boid| boid.position = boid.position.map(|c| (c / 3.0).round() * 3.0));
        let rule = Rule::<f64>::new(&p);
        for (count, radius) in [(0, 9.0), (1, f64::INFINITY), (7, 5.0), (149, f64::INFINITY)] {
            let found = nearest_others(&p, &state, count, radius);
            for (me, boid) in state.boids.iter().enumerate() {
                let offset = |id: &usize| {
                    rule.nearest_image(Vec3::from(state.boids[*id].position) - boid.position.into())
                };
                let square = |id: &usize| offset(id).dot(offset(id));
                let near = |id: &usize| *id != me && square(id) < radius * radius;
                let mut others: Vec<usize> = (0..state.boids.len()).filter(near).collect();
                others.sort_by(|a, b| square(a).total_cmp(&square(b)));
                for k in 0..count {
                    let expected = others.get(k).map_or([0.0; 6], |id| {
                        let ([x, y, z], [vx, vy, vz]) = (offset(id).to_array(), state.boids[*id].velocity);
                        [x, y, z, vx, vy, vz]
                    });
                    assert_eq!(found[me * count + k], expected, "{edges:?}, {count}, boid {me}");
                }
            }
            assert_eq!(found.len(), 150 * count);
        }
    }
}

#[test]
fn pairs_within_a_radius_are_all_pairs_that_are_nearer() {
    for edges in [Edges::Open, Edges::Turn, Edges::Wrap] {
        let mut p = Parameters::default();
        (p.flock.boids, p.world.edges, p.world.max) = (200, edges, [30.0; 3]);
        let state = State::start(&p);
        let rule = Rule::<f64>::new(&p);
        for radius in [0.0, 4.0, 100.0] {
            let pairs = within(&p, &state, radius).expect("little memory");
            for (me, range) in pairs.starts.windows(2).enumerate() {
                let range = range[0] as usize..range[1] as usize;
                let near = |other: usize| {
                    let [here, there] = [me, other].map(|id| Vec3::from(state.boids[id].position));
                    let offset = rule.nearest_image(there - here);
                    let square = offset.dot(offset);
                    (other != me && square < radius * radius).then(|| (other as i64, square.sqrt()))
                };
                let expected: Vec<(i64, f64)> = (0..state.boids.len()).filter_map(near).collect();
                let indices = pairs.indices[range.clone()].iter().copied();
                let found: Vec<(i64, f64)> = indices.zip(pairs.distances[range].iter().copied()).collect();
                assert_eq!(found, expected, "{edges:?}, within {radius}, boid {me}");
            }
            assert_eq!(pairs.starts.len(), 201);
        }
    }
}

use std::collections::HashSet;
use std::f64::consts::{PI, TAU};

use flock::parameters::{Edges, Start};
use flock::random::{draw, stream, unit};
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

fn state(count: u32, boid: impl FnMut(u32) -> Boid<f64>) -> State {
    State { boids: (0..count).map(boid).collect(), ..State::default() }
}

fn boid(position: [f64; 3], velocity: [f64; 3]) -> Boid<f64> {
    Boid { position, velocity, ..Boid::default() }
}

/// Numbers in [0, 1).
fn random(id: u32) -> [f64; 4] {
    draw(5, 0, id, stream::DRAWN).map(unit)
}

/// Evenly in a ball of radius 1, or in a disc.
fn in_ball(id: u32, dimensions: u32) -> [f64; 3] {
    let trials = (0..).map(|trial| random(64 * id + trial).map(|c| 2.0 * c - 1.0));
    let mut places = trials.map(|[x, y, z, _]| if dimensions == 2 { [x, y, 0.0] } else { [x, y, z] });
    places.find(|[x, y, z]| x * x + y * y + z * z < 1.0).expect("one in two trials")
}

fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

#[test]
fn a_rigid_rotation_has_its_momentum_and_a_correlation_over_a_quarter_turn() {
    let p = Parameters::default();
    let angle = |k: u32| f64::from(k) * TAU / 600.0;
    let place = |t: f64| [10.0 + 3.0 * t.cos(), 3.0 * t.sin(), 5.0];
    let m = measure(&p, &state(600, |k| boid(place(angle(k)), [-angle(k).sin(), angle(k).cos(), 0.0])));
    assert!(near(m.angular_momentum, 3.0, 1e-9) && near(m.group_milling, 1.0, 1e-9), "{m:?}");
    assert!(m.group_polarization < 1e-9);
    // Headings on a ring are at right angles a quarter turn, √2 radii, apart.
    assert!(near(m.correlation_length, 3.0 * 2_f64.sqrt(), 0.01), "{}", m.correlation_length);
    assert!(m.speed_correlation_length.is_nan());
    // The control: the same places without a fluctuation.
    let m = measure(&p, &state(600, |k| boid(place(angle(k)), [0.0, 0.5, 0.0])));
    assert!(m.angular_momentum < 1e-9 && m.group_milling < 1e-9 && near(m.group_polarization, 1.0, 1e-9));
    assert!(m.correlation_length.is_nan() && m.speed_correlation_length.is_nan());
}

#[test]
fn the_largest_group_is_measured_about_its_own_centre() {
    let p = Parameters::default();
    let (ring, line) = (300_u32, 200_u32);
    let circling = |k: u32| {
        let t = f64::from(k) * TAU / f64::from(ring);
        boid([3.0 * t.cos(), 3.0 * t.sin(), 0.0], [-t.sin(), t.cos(), 0.0])
    };
    let flying = |k: u32| boid([500.0 + 0.1 * f64::from(k), 0.0, 0.0], [0.0, 0.0, 1.0]);
    let m = measure(&p, &state(ring + line, |k| if k < line { flying(k) } else { circling(k - line) }));
    assert_eq!((m.groups, m.largest_group), (2.0, 300.0));
    assert!(near(m.group_milling, 1.0, 1e-9) && m.group_polarization < 1e-9, "{m:?}");
    // The control: the measures of the whole flock.
    assert!(m.milling < 0.5 && m.polarization > 0.3, "{m:?}");
}

/// The distance at which a wave of fluctuations loses its correlation: a quarter of its length.
#[test]
fn correlated_domains_have_their_length() {
    let p = Parameters::default();
    let wave = |x: f64, length: f64| (TAU * x / length).cos();
    let flock = |heading: &dyn Fn(u32, f64) -> f64, speed: &dyn Fn(u32, f64) -> f64| {
        let boids = state(5000, |k| {
            let x = 0.2 * f64::from(k);
            let (turn, speed) = (0.2 * heading(k, x), 1.0 + 0.1 * speed(k, x));
            boid([x, 0.0, 0.0], [speed * turn.cos(), speed * turn.sin(), 0.0])
        });
        let m = measure(&p, &boids);
        [m.correlation_length, m.speed_correlation_length]
    };
    for [length, speed_length] in [[100.0, 200.0], [400.0, 80.0]] {
        let found = flock(&|_, x| wave(x, length), &|_, x| wave(x, speed_length));
        for (found, wave) in found.into_iter().zip([length, speed_length]) {
            assert!(near(found, 0.25 * wave, 0.06), "{found} of a wave of {wave}");
        }
    }
    // The control: fluctuations of chance.
    let found = flock(&|k, _| random(k)[0] - 0.5, &|k, _| random(k)[1] - 0.5);
    assert!(found.iter().all(|length| *length < 20.0), "{found:?}");
}

#[test]
fn an_ellipsoid_has_its_axes_its_density_and_its_tilt() {
    let axes = [5.6, 2.8, 1.0];
    let p = Parameters::default();
    let of = |order: [usize; 3], share: &dyn Fn(u32) -> f64| {
        let place = |k: u32| {
            let way = in_ball(k, 3);
            let scale = share(k) / way.iter().map(|c| c * c).sum::<f64>().sqrt();
            order.map(|axis| axes[axis] * way[axis] * scale)
        };
        measure(&p, &state(20_000, |k| boid(place(k), [1.0, 0.0, 0.0])))
    };
    let even = |k: u32| random(1_000_000_000 + k)[0].cbrt();
    let m = of([0, 1, 2], &even);
    assert!(near(m.aspect_1, 2.8, 0.03) && near(m.aspect_2, 5.6, 0.03) && m.tilt < 1.0, "{m:?}");
    let expected = 20_000.0 / (4.0 / 3.0 * PI * 5.6 * 2.8);
    assert!(near(m.density, expected, 0.05) && near(m.density_edge, expected, 0.05), "{m:?}");
    let turned = of([2, 0, 1], &even);
    assert!(near(turned.aspect_2, m.aspect_2, 1e-6) && near(turned.tilt, 90.0, 0.02), "{turned:?}");
    // The control: a shell has no core.
    let shell = of([0, 1, 2], &|k| 0.9 + 0.1 * even(k));
    assert!(shell.density == 0.0 && shell.density_edge > 0.0 && near(shell.aspect_1, 2.8, 0.03));
    // Equally many at each radius: both hold their part of the radius, in their part of the volume.
    let dense = of([0, 1, 2], &|k| even(k).powi(3));
    assert!(near(dense.density_edge / dense.density, 0.25 / (37.0 / 64.0) / (0.5 * 8.0), 0.05), "{dense:?}");
}

#[test]
fn a_sphere_has_equal_axes_and_a_plane_two() {
    let mut p = Parameters::default();
    let m = measure(&p, &state(20_000, |k| boid(in_ball(k, 3), [1.0, 0.0, 0.0])));
    assert!(near(m.aspect_1, 1.0, 0.03) && near(m.aspect_2, 1.0, 0.03), "{m:?}");
    p.flock.dimensions = 2;
    let ellipse = |k: u32| {
        let [x, y, z] = in_ball(k, 2);
        boid([3.0 * x, y, z], [1.0, 0.0, 0.0])
    };
    let m = measure(&p, &state(20_000, ellipse));
    assert!(near(m.aspect_1, 3.0, 0.03) && m.aspect_2.is_nan() && m.tilt.is_nan());
    assert!(near(m.density, 20_000.0 / (3.0 * PI), 0.05) && near(m.density_edge, m.density, 0.05), "{m:?}");
    // Flat in its world: no volume.
    p.flock.dimensions = 3;
    let m = measure(&p, &state(2000, ellipse));
    assert!([m.density, m.density_edge, m.aspect_1, m.aspect_2, m.tilt].iter().all(|m| m.is_nan()), "{m:?}");
}

#[test]
fn neighbours_at_the_sides_are_anisotropic_up_to_their_number() {
    let mut p = Parameters::default();
    p.world.edges = Edges::Wrap;
    let mut lattice = |steps: [f64; 3], jitter: f64| {
        let size = steps.map(|step| 12.0 * step);
        (p.world.min, p.world.max) = ([0.0; 3], size);
        let place = |k: u32| {
            let cell = [k % 12, k / 12 % 12, k / 144].map(f64::from);
            let shift = random(k);
            std::array::from_fn(|axis| {
                ((cell[axis] + jitter * shift[axis]) * steps[axis]).rem_euclid(size[axis])
            })
        };
        let m = measure(&p, &state(1728, |k| boid(place(k), [1.0, 0.0, 0.0])));
        (m.anisotropy, m.anisotropy_ranks)
    };
    // Four at distance 1 and four at √2 to the sides, then one ahead and one behind among others.
    let (gamma, ranks) = lattice([2.0, 1.0, 1.0], 0.02);
    assert!(gamma > 0.99 && ranks == 8.0, "{gamma}, {ranks}");
    // Controls: neighbours ahead and behind, and places of chance.
    let (gamma, ranks) = lattice([1.0, 2.0, 2.0], 0.02);
    assert!(gamma < 0.01 && ranks == 0.0, "{gamma}, {ranks}");
    for turns in 1..6 {
        assert_eq!(lattice([1.0; 3], 12.0 * f64::from(turns)).1, 0.0);
    }
    let alone = measure(&p, &state(1, |_| boid([0.0; 3], [1.0, 0.0, 0.0])));
    assert!(alone.anisotropy.is_nan() && alone.correlation_length.is_nan() && alone.aspect_1.is_nan());
}

#[test]
fn each_block_of_ids_gives_one_and_a_small_flock_all() {
    assert_eq!(sample_ids(5), [0, 1, 2, 3, 4]);
    for boids in [1025, 5000, 1_000_003] {
        let ids = sample_ids(boids);
        assert_eq!((ids.len(), sample_ids(boids)), (SAMPLE, ids.clone()));
        assert!(ids.is_sorted_by(|a, b| a < b) && ids[SAMPLE - 1] < boids, "{boids}");
    }
    // Not a fixed stride, which could resonate with ids that were placed in rows.
    let gaps: HashSet<usize> = sample_ids(100_000).windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.len() > 50, "{}", gaps.len());
}

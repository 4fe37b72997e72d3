//! Arrangements whose measures are known, each with one that must differ.

use std::f64::consts::{PI, TAU};

use super::*;
use flock::random::{draw, stream, unit};

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

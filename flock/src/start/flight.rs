//! A flock that is already in flight: an uneven sheet, bent and folded, whose heading turns slowly along it. Its boids
//! stand about as dense as a settled flock of `presets/murmuration.toml`, so it neither bursts nor collapses.

use super::{centre, direction};
use crate::parameters::Parameters;
use crate::random::{draw, stream, unit};

/// Semi-axes of the sheet over half the world's size.
const AXES: [f64; 3] = [0.6, 0.3, 0.5];

/// Amplitudes of the bend to the side and of the fold up and down, over half the world's size.
const BEND: f64 = 0.2;
const FOLD: f64 = 0.2;

/// Share of a random direction in a heading.
const SCATTER: f64 = 0.25;

/// Position and heading of a boid.
pub(super) fn boid(p: &Parameters, id: u32) -> ([f64; 3], [f64; 3]) {
    let (seed, flat) = (p.flock.seed, p.flat());
    let phase = draw(seed, 0, 0, stream::START_FLIGHT).map(|word| core::f64::consts::TAU * unit(word));
    let share = unit(draw(seed, 0, id, stream::START_POSITION)[0]);
    let radius = if flat { libm::sqrt(share) } else { libm::cbrt(share) };
    let [u, v, w] = direction(seed, id, 1, flat).map(|c| c * radius);

    let wave = 3.0 * u + 2.0 * v + phase[1];
    let thickness = 0.6 + 0.4 * libm::sin(5.0 * u + phase[2]);
    let along = AXES[0] * u;
    let across = AXES[1] * v + BEND * libm::cos(2.5 * u + phase[0]);
    let up = AXES[2] * w * thickness + FOLD * libm::sin(wave);
    // The whole sheet lies in a random direction.
    let (sin, cos) = (libm::sin(phase[3]), libm::cos(phase[3]));
    let place = [along * cos - across * sin, along * sin + across * cos, up];
    let middle = centre(p);
    let position = core::array::from_fn(|k| middle[k] + 0.5 * (p.world.max[k] - p.world.min[k]) * place[k]);

    let yaw = phase[3] + 0.7 * libm::sin(2.5 * u + phase[0]) + 0.5 * v;
    let climb = if flat { 0.0 } else { 0.2 * libm::cos(wave) };
    let random = direction(seed, id, 0, flat);
    let ahead = [libm::cos(yaw), libm::sin(yaw), climb];
    let heading: [f64; 3] = core::array::from_fn(|k| ahead[k] + SCATTER * random[k]);
    // At least 1 − `SCATTER`.
    let length = libm::sqrt(heading.iter().map(|c| c * c).sum());
    (position, heading.map(|c| c / length))
}

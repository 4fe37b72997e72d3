//! The state of boid and predator number k at step 0, a function of the parameters and k.
//!
//! Numbers are in users' units, rounded to f32, so that all engines start from the same bits.
//!
//! ```
//! use flock::{Parameters, start};
//!
//! let parameters = Parameters::default();
//! let boid = start::boid::<f64>(&parameters, 7);
//! assert_eq!(boid, start::boid::<f32>(&parameters, 7).convert());
//! for k in 0..3 {
//!     assert!((parameters.world.min[k]..parameters.world.max[k]).contains(&boid.position[k]));
//! }
//! ```

use crate::number::Number;
use crate::parameters::{Parameters, Start};
use crate::random::{draw, signed, stream, unit};
use crate::state::{Boid, Predator, group};

/// Boid number `id` at step 0. Its speed lies in `motion.min_speed` to `motion.max_speed`, or is 0 for a start at rest.
pub fn boid<T: Number>(p: &Parameters, id: u32) -> Boid<T> {
    let seed = p.flock.seed;
    let words = draw(seed, 0, id, stream::START_POSITION);
    let speed_word = draw(seed, 0, id, stream::START_SPEED)[0];
    let (slow, fast) = (p.motion.min_speed, p.motion.max_speed);
    let speed = match p.flock.start {
        Start::Rest => 0.0,
        Start::Disc => 1.0_f64.clamp(slow, fast),
        _ => slow + (fast - slow) * unit(speed_word),
    };
    let anywhere = || direction(seed, id, 0, p.flat());
    let (position, heading) = match p.flock.start {
        Start::Uniform | Start::Rest => (within(p.world.min, p.world.max, words), anywhere()),
        Start::Disc => (radial(p, id, unit(words[0])), anywhere()),
        Start::Ball => {
            let u = unit(words[0]);
            (radial(p, id, if p.flat() { libm::sqrt(u) } else { libm::cbrt(u) }), anywhere())
        }
        Start::Point => (centre(p), anywhere()),
        Start::Flight => in_flight(p, id),
    };
    // [0, 1) is divided into right scouts, left scouts and the others.
    let fraction = f64::from(draw(seed, 0, id, stream::START_GROUP)[0] >> 8) / f64::from(1 << 24);
    let scout = if fraction < p.scouts.right {
        Some(group::RIGHT)
    } else {
        (fraction < p.scouts.right + p.scouts.left).then_some(group::LEFT)
    };
    Boid {
        position: quantise_position(p, position),
        velocity: heading.map(|c| round(c * speed)),
        bias: if scout.is_none() { T::ZERO } else { round(p.scouts.bias) },
        group: scout.unwrap_or_else(|| group_by_id(p, id)),
        rest: 0,
    }
}

/// The group of a boid that is no scout: ids in a row share one, and each group has its part of them, rounded.
fn group_by_id(p: &Parameters, id: u32) -> u32 {
    let parts = p.flock.groups.as_slice();
    let (total, boids) = (parts.iter().sum::<f64>(), f64::from(p.flock.boids));
    let mut end = 0.0;
    let own = parts.iter().position(|part| {
        end += part;
        (f64::from(id) + 0.5) * total < end * boids
    });
    // An id beyond the flock belongs to the last group with a part.
    let last = || parts.iter().rposition(|part| *part > 0.0).unwrap_or_default();
    own.unwrap_or_else(last) as u32
}

/// Predator number `index` at step 0: uniform in the middle tenth of the world along each axis, at rest.
pub fn predator<T: Number>(p: &Parameters, index: u32) -> Predator<T> {
    let words = draw(p.flock.seed, 0, index, stream::START_PREDATOR);
    let middle = centre(p);
    let tenth: [f64; 3] = core::array::from_fn(|k| 0.05 * (p.world.max[k] - p.world.min[k]));
    let low = core::array::from_fn(|k| middle[k] - tenth[k]);
    let high = core::array::from_fn(|k| middle[k] + tenth[k]);
    Predator { position: quantise_position(p, within(low, high, words)), velocity: [T::ZERO; 3] }
}

fn centre(p: &Parameters) -> [f64; 3] {
    core::array::from_fn(|k| 0.5 * (p.world.min[k] + p.world.max[k]))
}

fn within(min: [f64; 3], max: [f64; 3], words: [u32; 4]) -> [f64; 3] {
    core::array::from_fn(|k| min[k] + (max[k] - min[k]) * unit(words[k]))
}

/// A point in a random direction from the centre, at a share of the largest radius that fits the world.
fn radial(p: &Parameters, id: u32, share: f64) -> [f64; 3] {
    let axes = if p.flat() { 2 } else { 3 };
    let radius = (0..axes).map(|k| 0.5 * (p.world.max[k] - p.world.min[k])).fold(f64::MAX, f64::min);
    let (middle, unit) = (centre(p), direction(p.flock.seed, id, 1, p.flat()));
    core::array::from_fn(|k| middle[k] + unit[k] * radius * share)
}

/// A uniform direction by rejection sampling of the unit ball, without trigonometry.
fn direction(seed: u32, id: u32, which: u32, flat: bool) -> [f64; 3] {
    // The probability that 32 trials fail is 10⁻¹⁰ in space and 10⁻²¹ on a plane; the direction is +x then.
    for attempt in 0..32 {
        let words = draw(seed, which, id, stream::START_DIRECTION + attempt);
        let part = |k: usize| f64::from(signed(words[k])) / f64::from(1 << 24);
        let (x, y, z) = (part(0), part(1), if flat { 0.0 } else { part(2) });
        let square = x * x + y * y + z * z;
        if (1e-6..=1.0).contains(&square) {
            let length = libm::sqrt(square);
            return [x / length, y / length, z / length];
        }
    }
    [1.0, 0.0, 0.0]
}

/// Rounds to f32, then converts to the engine's type.
fn round<T: Number>(value: f64) -> T {
    T::from_f64(f64::from(value as f32))
}

/// Rounds a position, below the upper edges (which rounding may reach) and with z = 0 in two dimensions.
fn quantise_position<T: Number>(p: &Parameters, position: [f64; 3]) -> [T; 3] {
    core::array::from_fn(|k| {
        if k == 2 && p.flat() {
            return T::ZERO;
        }
        let rounded = position[k] as f32;
        let edge = p.world.max[k] as f32;
        let inside = if rounded >= edge { edge.next_down() } else { rounded };
        T::from_f64(f64::from(inside))
    })
}

/// Semi-axes of the sheet over half the world's size.
const AXES: [f64; 3] = [0.6, 0.3, 0.5];

/// Amplitudes of the bend to the side and of the fold up and down, over half the world's size.
const BEND: f64 = 0.2;
const FOLD: f64 = 0.2;

/// Share of a random direction in a heading.
const SCATTER: f64 = 0.25;

/// Position and heading of a boid of a flock that is already in flight: an uneven sheet, bent and folded, whose heading
/// turns slowly along it. Its boids stand about as dense as a settled flock of `presets/murmuration.toml`, so it neither
/// bursts nor collapses.
fn in_flight(p: &Parameters, id: u32) -> ([f64; 3], [f64; 3]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_number_types_start_from_the_same_bits() {
        for start in [Start::Uniform, Start::Rest, Start::Disc, Start::Ball, Start::Point, Start::Flight] {
            let mut p = Parameters::default();
            p.flock.start = start;
            p.scouts.right = 0.3;
            for id in 0..500 {
                assert_eq!(boid::<f32>(&p, id).convert::<f64>(), boid::<f64>(&p, id));
            }
        }
    }

    #[test]
    fn starts_lie_in_the_world_within_the_speed_limits() {
        for (flat, start) in
            [(2, Start::Uniform), (3, Start::Uniform), (2, Start::Flight), (3, Start::Flight)]
        {
            let mut p = Parameters::default();
            p.flock.start = start;
            (p.flock.dimensions, p.motion.min_speed, p.motion.max_speed) = (flat, 2.0, 4.0);
            for id in 0..2000 {
                let b = boid::<f64>(&p, id);
                let speed = b.velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
                assert!((1.999_999..=4.000_001).contains(&speed));
                assert!((0..flat as usize).all(|k| (0.0..100.0).contains(&b.position[k])));
                assert!(flat == 3 || b.position[2] == 0.0 && b.velocity[2] == 0.0);
            }
        }
    }

    /// The number of boids in each group.
    fn counts(p: &Parameters, boids: u32) -> [u32; 8] {
        (0..boids).fold([0; 8], |mut n, id| {
            n[boid::<f32>(p, id).group as usize] += 1;
            n
        })
    }

    fn with_groups(boids: u32, parts: &[f64]) -> Parameters {
        let mut p = Parameters::default();
        p.flock.boids = boids;
        parts.iter().for_each(|part| p.flock.groups.push(*part).expect("room"));
        p.check().expect("fits");
        p
    }

    #[test]
    fn groups_have_their_parts_to_a_boid_and_nobody_leans() {
        for (boids, parts, expected) in [
            (10, &[0.5, 0.3, 0.2][..], [5, 3, 2, 0, 0, 0, 0, 0]),
            (200, &[199.0, 1.0], [199, 1, 0, 0, 0, 0, 0, 0]),
            (400, &[1.0, 1.0, 1.0], [133, 134, 133, 0, 0, 0, 0, 0]),
            (7, &[0.0, 0.0, 0.0, 2.0], [0, 0, 0, 7, 0, 0, 0, 0]),
            (16, &[1.0; 8], [2; 8]),
            (1, &[1.0, 1.0, 1.0], [0, 1, 0, 0, 0, 0, 0, 0]),
            (2_000, &[0.1, 0.2, 0.7, 0.0], [200, 400, 1400, 0, 0, 0, 0, 0]),
        ] {
            let p = with_groups(boids, parts);
            assert_eq!(counts(&p, boids), expected, "{boids} in {parts:?}");
            assert!((0..boids).all(|id| boid::<f64>(&p, id).bias == 0.0));
        }
        let beyond = with_groups(3, &[1.0, 1.0, 0.0]);
        assert_eq!(boid::<f32>(&beyond, 99).group, 1);
        // Rounding never moves a boundary by more than half a boid.
        let parts = [0.37, 5.1, 2.0, 0.003, 1.0];
        for boids in 1..300 {
            let p = with_groups(boids, &parts);
            let mut ends = (0.0, 0);
            for (count, part) in counts(&p, boids).into_iter().zip(parts) {
                ends = (ends.0 + part / parts.iter().sum::<f64>() * f64::from(boids), ends.1 + count);
                assert!((ends.0 - f64::from(ends.1)).abs() <= 0.5 + 1e-9, "{ends:?} of {boids}");
            }
        }
    }

    #[test]
    fn scouts_are_the_same_boids_in_a_flock_with_groups() {
        let mut p = with_groups(2000, &[1.0, 0.0, 0.0, 1.0]);
        (p.scouts.right, p.scouts.left) = (0.1, 0.2);
        let mut plain = p;
        plain.flock.groups.clear();
        for id in 0..2000 {
            let (with, without) = (boid::<f64>(&p, id), boid::<f64>(&plain, id));
            let group = if without.group == 0 && id >= 1000 { 3 } else { without.group };
            assert_eq!(with, Boid { group, ..without });
        }
        p.flock.groups = with_groups(9, &[1.0, 0.5]).flock.groups;
        assert_eq!(p.check().expect_err("twice group 1").name(), Some("flock.groups"));
        assert!(p.has_scouts() && !with_groups(9, &[1.0, 0.5]).has_scouts());
    }
}

//! The settled flock of the default preset, stored as a sample of its boids.
//!
//! Each record stands for the boids around it, which are placed at random, by the seed, and reach their spacing within
//! some steps. A record has 48 bits: ten per coordinate of the position, then six per component of the velocity, lowest
//! first. The first record is the falcon's. Positions are shares of the world, so any number of boids fits.

use flock::random::{draw, signed, stream};
use flock::{Boid, Parameters, Predator, start};
use presets::SETTLED;

use engine::{Result, State};

/// The step number of the flock.
pub const STEP: u64 = 2800;
/// Maximum values of a record: position in halves of the world, velocity in units of length per time.
pub const FARTHEST: f64 = 1.5;
pub const FASTEST: f64 = 0.9;
/// Maximum offset of a boid from its record, in halves of the world: about the distance to the next record.
const BESIDE: f64 = 0.0123;

/// The settled state, if memory has room for it.
///
/// # Errors
/// When memory has no room.
pub(crate) fn try_state(parameters: &Parameters) -> Result<State> {
    State::check_capacity(parameters.flock.boids)?;
    Ok(state(parameters))
}

/// The settled state, for the number of boids, the seed and the world of these parameters.
pub fn state(parameters: &Parameters) -> State {
    let (records, _) = SETTLED.as_chunks::<6>();
    let (min, max) = (parameters.world.min, parameters.world.max);
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (min[k] + max[k]));
    let half: [f64; 3] = std::array::from_fn(|k| 0.5 * (max[k] - min[k]));
    let single = |number: f64| f64::from(number as f32);
    let place = |position: [f64; 3]| std::array::from_fn(|k| single(middle[k] + half[k] * position[k]));
    let boid = |id: u32| {
        let (position, velocity) = unpacked(&records[1 + id as usize % (records.len() - 1)]);
        let words = draw(parameters.flock.seed, STEP as u32, id, stream::START_POSITION);
        let beside = |k: usize| BESIDE * half[0] * f64::from(signed(words[k])) / f64::from(1 << 24);
        let position = place(position);
        Boid {
            position: std::array::from_fn(|k| single(position[k] + beside(k))),
            velocity: velocity.map(single),
            ..start::boid(parameters, id)
        }
    };
    let predator = |index: u32| match index {
        0 => {
            let (position, velocity) = unpacked(&records[0]);
            Predator { position: place(position), velocity: velocity.map(single) }
        }
        other => start::predator(parameters, other),
    };
    State {
        step: STEP,
        boids: (0..parameters.flock.boids).map(boid).collect(),
        predators: (0..parameters.predators.count).map(predator).collect(),
    }
}

/// Position in halves of the world from its middle, and velocity.
fn unpacked(record: &[u8; 6]) -> ([f64; 3], [f64; 3]) {
    let [a, b, c, d, e, f] = *record;
    let word = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let share = |shift: u32, bits: u32| {
        let most = (1_u64 << bits) - 1;
        2.0 * (word >> shift & most) as f64 / most as f64 - 1.0
    };
    (
        [0, 10, 20].map(|shift| FARTHEST * share(shift, 10)),
        [30, 36, 42].map(|shift| FASTEST * share(shift, 6)),
    )
}

//! A settled flock of the default preset, on which the first screen opens: as few boids of one as tell its shape.
//!
//! Each of them stands for all boids about it. They are set down at random near it, as a function of the seed, and sort
//! themselves out within some steps. A record has 48 bits: ten for each coordinate of the position, then six for each of the
//! velocity, the lowest first. The first one is the falcon's. Positions are shares of the world, so any number of boids fits.

use std::time::Duration;

use flock::random::{draw, signed, stream};
use flock::{Boid, Parameters, Predator, start};
use presets::SETTLED;
use web_time::Instant;

use super::worker::Source;
use cpu::Result;
use cpu::state::State;

/// The boids of the first screen.
pub const BOIDS: u32 = 60_000;
/// The step at which the flock stands.
pub const STEP: u64 = 2800;
/// Steps in which its boids sort themselves out.
pub const SORTING: u32 = 30;
/// The most boids that it grows to, where the device is fast.
const MOST: u32 = 16 * BOIDS;
/// Steps by which the device is timed; the first of a device takes longer, as it is prepared.
const TIMED: u32 = 4;
/// The longest step of a flock that is doubled: of the 17 ms of a frame, drawing takes as long as some steps.
const QUICK: Duration = Duration::from_millis(2);
/// The longest that the flock grows and sorts itself out before it is shown.
const PATIENCE: Duration = Duration::from_millis(300);
/// What the greatest numbers stand for: a position in halves of the world, a velocity in units of length per time.
pub const FARTHEST: f64 = 1.5;
pub const FASTEST: f64 = 0.9;
/// How far beside its record a boid may be, in halves of the world: about as far as to the next record.
const BESIDE: f64 = 0.0123;

/// The flock with the number of boids, the seed and the world of these parameters.
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

/// Sorts the boids of a source that holds this [`state`]. Where it `grows`, the flock first becomes twice as large again and
/// again, as long as steps are quick: nobody has seen it yet. Returns its state before it was sorted.
///
/// # Errors
/// When the device fails.
pub fn sort(
    source: &mut dyn Source,
    parameters: &mut Parameters,
    mut held: State,
    grows: bool,
) -> Result<State> {
    let begun = Instant::now();
    while grows && 2 * parameters.flock.boids <= MOST && begun.elapsed() < PATIENCE {
        steps(source, 1)?;
        if steps(source, TIMED)? > QUICK * TIMED || source.check_capacity(2 * parameters.flock.boids).is_err()
        {
            break;
        }
        parameters.set_boids(2 * parameters.flock.boids);
        held = state(parameters);
        source.engine().set_parameters(parameters)?;
        source.engine().set_state(&held)?;
    }
    for _ in 0..SORTING {
        steps(source, 1)?;
        if begun.elapsed() > PATIENCE {
            break;
        }
    }
    Ok(held)
}

/// Takes some steps; returns how long they took.
fn steps(source: &mut dyn Source, count: u32) -> Result<Duration> {
    let begun = Instant::now();
    source.engine().advance(count)?;
    source.finish()?;
    Ok(begun.elapsed())
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

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use cpu::CpuEngine;
    use cpu::engine::Engine;

    use super::*;
    use crate::view::frame::Frame;
    use crate::view::worker::Source;
    use cpu::EngineError;

    fn parameters(boids: u32, seed: u32) -> Parameters {
        let mut parameters = config::presets::PRESETS[0].parameters().expect("the default");
        parameters.set_boids(boids);
        parameters.flock.seed = seed;
        parameters
    }

    /// The mean distance of some boids to the nearest other.
    fn spacing(state: &State) -> f64 {
        let far = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let nearest = |id: usize| {
            let others = state.boids.iter().enumerate().filter(|(other, _)| *other != id);
            let here = state.boids[id].position;
            others.map(|(_, boid)| far(boid.position, here)).fold(f64::MAX, f64::min).sqrt()
        };
        (0..200).map(nearest).sum::<f64>() / 200.0
    }

    #[test]
    fn the_first_flock_is_settled_after_a_few_steps() {
        let parameters = parameters(BOIDS, 1);
        let first = state(&parameters);
        assert_eq!((first.boids.len(), first.step, first.predators.len()), (BOIDS as usize, STEP, 1));
        // Set down at random they are too near.
        assert!(spacing(&first) < 1.15, "{}", spacing(&first));
        let mut engine = cpu::open_as::<f32>(&parameters, &first, None).expect("there is room");
        engine.advance(SORTING).expect("no device");
        let sorted = engine.state().expect("finite");
        // As far apart as in the flock that was packed.
        assert!((spacing(&sorted) / 1.497 - 1.0).abs() < 0.08, "{}", spacing(&sorted));
        engine.advance(60).expect("no device");
        let later = spacing(&engine.state().expect("finite"));
        assert!((later / spacing(&sorted) - 1.0).abs() < 0.15, "{later} after {}", spacing(&sorted));
    }

    /// An engine whose device takes so long, and has room for so many boids.
    #[derive(Debug)]
    struct Slow(Box<dyn CpuEngine>, Duration, u32);

    impl Source for Slow {
        fn engine(&mut self) -> &mut dyn Engine {
            &mut *self.0
        }
        fn check_capacity(&self, boids: u32) -> Result {
            if boids > self.2 { Err(EngineError::Refused("too many".to_owned())) } else { Ok(()) }
        }
        fn finish(&mut self) -> Result {
            sleep(self.1);
            Ok(())
        }
        fn publish(&mut self, _: &mut Frame) -> Result {
            Ok(())
        }
    }

    #[test]
    fn it_grows_where_steps_are_quick_and_there_is_room() {
        let grown = |grows, takes, room| {
            let mut parameters = parameters(100, 1);
            let held = state(&parameters);
            let engine = cpu::open_as::<f32>(&parameters, &held, None).expect("there is room");
            let mut source = Slow(engine, Duration::from_millis(takes), room);
            let held = sort(&mut source, &mut parameters, held, grows).expect("no device");
            // The engine flies what is said of it.
            assert_eq!(source.0.state().expect("finite").boids.len(), held.boids.len());
            assert!(held == state(&parameters) && source.0.step_number() > STEP);
            held.boids.len()
        };
        assert_eq!(grown(true, 0, 400), 400);
        assert!(grown(true, 0, 100 * MOST) >= 400);
        assert_eq!([grown(false, 0, 400), grown(true, 15, 400), grown(true, 0, 199)], [100; 3]);
    }

    #[test]
    fn it_is_a_function_of_the_seed_and_fits_any_number() {
        let flock = |boids, seed| state(&parameters(boids, seed));
        assert!(flock(9000, 1) == flock(9000, 1) && flock(9000, 1) != flock(9000, 2));
        for boids in [0, 1, 500, 100_000] {
            assert_eq!(flock(boids, 1).boids.len(), boids as usize);
        }
    }
}

//! The flock of the first screen, and of the default preset wherever the window starts it: settled, stored as a sample
//! of its boids.
//!
//! Each record stands for the boids around it, which are placed at random, by the seed, and reach their spacing within
//! some steps. A record has 48 bits: ten per coordinate of the position, then six per component of the velocity, lowest
//! first. The first record is the falcon's. Positions are shares of the world, so any number of boids fits.

use std::time::Duration;

use flock::random::{draw, signed, stream};
use flock::{Boid, Parameters, Predator, start};
use presets::SETTLED;
use web_time::Instant;

use super::sources::Source;
use engine::{Result, State};

/// Number of boids on the first screen.
pub const BOIDS: u32 = 60_000;
/// The step number of the flock.
pub const STEP: u64 = 2800;
/// Number of steps in which its boids reach their spacing.
pub const SORTING: u32 = 30;
/// Maximum number of boids to which it grows on a fast device.
const MAX: u32 = 16 * BOIDS;
/// Number of timed steps; the first step of a device takes longer, as pipelines are prepared.
const TIMED: u32 = 4;
/// Maximum step time for doubling the flock: of a frame's 17 ms, drawing takes as long as some steps.
const QUICK: Duration = Duration::from_millis(2);
/// Maximum time of growing and relaxing before the first frame.
const PATIENCE: Duration = Duration::from_millis(300);
/// Maximum values of a record: position in halves of the world, velocity in units of length per time.
pub const FARTHEST: f64 = 1.5;
pub const FASTEST: f64 = 0.9;
/// Maximum offset of a boid from its record, in halves of the world: about the distance to the next record.
const BESIDE: f64 = 0.0123;

/// True if the seeded starts of two sets of parameters differ.
pub fn starts_differ(a: &Parameters, b: &Parameters) -> bool {
    let flock =
        |p: &Parameters| (p.flock.boids, p.flock.dimensions, p.flock.seed, p.flock.start, p.flock.groups);
    let scouts = |p: &Parameters| (p.scouts.right, p.scouts.left);
    flock(a) != flock(b) || scouts(a) != scouts(b)
}

/// True if a flock may start settled: it starts as the default preset's, with any number of boids, in the world of that
/// number. Another seed asks for its own start.
pub fn fits(preset: &Parameters, parameters: &Parameters) -> bool {
    let mut usual = *preset;
    usual.set_boids(parameters.flock.boids);
    let bounds = |p: &Parameters| p.world.min.into_iter().chain(p.world.max);
    // A number of boids that is reached in several steps rounds the world several times.
    let mut near = bounds(&usual).zip(bounds(parameters)).map(|(a, b)| (a - b).abs() <= 1e-9 * a.abs());
    !starts_differ(&usual, parameters) && near.all(|near| near)
}

/// The initial state: settled, or from the seed.
///
/// # Errors
/// When memory has no room.
pub fn start(parameters: &Parameters, settled: bool) -> Result<State> {
    if !settled {
        return State::try_start(parameters);
    }
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

/// Doubles the flock of a source as long as steps are fast and more boids fit. Takes and returns the state that it holds.
///
/// # Errors
/// When the device fails.
pub fn grow(
    source: &mut dyn Source,
    parameters: &mut Parameters,
    mut current: State,
    begun: Instant,
    fits: impl Fn(&Parameters) -> bool,
) -> Result<State> {
    while 2 * parameters.flock.boids <= MAX && begun.elapsed() < PATIENCE {
        let mut doubled = *parameters;
        doubled.set_boids(2 * parameters.flock.boids);
        steps(source, 1)?;
        if steps(source, TIMED)? > QUICK * TIMED || !fits(&doubled) {
            break;
        }
        *parameters = doubled;
        current = state(parameters);
        source.engine().set_parameters(parameters)?;
        source.engine().set_state(&current)?;
    }
    Ok(current)
}

/// Steps a source that holds this [`state`] until its boids have reached their spacing, or there is no more time.
///
/// # Errors
/// When the device fails.
pub fn relax(source: &mut dyn Source, begun: Instant) -> Result<()> {
    for _ in 0..SORTING {
        steps(source, 1)?;
        if begun.elapsed() > PATIENCE {
            break;
        }
    }
    Ok(())
}

/// Does `count` steps; returns the time they took.
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
    use cpu::CpuEngine;
    use engine::Engine;

    use super::*;
    use crate::frame::Frame;

    fn parameters(boids: u32, seed: u32) -> Parameters {
        let mut parameters = config::presets::PRESETS[0].parameters().expect("the default");
        parameters.set_boids(boids);
        parameters.flock.seed = seed;
        parameters
    }

    /// The mean distance to the nearest neighbour, over some boids.
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
        // Random placement leaves them too near to each other.
        assert!(spacing(&first) < 1.15, "{}", spacing(&first));
        let mut engine = cpu::open_as::<f32>(&parameters, &first, None).expect("there is room");
        engine.advance(SORTING).expect("no device");
        let sorted = engine.state().expect("finite");
        // The spacing is that of the packed flock.
        assert!((spacing(&sorted) / 1.497 - 1.0).abs() < 0.08, "{}", spacing(&sorted));
        engine.advance(60).expect("no device");
        let later = spacing(&engine.state().expect("finite"));
        assert!((later / spacing(&sorted) - 1.0).abs() < 0.15, "{later} after {}", spacing(&sorted));
    }

    /// An engine with this step time.
    #[derive(Debug)]
    struct Slow(Box<dyn CpuEngine>, Duration);

    impl Source for Slow {
        fn engine(&mut self) -> &mut dyn Engine {
            &mut *self.0
        }
        fn finish(&mut self) -> Result {
            std::thread::sleep(self.1);
            Ok(())
        }
        fn publish(&mut self, _: &mut Frame) -> Result {
            Ok(())
        }
    }

    #[test]
    fn it_grows_where_steps_are_quick_and_there_is_room() {
        for (milliseconds, room, expected) in [(0, 400, 400), (15, 400, 100), (0, 199, 100)] {
            let mut parameters = parameters(100, 1);
            let held = state(&parameters);
            let engine = cpu::open_as::<f32>(&parameters, &held, None).expect("there is room");
            let mut source = Slow(engine, Duration::from_millis(milliseconds));
            let begun = Instant::now();
            let fits = |p: &Parameters| p.flock.boids <= room;
            let held = grow(&mut source, &mut parameters, held, begun, fits).expect("no device");
            relax(&mut source, begun).expect("no device");
            // The engine holds the reported state.
            assert_eq!(source.0.state().expect("finite").boids.len(), held.boids.len());
            assert!(held == state(&parameters) && source.0.step_number() > STEP);
            assert_eq!(held.boids.len(), expected, "{milliseconds} ms, room for {room}");
        }
    }

    #[test]
    fn it_is_the_start_of_the_default_preset_with_any_number_of_boids_and_of_its_seed() {
        let preset = config::presets::PRESETS[0].parameters().expect("the default");
        let suits = |change: &dyn Fn(&mut Parameters)| {
            let mut other = preset;
            change(&mut other);
            fits(&preset, &other)
        };
        assert!(suits(&|p| p.set_boids(1_000_000)) && suits(&|p| p.cohesion.weight = 0.0));
        // In many steps, as with the slider.
        assert!(suits(&|p| (1..200).for_each(|k| p.set_boids(1000 * k))));
        assert!(!suits(&|p| p.flock.boids = 1_000_000), "in the world of fewer");
        assert!(!suits(&|p| p.world.max[2] = 90.0) && !suits(&|p| p.flock.dimensions = 2));
        assert!(!suits(&|p| p.flock.seed += 1) && !suits(&|p| p.scouts.right = 0.1));
        let seeded = start(&preset, false).expect("there is room");
        assert_eq!((seeded.step, start(&preset, true).expect("there is room").step), (0, STEP));
        let flock = |boids, seed| state(&parameters(boids, seed));
        assert!(flock(9000, 1) == flock(9000, 1) && flock(9000, 1) != flock(9000, 2));
        for boids in [0, 1, 500, 100_000] {
            assert_eq!(flock(boids, 1).boids.len(), boids as usize);
        }
    }
}

//! The flock of the first screen, and of the default preset wherever the window starts it: settled
//! ([`flight::settled`]), as large as the device is fast, and relaxed.

use std::time::Duration;

use flock::Parameters;
use web_time::Instant;

use super::sources::Source;
use engine::{Result, State};
use flight::settled::state;
use flight::starts_differ;

/// Number of boids on the first screen.
pub const BOIDS: u32 = 60_000;
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

#[cfg(test)]
mod tests {
    use cpu::CpuEngine;
    use engine::Engine;

    use super::*;
    use crate::frame::Frame;
    use flight::settled::STEP;

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
        let flock = |boids, seed| state(&parameters(boids, seed));
        assert!(flock(9000, 1) == flock(9000, 1) && flock(9000, 1) != flock(9000, 2));
        for boids in [0, 1, 500, 100_000] {
            assert_eq!(flock(boids, 1).boids.len(), boids as usize);
        }
    }
}

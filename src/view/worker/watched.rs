//! The boid that the camera flies along with.
//!
//! Its place comes with each frame where the boids are in memory. On a device a state is read back for it now and then,
//! in at most a tenth of the time; between two of them it is taken to fly straight on.

use std::time::Duration;

use glam::{Vec2, Vec3};
use web_time::Instant;

use crate::view::camera::Ray;
use crate::view::frame::{Boids, Frame, Watched};
use cpu::engine::{Engine, EngineError};
use cpu::state::State;

/// Where in the picture a boid is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRay {
    pub ray: Ray,
    /// True if the picture has no perspective.
    pub flat: bool,
    /// How far beside the ray a boid may be: in units of length, and with perspective at a distance of 1.
    pub tolerance: f32,
}

impl PickRay {
    /// The index of the boid that is nearest to the ray in the picture.
    fn nearest(&self, positions: impl Iterator<Item = [f32; 3]>) -> Option<usize> {
        let beside = |position: [f32; 3]| {
            let offset = Vec3::from(position) - self.ray.origin;
            let along = offset.dot(self.ray.direction);
            let beside = Vec2::new((offset - self.ray.direction * along).length(), along);
            match self.flat {
                true => Some(beside.x),
                false => (along > 0.0).then(|| beside.x / along),
            }
        };
        let near = positions.enumerate().filter_map(|(index, position)| Some((index, beside(position)?)));
        let nearest = near.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (nearest.1 <= self.tolerance).then_some(nearest.0)
    }
}

/// The least time between two states that are read back, and how many times longer than reading one it is at least.
const INTERVAL: Duration = Duration::from_millis(100);
const TIME_FRACTION: u32 = 10;

/// Watches one boid, or none.
#[derive(Debug, Default)]
pub struct Watcher {
    query: Option<PickRay>,
    found: Option<Watched>,
    due: Option<Instant>,
}

impl Watcher {
    /// Looks for another boid from now on; `None` watches none.
    pub fn watch(&mut self, sight: Option<PickRay>) {
        (self.query, self.found, self.due) = (sight, None, None);
    }

    /// Tells the frame where the boid is.
    ///
    /// # Errors
    /// When the device failed.
    pub fn look(&mut self, engine: &mut dyn Engine, frame: &mut Frame) -> Result<(), EngineError> {
        if self.query.is_none() && self.found.is_none() {
            return Ok(());
        }
        match &frame.boids {
            Boids::Host { position, velocity, tag } => {
                let query = self.query.take();
                let index = match (query, self.found) {
                    (Some(sight), _) => sight.nearest(position.iter().map(|[x, y, z, _]| [*x, *y, *z])),
                    (None, found) => found.and_then(|found| tag.iter().position(|[id, _]| *id == found.id)),
                };
                let first = |four: [f32; 4]| [four[0], four[1], four[2]];
                self.found = index.map(|index| Watched {
                    id: tag[index][0],
                    position: first(position[index]),
                    velocity: first(velocity[index]),
                    step: frame.step,
                });
            }
            Boids::Device(_) => self.read(engine, frame.step)?,
        }
        frame.watched = self.found;
        Ok(())
    }

    fn read(&mut self, engine: &mut dyn Engine, step: u64) -> Result<(), EngineError> {
        let begun = Instant::now();
        if self.due.is_some_and(|due| begun < due) || State::check_capacity(engine.boids()).is_err() {
            return Ok(());
        }
        let state = engine.state()?;
        let end = Instant::now();
        self.due = Some(end + INTERVAL.max((end - begun) * TIME_FRACTION));
        let place = |boid: &flock::Boid<f64>| boid.position.map(|c| c as f32);
        let index = match self.query.take() {
            Some(sight) => sight.nearest(state.boids.iter().map(place)),
            None => self.found.map(|found| found.id as usize),
        };
        self.found = index.and_then(|index| {
            let boid = state.boids.get(index)?;
            let velocity = boid.velocity.map(|c| c as f32);
            Some(Watched { id: index as u32, position: place(boid), velocity, step })
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::CpuEngine;

    #[test]
    fn the_boid_under_the_pointer_is_found_and_stays_the_one() {
        let mut parameters = flock::Parameters::default();
        parameters.flock.boids = 2;
        let mut engine =
            CpuEngine::<f32>::new(&parameters, &State::start(&parameters), Some(1)).expect("a thread");
        let frame = |order: [u32; 2]| Frame {
            boids: Boids::Host {
                position: order.map(|id| [10.0, id as f32, 0.0, 0.0]).to_vec(),
                velocity: vec![[0.0; 4]; 2],
                tag: order.map(|id| [id, 0]).to_vec(),
            },
            ..Frame::empty(0)
        };
        let ray = Ray { origin: Vec3::ZERO, direction: Vec3::new(10.0, 0.9, 0.0).normalize() };
        let mut watcher = Watcher::default();
        watcher.watch(Some(PickRay { ray, flat: false, tolerance: 0.02 }));
        for order in [[0, 1], [1, 0]] {
            let mut frame = frame(order);
            watcher.look(&mut engine, &mut frame).expect("looks");
            assert_eq!(frame.watched.map(|watched| (watched.id, watched.position[1])), Some((1, 1.0)));
        }
        // Nobody is so near to the ray, or before the eye.
        let back = Ray { direction: -ray.direction, ..ray };
        for (ray, tolerance) in [(ray, 0.001), (back, 0.02)] {
            watcher.watch(Some(PickRay { ray, flat: false, tolerance }));
            let mut frame = frame([0, 1]);
            watcher.look(&mut engine, &mut frame).expect("looks");
            assert_eq!(frame.watched, None);
        }
    }

    #[test]
    fn on_a_device_a_state_is_read_back_for_it() {
        let mut parameters = flock::Parameters::default();
        parameters.flock.boids = 5;
        let state = State::start(&parameters);
        let mut engine = CpuEngine::<f32>::new(&parameters, &state, Some(1)).expect("a thread");
        let [x, y, z] = state.boids[3].position.map(|c| c as f32);
        let ray = Ray { origin: Vec3::new(x, y, z - 500.0), direction: Vec3::Z };
        let mut watcher = Watcher::default();
        watcher.watch(Some(PickRay { ray, flat: true, tolerance: 0.01 }));
        watcher.read(&mut engine, 7).expect("reads");
        let found = watcher.found.expect("a boid");
        assert_eq!((found.id, found.step), (3, 7));
        engine.advance(1).expect("steps");
        watcher.read(&mut engine, 8).expect("too soon");
        assert_eq!(watcher.found, Some(found));
    }
}

//! The world under a number of boids: with `flock.density = "keep"` it is scaled, but what the user set of it stands.

use flock::Parameters;
use flock::parameters::{self, Density};

/// The keys that scale with the number of boids; the first two are the world itself.
const SCALED: [&str; 5] = ["world.min", "world.max", "world.margin", "home.half_extent", "home.wander"];

/// Their numbers.
fn numbers(p: &Parameters) -> [[f64; 3]; SCALED.len()] {
    let one = |number| [number, 0.0, 0.0];
    [p.world.min, p.world.max, one(p.world.margin), one(p.home.half_extent), one(p.home.wander)]
}

/// What was set of the world over a preset, or over a file that states a flock of its own, and what a number of boids
/// did with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct World {
    set: [bool; SCALED.len()],
    change: Option<Change>,
}

/// The number of boids before and after, where density is to be kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    from: u32,
    to: u32,
    scaled: bool,
}

impl World {
    /// Notes that the user sets a parameter.
    pub(super) fn note(&mut self, name: &str) {
        if let Some(index) = SCALED.iter().position(|known| *known == name) {
            self.set[index] = true;
        }
        if let Some(change) = self.change.as_mut().filter(|_| self.set[0] || self.set[1]) {
            change.scaled = false;
        }
    }

    /// This, and what differs from a flock at the same number of boids: that was set in the panel.
    pub fn with(mut self, base: &Parameters, set: &Parameters) -> World {
        let mut scaled = *base;
        (scaled.flock.density, scaled.flock.dimensions) = (set.flock.density, set.flock.dimensions);
        World::default().set_boids(&mut scaled, set.flock.boids);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        for (own, (a, b)) in self.set.iter_mut().zip(numbers(&scaled).into_iter().zip(numbers(set))) {
            *own |= !a.into_iter().zip(b).all(|(a, b)| near(a, b));
        }
        self
    }

    /// True if the user set the bounds of the world.
    fn stands(&self) -> bool {
        self.set[0] || self.set[1]
    }

    /// Sets the number of boids. Where density is kept the world scales, unless it was set.
    pub fn set_boids(&mut self, parameters: &mut Parameters, boids: u32) {
        let before = *parameters;
        parameters.set_boids(boids);
        let from = self.change.map_or(before.flock.boids, |change| change.from);
        let scaled = !self.stands();
        self.change = (parameters.flock.density == Density::Keep && from != boids && from != 0 && boids != 0)
            .then_some(Change { from, to: boids, scaled });
        for (name, set) in SCALED.iter().zip(self.set) {
            if let Some(parameter) = parameters::find(name).filter(|_| set || !scaled) {
                // It was in its range before.
                let _ = parameter.set(parameters, parameter.get(&before));
            }
        }
    }

    /// Says what the number of boids did with the world, where density is to be kept.
    pub fn line(&self) -> Option<String> {
        let Change { from, to, scaled } = self.change?;
        let done = match scaled {
            true => "scaled, as flock.density = \"keep\" says",
            false => "not scaled, as the world was set (flock.density = \"keep\")",
        };
        Some(format!("world: {from} boids became {to}: {done}"))
    }
}

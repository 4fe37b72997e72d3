//! Scales the world with the number of boids (`flock.density = "keep"`), except parameters that the user has set.

use flock::Parameters;
use flock::parameters::{self, Density};

/// The keys that scale with the number of boids; the first two are the world itself.
const SCALED: [&str; 5] = ["world.min", "world.max", "world.margin", "home.half_extent", "home.wander"];

/// True if a parameter scales with the number of boids.
pub(super) fn scales(name: &str) -> bool {
    SCALED.contains(&name)
}

/// True if two numbers are equal but for rounding.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The values of [`SCALED`], padded with zeros.
fn numbers(p: &Parameters) -> [[f64; 3]; SCALED.len()] {
    let one = |number| [number, 0.0, 0.0];
    [p.world.min, p.world.max, one(p.world.margin), one(p.home.half_extent), one(p.home.wander)]
}

/// The world parameters that were set over a preset, or over a file that states a whole flock, and the effect of the
/// last change of the number of boids.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct World {
    set: [bool; SCALED.len()],
    change: Option<Change>,
}

/// The number of boids before and after, if the density is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    from: u32,
    to: u32,
    scaled: bool,
}

impl World {
    /// Records that the user set a parameter.
    pub(super) fn note(&mut self, name: &str) {
        if let Some(index) = SCALED.iter().position(|known| *known == name) {
            self.set[index] = true;
        }
        if let Some(change) = self.change.as_mut().filter(|_| self.set[0] || self.set[1]) {
            change.scaled = false;
        }
    }

    /// Also marks as set every parameter that differs from `base` scaled to the same number of boids: the panel set it.
    pub fn with(mut self, base: &Parameters, set: &Parameters) -> World {
        let mut scaled = *base;
        (scaled.flock.density, scaled.flock.dimensions) = (set.flock.density, set.flock.dimensions);
        World::default().set_boids(&mut scaled, set.flock.boids);
        for (own, (a, b)) in self.set.iter_mut().zip(numbers(&scaled).into_iter().zip(numbers(set))) {
            *own |= a.into_iter().zip(b).any(|(a, b)| !near(a, b));
        }
        self
    }

    /// True if the user set the bounds of the world.
    fn stands(&self) -> bool {
        self.set[0] || self.set[1]
    }

    /// Sets the number of boids. If the density is kept, this scales the world, unless its bounds were set.
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

    /// A note on whether the number of boids scaled the world; `None` if the density is not kept.
    pub fn line(&self) -> Option<String> {
        let Change { from, to, scaled } = self.change?;
        let (done, why) = match scaled {
            true => ("scaled", "flock.density = \"keep\""),
            false => ("not scaled", "its size was set"),
        };
        Some(format!("world: {done} from {from} to {to} boids ({why})"))
    }
}

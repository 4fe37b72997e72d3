//! What a flock is made of between two steps.

/// A boid. In two dimensions the z components are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Boid<T> {
    /// Where it is, in the world's unit of length.
    pub position: [T; 3],
    /// Length a unit of time.
    pub velocity: [T; 3],
    /// How strongly a scout leans to its side, 0…1.
    pub bias: T,
    /// [`group::NONE`], [`group::RIGHT`] or [`group::LEFT`].
    pub group: u32,
    /// Steps left to rest while perched; 0 when free; [`TAKEN_OFF`] until it has risen above the perching height.
    pub rest: i32,
}

/// Bias groups.
pub mod group {
    /// No preference.
    pub const NONE: u32 = 0;
    /// Scouts that lean to larger x.
    pub const RIGHT: u32 = 1;
    /// Scouts that lean to smaller x.
    pub const LEFT: u32 = 2;
}

/// The `rest` of a boid that flew off its perch and may not perch again before it has risen above the height.
pub const TAKEN_OFF: i32 = -1;

/// A predator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predator<T> {
    pub position: [T; 3],
    pub velocity: [T; 3],
}

impl<T: crate::Number> Boid<T> {
    /// The same boid in another number type, each number rounded to the nearest.
    #[must_use]
    pub fn convert<U: crate::Number>(&self) -> Boid<U> {
        Boid {
            position: self.position.map(|c| U::from_f64(c.to_f64())),
            velocity: self.velocity.map(|c| U::from_f64(c.to_f64())),
            bias: U::from_f64(self.bias.to_f64()),
            group: self.group,
            rest: self.rest,
        }
    }

    /// Whether it sits on its perch, where nobody perceives it.
    #[must_use]
    pub fn resting(&self) -> bool {
        self.rest > 0
    }
}

impl<T: crate::Number> Predator<T> {
    /// The same predator in another number type.
    #[must_use]
    pub fn convert<U: crate::Number>(&self) -> Predator<U> {
        Predator {
            position: self.position.map(|c| U::from_f64(c.to_f64())),
            velocity: self.velocity.map(|c| U::from_f64(c.to_f64())),
        }
    }
}

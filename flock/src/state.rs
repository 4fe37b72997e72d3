//! The state of boids and predators between two steps.
//!
//! ```
//! use flock::{Boid, Predator};
//!
//! let boid = Boid { position: [0.1_f64, 2.0, 3.0], ..Boid::default() };
//! assert_eq!(boid.convert::<f32>().position, [0.1_f32, 2.0, 3.0]);
//! assert!(!boid.resting() && Boid { rest: 5, ..boid }.resting());
//! assert_eq!(Predator::<f32>::default().convert::<f64>().velocity, [0.0; 3]);
//! ```

/// A boid. In two dimensions the z components are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Boid<T> {
    /// Length.
    pub position: [T; 3],
    /// Length per time.
    pub velocity: [T; 3],
    /// Weight of a scout's own direction, 0…1 (Couzin et al., Nature 433, 2005).
    pub bias: T,
    /// Its group, below [`crate::parameters::MAX_GROUPS`]; [`group::RIGHT`] and [`group::LEFT`] are scouts.
    pub group: u32,
    /// Steps left to rest while perched; 0 in flight; [`TAKEN_OFF`] after a perch until the boid is above the perching
    /// height.
    pub rest: i32,
}

/// Groups with a meaning of their own.
pub mod group {
    /// The first group of boids that are no scouts.
    pub const NONE: u32 = 0;
    /// Scouts biased towards +x.
    pub const RIGHT: u32 = 1;
    /// Scouts biased towards −x.
    pub const LEFT: u32 = 2;
}

/// Bits of a group where it shares a word with the rest.
pub const GROUP_BITS: u32 = 3;

/// The `rest` of a boid that left its perch and may not perch again before it is above the perching height.
pub const TAKEN_OFF: i32 = -1;

/// Group and rest of a word that [`Boid::tag`] gives.
#[inline(always)]
pub fn split_tag(tag: u32) -> (u32, i32) {
    (tag & ((1 << GROUP_BITS) - 1), tag as i32 >> GROUP_BITS)
}

/// A predator. In two dimensions the z components are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predator<T> {
    /// Length.
    pub position: [T; 3],
    /// Length per time.
    pub velocity: [T; 3],
}

impl<T: crate::Number> Boid<T> {
    /// The boid with other numbers in place of its lengths and velocities, and of its bias.
    pub fn map<U>(&self, scaled: impl Fn(T) -> U, pure: impl Fn(T) -> U) -> Boid<U> {
        let Boid { position, velocity, bias, group, rest } = *self;
        Boid {
            position: position.map(&scaled),
            velocity: velocity.map(&scaled),
            bias: pure(bias),
            group,
            rest,
        }
    }

    /// The boid in another number type, each number rounded to the nearest. This does not change units: see
    /// [`crate::Rule::quantise`].
    pub fn convert<U: crate::Number>(&self) -> Boid<U> {
        let number = |number: T| U::from_f64(number.to_f64());
        self.map(number, number)
    }

    /// Group and rest in one word.
    #[inline(always)]
    pub fn tag(&self) -> u32 {
        self.group | (self.rest as u32) << GROUP_BITS
    }

    /// True if the boid rests on a perch. Other boids do not perceive it then.
    pub fn resting(&self) -> bool {
        self.rest > 0
    }
}

impl<T: crate::Number> Predator<T> {
    /// The predator with other numbers in place of its own.
    pub fn map<U>(&self, scaled: impl Fn(T) -> U) -> Predator<U> {
        Predator { position: self.position.map(&scaled), velocity: self.velocity.map(&scaled) }
    }

    /// The predator in another number type, each number rounded to the nearest.
    pub fn convert<U: crate::Number>(&self) -> Predator<U> {
        self.map(|number| U::from_f64(number.to_f64()))
    }
}

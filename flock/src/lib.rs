//! # The boids rule
//!
//! Parameters, number types, the update rule, starts and measures of a flock of boids (Reynolds, SIGGRAPH 1987 and GDC
//! 1999), for every engine. The crate has no GPU, window or file, is `no_std` and allocates nothing in a step.
//!
//! Data flows one way: [`Parameters`] (named, in users' units) → [`Rule`] (quantised once, in the number type of the
//! engine) → [`perceive`] (sums over the neighbours) → [`update`] (the next state of a boid).
//!
//! ```
//! use flock::{Boid, Parameters, Predator, Rule, brute, measures, start};
//!
//! let mut parameters = Parameters::default();
//! parameters.flock.boids = 100;
//!
//! // Quantise the parameters to f32. `Rule::<flock::Fixed>` gives the rule in integers.
//! let rule = Rule::<f32>::new(&parameters);
//!
//! // The state at step 0, in the rule's units.
//! let mut boids: Vec<Boid<f32>> =
//!     (0..parameters.flock.boids).map(|id| rule.quantise(&start::boid(&parameters, id))).collect();
//! let mut predators: Vec<Predator<f32>> = Vec::new();
//!
//! // Ten steps by brute force.
//! let mut next = boids.clone();
//! for step in 0..10 {
//!     brute::step(&rule, step, &boids, &mut predators, &mut next).expect("no terms, which could not fit");
//!     std::mem::swap(&mut boids, &mut next);
//! }
//!
//! // Back to users' units, and measure.
//! let boids: Vec<Boid<f64>> = boids.iter().map(|boid| rule.dequantise(boid)).collect();
//! let order = measures::order(&Rule::new(&parameters), &boids).expect("the flock is not empty");
//! assert!((0.0..=1.0).contains(&order.polarization));
//! assert!(order.mean_speed <= parameters.motion.max_speed * 1.000_001);
//! ```
#![no_std]
#![warn(missing_docs)]

#[cfg(test)]
extern crate self as flock;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod brute;
pub mod explain;
pub mod fixed;
pub mod formula;
pub mod grid;
pub mod hash;
pub mod home;
pub mod measures;
pub mod number;
pub mod parameters;
pub mod perceive;
pub mod predators;
pub mod random;
pub mod rule;
pub mod start;
pub mod state;
#[cfg(test)]
mod tests;
pub mod update;
mod world;

pub use fixed::Fixed;
pub use grid::Grid;
pub use number::{Float, Lanes, Number, Requests, Vec3};
pub use parameters::Parameters;
pub use rule::Rule;
pub use state::{Boid, Predator};

/// Defines an enum whose variants have names, each written once: in files, on the command line and in tables.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant),* }

        impl $name {
            /// All variants with their names, in order.
            pub const ALL: [($name, &'static str); [$($text),*].len()] = [$(($name::$variant, $text)),*];
            /// The names alone.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }
    };
}

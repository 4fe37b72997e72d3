//! Predators. In a step they move first, from the boids at time t; the boids then flee from their new positions.
//!
//! A predator's velocity is a weighted sum of three requests: chase the flock's mean position, attack the boids in sight,
//! and follow a trefoil knot (that of YABI, see `presets/yabi.toml`).
//!
//! ```
//! use flock::predators::{advance, knot};
//! use flock::{Parameters, Predator, Rule, Vec3};
//!
//! let mut parameters = Parameters::default();
//! parameters.predators.chase_weight = 0.1;
//! let rule = Rule::<f64>::new(&parameters);
//! let (predator, mean) = (Predator::default(), Vec3::new(10.0, 0.0, 0.0));
//! let next = advance(&rule, &predator, mean, Vec3::zero(), knot(0, 0, rule.knot_period));
//! assert!(next.position[0] > 0.0);
//! ```

use crate::number::Number;
use crate::requests::Requests;
use crate::rule::Rule;
use crate::state::{Boid, Predator};
use crate::vector::Vec3;

/// The request along a trefoil knot, K = ((2 + cos 3τ)·cos 2τ, (2 + cos 3τ)·sin 2τ, sin 3τ) at
/// τ = 4π·step/period + index·π/4; a pure number, `period` in steps. It is computed outside the step, in f64 by `libm`,
/// with the same bits on every machine.
#[must_use]
pub fn knot(step: u64, index: usize, period: f64) -> [f64; 3] {
    use core::f64::consts::{FRAC_PI_4, PI};
    let tau = 4.0 * PI * (step as f64 / period) + index as f64 * FRAC_PI_4;
    let ring = 2.0 + libm::cos(3.0 * tau);
    [ring * libm::cos(2.0 * tau), ring * libm::sin(2.0 * tau), libm::sin(3.0 * tau)]
}

/// A boid's term of the attack request: the unit vector from the predator to the boid; zero if the boid rests or is out
/// of sight.
#[inline]
#[must_use]
pub fn prey<T: Number + Requests>(rule: &Rule<T>, predator: Vec3<T>, boid: &Boid<T>) -> Vec3<T> {
    if boid.resting() {
        return Vec3::zero();
    }
    let offset = rule.nearest_image(Vec3::from(boid.position) - predator);
    T::toward(offset, rule.predator_sight)
}

/// A predator's next state, from the flock's mean position, the sum of [`prey`] over the boids, and its [`knot`].
#[must_use]
pub fn advance<T: Number + Requests>(
    rule: &Rule<T>,
    predator: &Predator<T>,
    mean_position: Vec3<T>,
    attack: T::Wide,
    knot: [f64; 3],
) -> Predator<T> {
    let position = Vec3::from(predator.position);
    let [x, y, z] = knot.map(T::from_f64);
    let knot = Vec3::new(x, y, if rule.flat { T::ZERO } else { z });
    let chase = rule.nearest_image(mean_position - position);
    let weigh = |request: Vec3<T>, weight: T| T::weigh(T::widen(request), weight);
    let velocity = T::narrow(
        weigh(chase, rule.chase_weight)
            + T::weigh(attack, rule.attack_weight)
            + weigh(knot, rule.knot_weight),
    )
    .limit(rule.predator_max_speed);
    Predator {
        position: rule.wrap(position + velocity * rule.time_step).to_array(),
        velocity: velocity.to_array(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knot_is_the_trefoil() {
        let k = knot(0, 0, 960.0);
        assert_eq!(k, [3.0, 0.0, 0.0]);
        // A third of the way round 2π/3 in τ the curve repeats its cos 3τ.
        let k = knot(160, 0, 960.0);
        let tau = core::f64::consts::TAU / 3.0;
        assert!((k[0] - 3.0 * (2.0 * tau).cos()).abs() < 1e-12);
        assert!((k[1] - 3.0 * (2.0 * tau).sin()).abs() < 1e-12);
    }
}
